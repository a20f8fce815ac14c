// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/ops/op.hpp"

// torch takes most arguments by position and by keyword, and some by the keywords of NumPy. ctq has
// one spelling of each: tensors by position, and axes as dim.

namespace ctq::fx_reading {

/// A parameter that is read by its position.
struct positional_parameter {
  std::string_view keyword;
  int position;
  std::string_view calls;  // names of functions and methods; empty: all others
};
inline constexpr positional_parameter positional_parameters[] = {
    {"condition", 0, "where"},
    {"input", 1, "where"},
    {"other", 2, "where"},
    {"input", 0, {}},
    {"self", 0, {}},
    {"tensors", 0, {}},
    {"other", 1, {}},
    {"mat1", 1, "addmm"},
    {"mat2", 2, "addmm"},
    {"mat2", 1, "mm bmm"},
    {"size", 1, "view expand"},
    {"shape", 1, "reshape"},
    {"dims", 1, "permute"},
    {"repeats", 1, "repeat"},
    {"split_size", 1, "split"},
    {"mask", 1, "masked_fill masked_fill_"}};

/// Two keywords of one parameter.
struct keyword_pair {
  std::string_view other;
  std::string_view own;
  std::string_view calls;  // names of functions and methods; empty: all
};
inline constexpr keyword_pair keyword_pairs[] = {
    {"axis", "dim", {}}, {"keepdims", "keepdim", {}}, {"sizes", "unflattened_size", "unflatten"}};

/// Whether a list of words, separated by spaces, has this one.
[[nodiscard]] constexpr bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::string_view first = list.substr(0, list.find(' '));
    if (first == word) return true;
    list.remove_prefix(first.size() == list.size() ? list.size() : first.size() + 1);
  }
  return false;
}

/// Whether the arguments of an op are those of torch, which ctq knows.
[[nodiscard]] constexpr bool has_torch_keywords(op_id op) {
  return op->builtin && (op->kind == op_kind::function || op->kind == op_kind::method ||
                         op->kind == op_kind::module);
}

/// Whether a call is one of those in a list; of an empty one, all are.
[[nodiscard]] constexpr bool is_one_of(std::string_view calls, op_id op) {
  return calls.empty() || has_word(calls, op->name.substr(op->name.rfind('.') + 1));
}

/// The position of a keyword argument that is read by position, or -1.
[[nodiscard]] constexpr int position_of_keyword(op_id op, std::string_view keyword) {
  if (!has_torch_keywords(op)) return -1;
  for (const positional_parameter& p : positional_parameters)
    if (p.keyword == keyword && is_one_of(p.calls, op)) return p.position;
  return -1;
}

/// ctq's keyword for one that may be another of the same parameter.
[[nodiscard]] constexpr std::string_view own_keyword(op_id op, std::string_view keyword) {
  if (has_torch_keywords(op) && op->kind != op_kind::module)
    for (const keyword_pair& p : keyword_pairs)
      if (p.other == keyword && is_one_of(p.calls, op)) return p.own;
  return keyword;
}

}  // namespace ctq::fx_reading
