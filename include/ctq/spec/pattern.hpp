// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "ctq/core/containers/view.hpp"
#include "ctq/ops/op.hpp"

// A pattern: ops that a backend can run as one, and their arrangement.
//
//   pattern<nn::linear>                              one op
//   pattern<nn::conv2d, nn::batch_norm2d, nn::relu>  a chain, in data flow order
//   pattern<nested<op::add, match_all, nested<nn::batch_norm2d, nn::conv2d>>, nn::relu>
//                                                    a tree: an op and its arguments, which
//                                                    may start a chain

namespace ctq {

/// The maximum number of ops in a pattern, including MatchAllNode.
inline constexpr std::size_t max_pattern = 64;

/// One op of a pattern. op: nullptr matches anything. args: the number of following subtrees that
/// are its arguments; 0 does not constrain them.
struct pattern_element {
  op_id op{};
  int args{};

  friend constexpr bool operator==(const pattern_element&, const pattern_element&) = default;
};

/// A pattern as a tree in pre-order, the op nearest the output first.
struct pattern_record {
  view<pattern_element> element;

  [[nodiscard]] constexpr bool is_single() const { return element.size() == 1; }
  /// The op nearest the output; nullptr: MatchAllNode, or an empty pattern.
  [[nodiscard]] constexpr op_id anchor() const { return element.empty() ? nullptr : element[0].op; }

  friend constexpr bool operator==(const pattern_record&, const pattern_record&) = default;
};

/// The number of elements in the tree at an element.
[[nodiscard]] constexpr int subtree(const pattern_record& p, int at) {
  int size = 1;
  for (int a = 0; a < p.element[at].args; ++a) size += subtree(p, at + size);
  return size;
}

struct match_all_t {};
/// Matches any argument, including constants.
inline constexpr match_all_t match_all{};

template <auto Head, auto... Argument>
struct nested_t {};
/// An op whose arguments match the given patterns, in this order.
template <auto Head, auto... Argument>
inline constexpr nested_t<Head, Argument...> nested{};

namespace pattern_parts {

template <class Op>
constexpr std::size_t size_of(const Op&) {
  return 1;
}
template <auto Head, auto... Argument>
constexpr std::size_t size_of(const nested_t<Head, Argument...>&) {
  return (1 + ... + size_of(Argument));
}

template <class Op>
inline constexpr bool is_nested = false;
template <auto Head, auto... Argument>
inline constexpr bool is_nested<nested_t<Head, Argument...>> = true;

template <std::size_t N>
struct builder {
  std::array<pattern_element, N> element{};
  std::size_t count = 0;

  template <class Op>
  constexpr void append(const Op& op) {
    element[count++].op = id_or_null(op);
  }
  template <auto Head, auto... Argument>
  constexpr void append(const nested_t<Head, Argument...>&) {
    const std::size_t head = count;
    append(Head);
    element[head].args = sizeof...(Argument);
    (append(Argument), ...);
  }
};

/// Only the first part of a chain can be a tree, since each later op has the part before as its
/// only argument.
template <class... Size>
constexpr bool begins_with_tree_only(std::size_t, Size... later) {
  return ((later == 1) && ...);
}

}  // namespace pattern_parts

namespace pattern_parts {

/// Elements from the last op to the first, each with the one before as its argument.
template <class First, class... Later>
constexpr auto elements_of(const First& first, const Later&...) {
  constexpr std::size_t tree = size_of(First{});
  std::array<pattern_element, tree + sizeof...(Later)> all{};
  std::size_t at = sizeof...(Later);
  if constexpr (tree == 1 && !is_nested<First>) {
    all[at].op = id_or_null(first);
  } else {
    builder<tree> b;
    b.append(first);
    for (std::size_t i = 0; i < tree; ++i) all[at + i] = b.element[i];
  }
  ((all[--at] = {id_or_null(Later{}), 1}), ...);
  return all;
}

}  // namespace pattern_parts

/// A pattern as a type.
template <auto... Op>
struct pattern {
  static_assert(sizeof...(Op) > 0, "ctq: a pattern names at least one op");
  static_assert(pattern_parts::begins_with_tree_only(pattern_parts::size_of(Op)...),
                "ctq: nested<...> comes first in a pattern");
  static_assert((0 + ... + pattern_parts::size_of(Op)) <= max_pattern,
                "ctq: a pattern has at most 64 ops");

  static constexpr auto elements = pattern_parts::elements_of(Op...);
  static constexpr pattern_record value{{elements.data(), static_cast<int>(elements.size())}};
};

/// A single op, as in most patterns: a specialization that compiles ten times faster.
template <auto Op>
requires requires { Op.id(); }
struct pattern<Op> {
  static constexpr pattern_element elements[1]{{Op.id(), 0}};
  static constexpr pattern_record value{{elements, 1}};
};

namespace pattern_parts {

/// Satisfied by what a pattern consists of.
template <class Part>
inline constexpr bool is_part = id_or_null(Part{}) != nullptr;
template <>
inline constexpr bool is_part<match_all_t> = true;
template <auto Head, auto... Argument>
inline constexpr bool is_part<nested_t<Head, Argument...>> =
    is_part<std::remove_cvref_t<decltype(Head)>> &&
    (is_part<std::remove_cvref_t<decltype(Argument)>> && ...);

template <class Pattern>
inline constexpr bool names_ops = false;
template <auto... Op>
inline constexpr bool names_ops<pattern<Op...>> = (is_part<std::remove_cvref_t<decltype(Op)>> &&
                                                   ...);

/// Appends the tree at an element in PyTorch's nested form; returns the index of the next one.
template <class Text>
constexpr int append_tree(Text& out, const pattern_record& p, int at) {
  const pattern_element& e = p.element[at++];
  if (e.args > 0) out.append("(");
  out.append(e.op == nullptr ? std::string_view{"MatchAllNode"} : e.op->name);
  for (int a = 0; a < e.args; ++a) {
    out.append(", ");
    at = append_tree(out, p, at);
  }
  if (e.args > 0) out.append(")");
  return at;
}

}  // namespace pattern_parts

/// Whether the pattern is a chain of ops without further arguments.
[[nodiscard]] constexpr bool is_chain(const pattern_record& p) {
  for (const pattern_element& e : p.element)
    if (e.args > 1 || e.op == nullptr) return false;
  return true;
}

/// Appends "(torch.nn.Conv2d, torch.nn.ReLU)" in data flow order, or PyTorch's nested form,
/// "(torch.add, MatchAllNode, torch.nn.Conv2d)", for a tree.
template <class Text>
constexpr void append_pattern(Text& out, const pattern_record& p) {
  if (!is_chain(p) || p.is_single()) {
    pattern_parts::append_tree(out, p, 0);
    return;
  }
  out.append("(");
  for (int i = p.element.size(); i-- > 0;) {
    out.append(p.element[i].op->name);
    if (i > 0) out.append(", ");
  }
  out.append(")");
}

}  // namespace ctq
