// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "class_tensors.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace tool {

namespace {

/// The declaration of a shape. That of a scalar has no extents, and C++ has no empty arrays.
std::string shape_member(const ctq::shape& s) {
  if (s.rank == 0) return "std::span<const int> shape{}";
  std::string extents;
  for (int axis = 0; axis < s.rank; ++axis)
    extents += fmt::format("{}{}", axis > 0 ? ", " : "", s[axis]);
  return fmt::format("int shape[] = {{{}}}", extents);
}

/// Sets the names in C++ of all inputs or all outputs: one_type and one_variable if there is one.
void name_all(std::vector<class_tensor>& all, const std::string& one_type,
              const std::string& one_variable) {
  if (all.size() == 1) {
    all[0].type = one_type;
    all[0].variable = one_variable;
    return;
  }
  for (auto t = all.begin(); t != all.end(); ++t) {
    std::string stem = identifier_like(t->name, "tensor");
    while (stem.back() == '_') stem.pop_back();
    const auto try_name = [&](const std::string& name) {
      t->set_names(name, one_type, one_variable);
      return t->has_valid_names() && std::none_of(all.begin(), t, [&](const class_tensor& other) {
               return t->hides(other);
             });
    };
    if (try_name(stem)) continue;
    // A name in capitals may be that of a macro once it has a number.
    t->set_names(stem + "_2", one_type, one_variable);
    if (!t->has_valid_names()) stem.insert(0, "tensor_");
    for (int number = 2; !try_name(fmt::format("{}_{}", stem, number));) ++number;
  }
}

/// The keys of the tensors that a model gives, "loss", or "boxes_0" of a list in a dict; empty: it
/// has none. Appends that of an argument and what is in it; returns the number of the argument
/// behind it.
int append_keys(ctq::view<ctq::argument> all, int at, const std::string& key,
                std::vector<std::string>& keys) {
  using kind = ctq::argument::kind;
  const ctq::argument& whole = all[at++];
  if (whole.is == kind::node) keys.push_back(key);
  if (whole.is != kind::list && whole.is != kind::dict) return at;
  for (std::int64_t item = 0; item < whole.integer; ++item) {
    std::string own{all[at].keyword};
    if (whole.is == kind::list) own = key.empty() ? "" : std::to_string(item);
    at = append_keys(all, at, key.empty() ? own : fmt::format("{}_{}", key, own), keys);
  }
  return at;
}

}  // namespace

class_tensors tensors_of(const ctq::graph_view<ctq::stage::traced>& traced) {
  class_tensors all;
  for (int i = 0; i < traced.size(); ++i) {
    const ctq::node& n = traced[i];
    if (n.op->kind == ctq::op_kind::placeholder)
      all.in.push_back({std::string{n.name}, n.shape, is_index(n.dtype)});
    if (n.op->kind != ctq::op_kind::output) continue;
    std::vector<std::string> keys;
    for (int at = 0; at < n.row->args.count;) at = append_keys(n.row->args, at, {}, keys);
    keys.resize(static_cast<std::size_t>(n.arg_count));
    const bool together = n.row->args[0].has_elements() || n.arg_count > 1;
    for (int a = 0; a < n.arg_count; ++a) {
      const std::string& key = keys[static_cast<std::size_t>(a)];
      const ctq::node& from = traced.arg(i, a);
      all.out.push_back({std::string{!key.empty() ? key
                                     : together   ? from.name
                                                  : n.name},
                         from.shape, is_index(from.dtype)});
    }
  }
  name_all(all.in, "input", "in");
  name_all(all.out, "output", "out");
  return all;
}

std::string each(const class_tensors& all, std::string_view between, std::string_view of_input,
                 std::string_view of_output) {
  std::string text;
  const auto add = [&](const class_tensor& t, std::string_view form) {
    text += fmt::format("{}{}", text.empty() ? "" : between,
                        fmt::format(fmt::runtime(form), t.type, t.variable, t.member, t.element()));
  };
  for (const class_tensor& t : all.in) add(t, of_input);
  for (const class_tensor& t : all.out) add(t, of_output);
  return text;
}

std::string declared(const class_tensors& all) {
  std::string text;
  for (const std::vector<class_tensor>* tensors : {&all.in, &all.out})
    for (const class_tensor& t : *tensors)
      text += fmt::format(
          "  struct {} {{\n"
          "    static constexpr char name[] = {};\n"
          "    static constexpr {};\n"
          "    static constexpr std::size_t size = {};\n"
          "    alignas(64) {} values[size]{{}};\n"
          "  }};\n",
          t.type, cpp_string(t.name), shape_member(t.shape), numel(t.shape), t.element());
  if (all.out.size() == 1) return text;
  text += "  /// What a run gives: auto [a, b] = session(…).\n  struct outputs {\n";
  for (const class_tensor& t : all.out) text += fmt::format("    {} {};\n", t.type, t.member);
  return text + "  };\n";
}

std::string same_tensors(const std::string& name, const class_tensors& all) {
  std::string text;
  const auto add = [&](std::string_view which, const std::vector<class_tensor>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i)
      text += fmt::format(
          "static_assert({0}_code::same_tensor({0}_plan::int8_schedule.{1}[{2}], ctq::{4}, "
          "{0}::{3}::shape));\n",
          name, which, i, tensors[i].type, tensors[i].is_index ? "i64" : "f32");
  };
  add("inputs", all.in);
  add("outputs", all.out);
  return text;
}

}  // namespace tool
