// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "ctq/core/same_text.hpp"
#include "ctq/core/sum.hpp"
#include "ctq/graph/checked_model.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/integers.hpp"
#include "ctq/graph/shape_rules.hpp"

// A model is a constant that reads like torch.fx's print-out:
//
//   inline constexpr auto lenet = ctq::model(
//       "x"_n     = nn::placeholder({1, 1, 28, 28}),
//       "conv1"_n = nn::conv2d("x"_n, {.out_channels = 6, .kernel_size = 5}),
//       ...
//       "out"_n   = nn::output("fc"_n));
//
// Names become indices, and shapes are inferred. An error is stored in the constant and reported
// where the model is used (checked_model).

namespace ctq {

namespace linking {

/// A node as written, its arguments still names.
struct pending {
  std::string_view name;
  op_id op{};
  const attributes* attrs{};  // options, or the shape of a placeholder or get_attr
  const std::string_view* args{};
  int arg_count{};
};

/// A name as numbers, because comparing texts by character would take most of the compile time.
/// (g++ computes it once for equal literals.)
struct name_key {
  static constexpr std::size_t exact = 32;  // up to this length the key is unique

  std::uint64_t word[exact / 8]{};
  std::size_t size{};
  std::size_t hash{};
};

constexpr name_key key_of(const char* text, std::size_t size) {
  name_key key;
  key.size = key.hash = size;
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < size; ++i) {
    word = word << 8 | static_cast<unsigned char>(text[i]);
    if (i % 8 != 7 && i + 1 != size) continue;
    const std::size_t at = i % name_key::exact / 8;
    key.word[at] = key.word[at] * 31 + word;
    key.hash = (key.hash ^ word ^ word >> 32) * 1099511628211U;
    word = 0;
  }
  key.hash ^= key.hash >> 32;
  return key;
}

/// Writes the nodes of a graph whose rows have names for arguments. Names are found in a hash table
/// with open addressing, because linear searches would be quadratic and exceed the compilers'
/// limits.
template <class Out>
class linker {
 public:
  constexpr linker(std::size_t rows, std::size_t args, Out& out)
      : out_(out), slot_count_(2 * rows + 1) {
    out.open(static_cast<int>(rows), static_cast<int>(args));
    resize(node_in_, slot_count_);
    resize(key_, rows);
  }

  /// Adds one row, or reports what is wrong with it.
  constexpr void add(const pending& row, bool last) {
    diagnostic& d = out_.problem;
    const int i = count_;
    const int first_arg = args_;
    for (int a = 0; a < row.arg_count; ++a) {
      const int found = find(row.args[a]);
      if (found < 0) {
        d.line("node ", row.name, ":").line("no earlier node is named").line(row.args[a]);
        return;
      }
      out_.args[args_++] = found;
    }
    // Pointers, since each function called for a node costs the compiler memory.
    const char* const begin = row.name.data();
    const char* at = begin + row.name.size();
    while (at != begin && at[-1] >= '0' && at[-1] <= '9') --at;
    const bool is_further_call =
        at != begin && at[-1] == '#' && module_of_call(row.name).size() != row.name.size();
    if (is_further_call && !calls_known_module(row)) return;
    if (find(row.name) >= 0) {
      d.line("two nodes are named").line(row.name);
      return;
    }
    node_in_[slot_] = i + 1;
    key_[i] = wanted_;
    out_.nodes[i].name = row.name;
    out_.nodes[i].op = row.op;
    out_.nodes[i].first_arg = first_arg;
    out_.nodes[i].arg_count = row.arg_count;
    if (row.op->kind == op_kind::placeholder || row.op->kind == op_kind::get_attr) {
      const auto given = row.attrs->template as<given_tensor>();
      out_.nodes[i].shape = given.shape;
      if (is_index(static_cast<dtype>(given.type))) {
        out_.nodes[i].dtype = static_cast<dtype>(given.type);
        has_others_ = true;
      }
    } else {
      out_.nodes[i].attrs = *row.attrs;
    }
    ++count_;
    infer(i, d);
    if (is_further_call && !d.any()) check_options(out_.nodes[i], d);
    if ((row.op->kind == op_kind::output) != last && !d.any())
      d.line("node ", row.name, ":")
          .line(last ? "the last node must be nn::output" : "nn::output comes last");
  }

