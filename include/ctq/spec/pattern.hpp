// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/op.hpp"
#include "ctq/core/static_vector.hpp"

// Which ops, in which arrangement, a backend can run as one.
//
//   pattern<nn::linear>                              one op
//   pattern<nn::conv2d, nn::batch_norm2d, nn::relu>  a chain, in the order the data flows
//   pattern<nested<op::add, match_all, nested<nn::batch_norm2d, nn::conv2d>>, nn::relu>
//                                                    a tree, an op and what its arguments are, that
//                                                    a chain may begin with

namespace ctq {

inline constexpr std::size_t max_pattern = 16;

/// One op of a pattern. op: nullptr matches anything. args: how many of the following subtrees are
/// its arguments; 0 says nothing about them.
struct pattern_element {
  op_id op{};
  int args{};

  friend constexpr bool operator==(const pattern_element&, const pattern_element&) = default;
};

/// A pattern as a tree in pre-order, the op nearest the output first.
struct pattern_record {
  static_vector<pattern_element, max_pattern> element;

  [[nodiscard]] constexpr bool is_single() const { return element.size() == 1; }
  [[nodiscard]] constexpr op_id anchor() const { return element[0].op; }

  friend constexpr bool operator==(const pattern_record&, const pattern_record&) = default;
};

struct match_all_t {};
/// Matches any argument, also one that is no op at all.
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

constexpr void append(pattern_record& r, match_all_t) { r.element.push_back({nullptr, 0}); }

template <class Op>
constexpr void append(pattern_record& r, const Op&) {
  r.element.push_back({Op::id(), 0});
}

template <auto Head, auto... Argument>
constexpr void append(pattern_record& r, const nested_t<Head, Argument...>&) {
  append(r, Head);
  r.element[r.element.size() - 1].args = sizeof...(Argument);
  (append(r, Argument), ...);
}

template <class Op>
constexpr pattern_record part_of(const Op& op) {
  pattern_record r;
  append(r, op);
  return r;
}

/// Only the first part of a chain can be a tree: it is what all later ones read.
template <class... Size>
constexpr bool begins_with_tree_only(std::size_t, Size... later) {
  return ((later == 1) && ...);
}

}  // namespace pattern_parts

template <auto... Op>
struct pattern {
  static_assert(sizeof...(Op) > 0, "ctq: a pattern names at least one op");
  static_assert(pattern_parts::begins_with_tree_only(pattern_parts::size_of(Op)...),
                "ctq: nested<...> comes first in a pattern");
  static_assert((0 + ... + pattern_parts::size_of(Op)) <= max_pattern,
                "ctq: a pattern has at most 16 ops");

  static constexpr pattern_record value = [] {
    const pattern_record parts[] = {pattern_parts::part_of(Op)...};
    pattern_record r;  // the last op first, each with the one before as its argument
    for (std::size_t i = sizeof...(Op); i-- > 0;) {
      const std::size_t head = r.element.size();
      for (const pattern_element& e : parts[i].element) r.element.push_back(e);
      if (i > 0) r.element[head].args = 1;
    }
    return r;
  }();
};

namespace pattern_parts {

/// Appends the tree at an element in PyTorch's nested form; returns where the next one begins.
template <class Text>
constexpr std::size_t append_tree(Text& out, const pattern_record& p, std::size_t at) {
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

/// Appends "(torch.nn.Conv2d, torch.nn.ReLU)" in the order the data flows, or the nested form of
/// PyTorch, "(torch.add, MatchAllNode, torch.nn.Conv2d)", for a tree.
template <class Text>
constexpr void append_pattern(Text& out, const pattern_record& p) {
  bool chain = true;
  for (const pattern_element& e : p.element) chain = chain && e.args <= 1;
  if (!chain || p.is_single()) {
    pattern_parts::append_tree(out, p, 0);
    return;
  }
  out.append("(");
  for (std::size_t i = p.element.size(); i-- > 0;) {
    const op_id op = p.element[i].op;
    out.append(op == nullptr ? std::string_view{"MatchAllNode"} : op->name);
    if (i > 0) out.append(", ");
  }
  out.append(")");
}

}  // namespace ctq
