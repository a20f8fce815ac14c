// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "import_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpp_names.hpp"
#include "ctq/ops/reflect.hpp"

namespace tool {

namespace {

using ctq::argument;
using kind = ctq::argument::kind;
using ctq::option_field;
using ctq::option_fields;

// ---- arguments without an option

/// Arguments without an option in ctq: the only supported value, or any.
bool means_nothing(std::string_view name, const argument& a) {
  if (name == "inplace" || name == "momentum" || name == "p" || name == "device" || name == "dtype")
    return true;
  if (name == "padding_mode") return a.is == kind::text && a.text == "zeros";
  if (name == "track_running_stats") return a.is == kind::boolean && a.integer == 1;
  if (name == "_stacklevel" || name == "compute_mode" || name == "sparse_grad") return true;
  if (name == "bias") return a.is == kind::boolean && a.integer == 1;  // of norms with weights
  if (name == "return_indices" || name == "training")
    return a.is == kind::boolean && a.integer == 0;
  if (name == "recompute_scale_factor" || name == "antialias")
    return a.is == kind::none || (a.is == kind::boolean && a.integer == 0);
  if (name == "add_bias_kv" || name == "add_zero_attn" || name.ends_with("is_causal") ||
      name == "enable_gqa")
    return a.is == kind::boolean && a.integer == 0;
  if (name == "divisor_override" || name == "out" || name == "max_norm") return a.is == kind::none;
  if (name == "scale_grad_by_freq" || name == "sparse" || name == "norm_type") return true;
  if (name == "proj_size") return a.is == kind::integer && a.integer == 0;
  if (name == "alpha") return a.is == kind::integer && a.integer == 1;
  return false;
}

// ---- one value

bool read(const argument& a, int& out) {
  if (a.is != kind::integer) return false;
  out = static_cast<int>(a.integer);
  return out == a.integer;
}

/// A number. Real numbers are rounded as PyTorch rounds them, but not to infinity or zero;
/// integers that are not exact in float are rejected.
bool read(const argument& a, float& out) {
  constexpr std::int64_t exact = std::int64_t{1} << 24;
  if (a.is == kind::integer) {
    out = static_cast<float>(a.integer);
    return -exact <= a.integer && a.integer <= exact;
  }
  const bool is_too_large =
      std::abs(a.real) > std::numeric_limits<float>::max() && !std::isinf(a.real);
  if (a.is != kind::real || is_too_large) return false;
  out = static_cast<float>(a.real);
  return (out != 0) == (a.real != 0);
}

}  // namespace

bool is_number(const ctq::argument& a) { return a.is == kind::integer || a.is == kind::real; }

bool read_operand(const ctq::argument& a, bool of_integers, float& out) {
  if (of_integers || a.is != kind::integer) return read(a, out);
  out = static_cast<float>(a.integer);
  return true;
}

std::string shown_argument(const argument& a) {
  switch (a.is) {
    case kind::none: return "None";
    case kind::boolean: return a.integer != 0 ? "True" : "False";
    case kind::integer: return fmt::to_string(a.integer);
    case kind::real: return fmt::to_string(a.real);
    case kind::text: return fmt::format("\"{}\"", a.text);
    case kind::list:
      return a.integer > static_cast<std::int64_t>(ctq::max_rank)
                 ? fmt::format("a list of {}; at most {} are possible", a.integer, ctq::max_rank)
                 : "a list";
    case kind::dict: return "a dict";
    case kind::slice: return "a slice";
    case kind::ellipsis: return "...";
    case kind::node: return "a tensor";
  }
  return {};
}

namespace {

/// A bound of a slice, which may be None; false: it is neither.
bool read_bound(const argument& a, int& bound) { return a.is == kind::none || read(a, bound); }

/// Reads the indices of x[…]: an integer, None, ... or a slice, or a list of them.
bool read_indices(const argument* a, const option_field& f, ctq::attributes& to) {
  const bool list = a->is == kind::list;
  const std::int64_t count = list ? a->integer : 1;
  if (list) ++a;
  ctq::index_list indices;
  if (count > ctq::index_list::max_count) return false;
  for (std::int64_t i = 0; i < count; ++i, ++a) {
    ctq::index_item& index = indices.item[indices.count++];
    if (a->is == kind::none) {
      index = ctq::index::new_axis;
    } else if (a->is == kind::ellipsis) {
      index = ctq::index::ellipsis;
    } else if (a->is == kind::slice) {
      index = ctq::index::slice();
      int step = 1;
      if (a->integer != 3 || !read_bound(a[1], index.start) || !read_bound(a[2], index.stop) ||
          !read_bound(a[3], step) || step < 1)
        return false;
      index = ctq::index::slice(index.start, index.stop, step);
      a += 3;
    } else if (!read(*a, index.start)) {
      return false;
    }
  }
  set_list(to, f, indices);
  return true;
}

/// Reads an argument as an option of these attributes; false: it is not one. PyTorch has no stride
/// of 0; among ctq's options it means a default.
bool read(const argument* a, const option_field& f, ctq::attributes& to) {
  int numbers[3]{};
  switch (f.is) {
    case option_field::type::integer:
      if (a->is == kind::boolean && f.name == "affine")
        numbers[0] = a->integer != 0 ? 1 : 0;
      else if (!read(*a, numbers[0]))
        return false;
      break;
    case option_field::type::flag:
      if (a->is != kind::boolean) return false;
      numbers[0] = a->integer != 0 ? 1 : 0;
      break;
    case option_field::type::real: {
      float real{};
      const std::int64_t count = a->is == kind::list ? a->integer : 0;  // equal ones are one
      for (std::int64_t i = count; i > 0; --i) {
        float other{};
        if (!read(a[i], other) || (i < count && other != real)) return false;
        real = other;
      }
      if (count == 0 && !read(*a, real)) return false;
      set(to, f, real);
      return true;
    }
    case option_field::type::extents: {
      const bool list = a->is == kind::list;
      const std::int64_t count = list ? a->integer : 1;
      ctq::shape sizes;
      if (count > static_cast<std::int64_t>(ctq::max_rank)) return false;
      for (std::int64_t i = 0; i < count; ++i)
        if (!read(list ? a[i + 1] : *a, sizes[sizes.rank++])) return false;
      set_list(to, f, sizes);
      return true;
    }
    case option_field::type::indices: return read_indices(a, f, to);
    case option_field::type::word:
      if (a->is != kind::text) return false;
      numbers[0] = f.words->find(a->text);
      if (numbers[0] < 0) return false;
      break;
    case option_field::type::extent:
    case option_field::type::extent3: {
      const bool list = a->is == kind::list;
      const int count = words_of(f);
      if (list && a->integer != 1 && a->integer != count) return false;
      for (int i = 0; i < count; ++i) {
        const argument& one = !list ? *a : a[a->integer == 1 ? 1 : 1 + i];
        if (!read(one, numbers[i]) || (f.name == "stride" && numbers[i] == 0)) return false;
        set(to, f, numbers[i], i);
      }
      break;
    }
  }
  set(to, f, numbers[0]);
  return true;
}

/// The indices of x[…].
std::string code_of(const ctq::index_list& indices) {
  std::string code;
  for (int i = 0; i < indices.count; ++i) {
    const ctq::index_item& index = indices.item[i];
    if (i > 0) code += ", ";
    switch (index.is()) {
      case ctq::index_item::element: code += cpp_number(index.start); break;
      case ctq::index_item::new_axis: code += "ctq::index::new_axis"; break;
      case ctq::index_item::ellipsis: code += "ctq::index::ellipsis"; break;
      case ctq::index_item::range:
        code += fmt::format("ctq::index::slice({}, {}, {})", cpp_number(index.start),
                            cpp_number(index.stop), cpp_number(index.step()));
    }
  }
  return fmt::format("{{{}}}", code);
}

std::string code_of(const ctq::attributes& a, const option_field& f) {
  const int number = integer_of(a, f);
  switch (f.is) {
    case option_field::type::integer: return cpp_number(number);
    case option_field::type::flag: return number != 0 ? "true" : "false";
    case option_field::type::real: return cpp_number(real_of(a, f));
    case option_field::type::extents: {
      const auto sizes = list_of<ctq::shape>(a, f);
      std::string code;
      for (int i = 0; i < sizes.rank; ++i)
        code += fmt::format("{}{}", i > 0 ? ", " : "", cpp_number(sizes[i]));
      return fmt::format("{{{}}}", code);
    }
    case option_field::type::indices: return code_of(list_of<ctq::index_list>(a, f));
    case option_field::type::word: {
      std::string word{f.words->words[number]};
      for (char& c : word)
        if (c == '-') c = '_';
      return fmt::format("ctq::{}::{}", f.words->type, word);
    }
    case option_field::type::extent:
    case option_field::type::extent3: break;
  }
  bool alike = true;
  std::string code = cpp_number(number);
  for (int i = 1; i < words_of(f); ++i) {
    alike = alike && integer_of(a, f, i) == number;
    code += ", " + cpp_number(integer_of(a, f, i));
  }
  return alike ? cpp_number(number) : fmt::format("{{{}}}", code);
}

// ---- a whole call

/// An argument, and the position of the next one.
struct placed {
  const argument* value;
  std::string_view name;
  int position;
  bool used = false;
};

std::vector<placed> placed_arguments(ctq::view<argument> arguments, int first) {
  std::vector<placed> all;
  for (int at = 0; at < arguments.size();) {
    const argument& a = arguments[at];
    all.push_back({&a, a.keyword, a.keyword.empty() ? first++ : -1});
    int rest = 1;  // this one, and the elements of lists, which may be lists
    while (rest > 0) {
      const argument& e = arguments[at++];
      rest += e.has_elements() ? static_cast<int>(e.integer) - 1 : -1;
    }
  }
  return all;
}

const option_field* find(const option_fields& all, std::string_view name) {
  for (const option_field& f : all.fields)
    if (f.name == name) return &f;
  return nullptr;
}

/// A pool's stride that equals its kernel size is the default.
void forget_default_stride(const option_fields& all, ctq::attributes& a) {
  const option_field* const stride = find(all, "stride");
  const option_field* const kernel = find(all, "kernel_size");
  if (stride == nullptr || kernel == nullptr || integer_of(all.defaults, *stride) != 0) return;
  for (int i = 0; i < words_of(*stride); ++i)
    if (integer_of(a, *stride, i) != integer_of(a, *kernel, i)) return;
  for (int i = 0; i < words_of(*stride); ++i) set(a, *stride, 0, i);
}

/// Options that have no effect: values are never changed, nothing is trained.
bool has_no_effect(const option_fields& all, std::string_view option) {
  return option == "inplace" ||
         (option == "p" && all.fields.items == ctq::fields_of<ctq::dropout_options>.fields.items);
}

/// Options that are inferred from the input.
bool is_found(std::string_view option) {
  return option == "num_channels" || option == "in_channels" || option == "in_features" ||
         option == "num_features" || option == "input_size" || option == "embed_dim" ||
         option == "kdim" || option == "vdim" || option == "d_model";
}

/// Sizes that are arguments each: x.view(1, -1). Several positional integers are one option.
bool read_rest(const option_field& f, int position, std::vector<placed>& arguments,
               ctq::attributes& to) {
  ctq::shape sizes;
  std::vector<placed*> read_ones;
  for (placed& a : arguments) {
    int size{};
    const bool fits = a.name.empty() &&
                      a.position == position + static_cast<int>(read_ones.size()) &&
                      read_ones.size() < ctq::max_rank && read(*a.value, size);
    if (!fits) return false;
    sizes[sizes.rank++] = size;
    read_ones.push_back(&a);
  }
  for (placed* a : read_ones) a->used = true;
  if (!read_ones.empty()) set_list(to, f, sizes);
  return !read_ones.empty();
}

/// The padding of a convolution that is a word: "same" has as many outputs as inputs, with a stride
/// of 1; "valid" has none. Empty, or why there is no such padding.
///   f  padding, of a convolution
std::string read_padding_word(const option_fields& all, const option_field& f,
                              std::string_view word, ctq::attributes& to) {
  if (word == "valid") return {};
  const option_field* const kernel = find(all, "kernel_size");
  const option_field* const dilation = find(all, "dilation");
  const option_field* const stride = find(all, "stride");
  for (int i = 0; i < words_of(f); ++i) {
    if (word != "same" || kernel == nullptr || integer_of(to, *stride, i) != 1)
      return fmt::format("cannot have padding = \"{}\"", word);
    const int around = integer_of(to, *dilation, i) * (integer_of(to, *kernel, i) - 1);
    if (around % 2 != 0) return "cannot have padding = \"same\" of an even kernel";
    set(to, f, around / 2, i);
  }
  return {};
}

imported_options import_fields(const option_fields& all, std::vector<placed> arguments) {
  imported_options out{.attrs = all.defaults, .code = {}, .problem = {}};
  int position = 0;
  const placed* padding_word = nullptr;  // read when the kernel is known
  for (const option_field& f : all.fields) {
    if (has_no_effect(all, f.name)) continue;
    ++position;
    const bool takes_rest = f.is == option_field::type::extents && all.fields.size() == 1;
    if (takes_rest && read_rest(f, position, arguments, out.attrs)) continue;
    for (placed& a : arguments) {
      if (a.used || (a.name.empty() ? a.position != position : a.name != f.name)) continue;
      a.used = true;
      if (f.name == "padding" && a.value->is == kind::text) {
        padding_word = &a;
      } else if (a.value->is != kind::none && !read(a.value, f, out.attrs))
        out.problem = fmt::format("cannot have {} = {}", f.name, shown_argument(*a.value));
    }
  }
  if (padding_word != nullptr && out.problem.empty())
    out.problem =
        read_padding_word(all, *find(all, "padding"), padding_word->value->text, out.attrs);
  for (const placed& a : arguments) {
    if (a.used || (!a.name.empty() && means_nothing(a.name, *a.value))) continue;
    if (a.name.empty() && a.value->is == kind::boolean) continue;  // inplace, or training
    if (a.name.empty() && a.value->is == kind::integer &&
        a.position > static_cast<int>(ctq::max_rank))
      out.problem = fmt::format("has at most {} axes", ctq::max_rank);
    else
      out.problem = a.name.empty()
                        ? fmt::format("reads {}, which is not a tensor", shown_argument(*a.value))
                    : a.name == "alpha"
                        ? fmt::format("cannot have alpha = {0} (write {0} * y, and add that)",
                                      shown_argument(*a.value))
                        : fmt::format("cannot have {} = {}", a.name, shown_argument(*a.value));
  }
  ctq::attributes written = out.attrs;
  forget_default_stride(all, written);
  for (const option_field& f : all.fields)
    if (!is_found(f.name) && !is_same(written, all.defaults, f))
      out.code +=
          fmt::format("{}.{} = {}", out.code.empty() ? "{" : ", ", f.name, code_of(written, f));
  if (!out.code.empty()) out.code += "}";
  return out;
}

struct op_entry {
  ctq::op_id op;
  std::string_view builder;
};

constexpr op_entry entries[] = {
#define TOOL_ENTRY(space, base, identifier, ...) \
  {ctq::space::identifier.id(), #space "::" #identifier},
    CTQ_NAMED_OPS(TOOL_ENTRY)
#undef TOOL_ENTRY
};

/// A literal in C++; empty if it cannot be an option.
std::string code_of(const argument& a) {
  switch (a.is) {
    case kind::boolean: return a.integer != 0 ? "true" : "false";
    case kind::integer: {
      int number{};
      return read(a, number) ? cpp_number(number) : std::string{};
    }
    case kind::real: {
      float number{};
      return read(a, number) ? cpp_number(number) : std::string{};
    }
    default: return {};
  }
}

}  // namespace

imported_options import_user_options(ctq::view<argument> arguments) {
  imported_options out;
  for (const placed& a : placed_arguments(arguments, 0)) {
    if (a.value->is == kind::none) continue;
    std::string value = code_of(*a.value);
    if (a.value->is == kind::list && a.value->integer == 2) {
      const std::string first = code_of(a.value[1]);
      const std::string second = code_of(a.value[2]);
      if (!first.empty() && !second.empty()) value = fmt::format("{{{}, {}}}", first, second);
    }
    if (value.empty() || !identifier_problem(a.name).empty()) {
      out.problem = a.name.empty()
                        ? fmt::format("reads {}, which is not a tensor", shown_argument(*a.value))
                        : fmt::format("cannot have {} = {}", a.name, shown_argument(*a.value));
    } else {
      out.code += fmt::format("{}.{} = {}", out.code.empty() ? "{" : ", ", a.name, value);
    }
  }
  if (!out.code.empty()) out.code += "}";
  return out;
}

std::string_view builder_of(ctq::op_id op) {
  for (const op_entry& e : entries)
    if (e.op == op) return e.builder;
  return {};
}

/// dropout(x, p, training) returns x in inference, so all options are without effect there.
std::string import_identity(const std::vector<placed>& arguments) {
  for (const placed& a : arguments) {
    const bool first_flag = a.name.empty() && a.value->is == kind::boolean;
    if (!first_flag && a.name != "training" && a.name != "train") continue;
    return a.value->integer == 0 ? std::string{} : "cannot have training = True";
  }
  return {};
}

imported_options import_options(ctq::op_id op, ctq::view<argument> arguments, int first) {
  if (op->kind == ctq::op_kind::function && op->descriptor->is_identity)
    return {.attrs = ctq::options_of(op).defaults,
            .code = {},
            .problem = import_identity(placed_arguments(arguments, first))};
  return import_fields(ctq::options_of(op), placed_arguments(arguments, first));
}

}  // namespace tool