  constexpr void finish() {
    if (count_ == 0 && !out_.problem.any()) out_.problem.line("the model has no node");
    out_.close(count_, args_);
  }

 private:
  static constexpr std::size_t max_slots = Out::max_nodes == 0 ? 0 : 2 * Out::max_nodes + 1;

  /// Whether an earlier row calls the module of a further call: "fc" for "fc#2". Else reports it.
  constexpr bool calls_known_module(const pending& row) {
    const std::string_view module = module_of_call(row.name);
    const int first = find(module);
    if (first >= 0 && out_.nodes[first].op == row.op) return true;
    diagnostic& d = out_.problem;
    d.line("node ", row.name, ":").line("no earlier ", row.op->name, " is named").line(module);
    return false;
  }

  /// Reports a further call of a module with weights whose options, completed by the shape of its
  /// input, are not those of the first call.
  constexpr void check_options(const node& call, diagnostic& d) {
    const std::string_view module = module_of_call(call.name);
    if (call.op->descriptor->weights == op_weights::none) return;
    if (call.attrs == out_.nodes[find(module)].attrs) return;
    d.line("node ", call.name, ":").line("it calls ", module, " again, so its options");
    d.line("and channels must be those of ", module);
  }

  /// The node of this name, or -1; sets slot_ to its slot, or to a free one.
  constexpr int find(std::string_view name) {
    wanted_ = key_of(name.data(), name.size());
    for (slot_ = wanted_.hash % slot_count_; node_in_[slot_] != 0;
         slot_ = slot_ + 1 == slot_count_ ? 0 : slot_ + 1) {
      const int i = node_in_[slot_] - 1;
      bool same = key_[i].size == wanted_.size;
      for (int w = 0; w < 4 && same; ++w) same = key_[i].word[w] == wanted_.word[w];
      if (same && wanted_.size > name_key::exact) same = same_text(out_.nodes[i].name, name);
      if (same) return i;
    }
    return -1;
  }

  /// Indices may be read by embeddings, which read nothing else, by ops that compute with integers,
  /// and by the output; tuples by getitem alone.
  constexpr void check_reads(int i, diagnostic& d) {
    const node& reader = out_.nodes[i];
    const int indices = reader.op->descriptor->index_inputs;
    for (int a = 0; a < reader.arg_count && !d.any(); ++a) {
      const node& from = out_.nodes[out_.args[reader.first_arg + a]];
      const bool is_tuple = from.op->descriptor->tuple_item != nullptr;
      if (is_tuple && !is_any_of(reader.op, op::getitem)) {
        d.line("node ", reader.name, ":").line("reads all tensors of ", from.name);
        d.line("op::getitem selects one");
      } else if (a < indices ? !is_index(from.dtype)
                             : is_index(from.dtype) && !takes_integers(reader, from)) {
        d.line("node ", reader.name, ":");
        d.line("reads ", name_of(from.dtype), " of ", from.name);
        d.line(a < indices ? "indices are an input of a model:"
                           : "method::float_ makes floats of it");
        if (a < indices) d.line("nn::placeholder({...}, ctq::i64)");
      }
    }
  }

  constexpr void infer(int i, diagnostic& d) {
    const op_descriptor& op = *out_.nodes[i].op->descriptor;
    if (has_others_ || op.index_inputs > 0) check_reads(i, d);
    if (has_others_ && args_ > 0 && gives_integers(&out_.nodes[0], &out_.args[0], i))
      out_.nodes[i].dtype = i64;
    if (op.tuple_item != nullptr || op.gives_integers == integers_if::never_but_a_mask)
      has_others_ = true;
    if (op.returns_indices && op.tuple_item == nullptr) {
      out_.nodes[i].dtype = i64;
      has_others_ = true;
    }
    const int first = out_.nodes[i].first_arg;
    if (out_.nodes[i].arg_count == 1) {
      const node& from = out_.nodes[out_.args[first]];
      if (has_others_ && from.op->descriptor->tuple_item != nullptr)
        return shape_rules::infer_item(out_.nodes[i], from, d);
      return shape_rules::infer(out_.nodes[i], {&from.shape, 1}, d);
    }
    list<shape> shapes;
    for (int a = first; a < args_; ++a) shapes.push_back(out_.nodes[out_.args[a]].shape);
    shape_rules::infer(out_.nodes[i], {shapes.data(), static_cast<int>(shapes.size())}, d);
  }

  Out& out_;
  std::size_t slot_count_;
  scratch_array<int, max_slots> node_in_{};  // by slot: 1 + a node, 0: none
  scratch_array<name_key, Out::max_nodes> key_{};
  name_key wanted_{};
  std::size_t slot_ = 0;
  bool has_others_ = false;  // whether a node gives something else than one tensor of float32
  int count_ = 0;
  int args_ = 0;
};

/// Turns rows with names into a graph, or reports the node that is wrong.
template <class Rows, class Out>
constexpr void link_into(const Rows& rows, std::size_t count, std::size_t args, Out& out) {
  linker<Out> links{count, args, out};
  for (std::size_t i = 0; i < count && out.problem.text.count == 0; ++i)
    links.add(rows[i], i + 1 == count);
  links.finish();
}

constexpr dynamic_graph<stage::traced> link(const pending* rows, std::size_t count) {
  std::size_t args = 0;
  for (std::size_t i = 0; i < count; ++i) args += static_cast<std::size_t>(rows[i].arg_count);
  dynamic_graph<stage::traced> g;
  link_into(rows, count, args, g);
  return g;
}

template <std::size_t Arity>
constexpr pending pending_of(const named_call<Arity>& c) {
  return {c.name, c.value.op, &c.value.attrs, c.value.args, static_cast<int>(Arity)};
}

template <int I>
struct number_text {
  static constexpr static_text<12> value = [] {
    static_text<12> t;
    append_number(t, I);
    return t;
  }();
};

}  // namespace linking

/// The traced graph of a model. Each row is a node, "name"_n = op(names of earlier rows, options);
/// the last is nn::output.
/// Errors  in the graph, reported where it is used: names, shapes, dtypes or options that are wrong
//
// constexpr, since clang 19 evaluates a consteval call that initializes a constant twice: 0.3 s for
// 1 000 nodes.
template <std::size_t... Arity>
constexpr auto model(const named_call<Arity>&... row) {
  constexpr std::size_t args = sum({Arity...});
  const linking::pending rows[]{linking::pending_of(row)..., {}};
  return static_graph<stage::traced, sizeof...(Arity), args>{
      [&rows](auto& g) { linking::link_into(rows, sizeof...(Arity), args, g); }};
}

namespace linking {

template <std::size_t... I, class... Layer>
constexpr auto sequential(std::index_sequence<I...>, shape input, const Layer&... layer) {
  constexpr std::size_t last = sizeof...(I);
  const std::array<std::string_view, last + 1> names{
      "input", std::string_view{number_text<static_cast<int>(I)>::value.view()}...};
  const std::string_view output_arg = names[last];
  const attributes none;
  const attributes input_shape{input};
  const pending rows[]{pending{"input", nn::placeholder.id(), &input_shape, nullptr, 0},
                       pending{names[I + 1], layer.op, &layer.attrs, &names[I], 1}...,
                       pending{"output", nn::output.id(), &none, &output_arg, 1}};
  static_graph<stage::traced, last + 2, last + 1> g;
  link_into(rows, last + 2, last + 1, g);
  return g;
}

}  // namespace linking

/// A model whose layers are called in sequence, named "0", "1", … as in torch.nn.Sequential:
///   sequential({1, 784}, nn::linear({.out_features = 128}), nn::relu(), …)
template <class... Layer>
constexpr auto sequential(shape input, const Layer&... layer) {
  return linking::sequential(std::index_sequence_for<Layer...>{}, input, layer...);
}

}  // namespace ctq
