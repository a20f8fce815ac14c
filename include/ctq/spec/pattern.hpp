// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/op.hpp"
#include "ctq/core/static_vector.hpp"

// Which ops, in which arrangement, a backend can run as one.
//
//   pattern<nn::linear>                              one op
//   pattern<nn::conv2d, nn::batch_norm2d, nn::relu>  a chain, in the order the data flows
//   pattern<nested<nn::relu, nested<op::add, match_all, nested<nn::batch_norm2d, nn::conv2d>>>>
//                                                    a tree: an op, then what its arguments are

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

}  // namespace pattern_parts

template <auto... Op>
struct pattern {
  static_assert(sizeof...(Op) > 0, "ctq: a pattern names at least one op");
  static_assert(sizeof...(Op) <= max_pattern, "ctq: a pattern has at most 16 ops");

  static constexpr pattern_record value = [] {
    pattern_record forward;
    (pattern_parts::append(forward, Op), ...);
    if constexpr (sizeof...(Op) == 1) return forward;
    pattern_record r;  // the last op first, each with the one before as its argument
    for (std::size_t i = forward.element.size(); i-- > 0;)
      r.element.push_back({forward.element[i].op, i > 0 ? 1 : 0});
    return r;
  }();
};

/// Appends "(torch.nn.Conv2d, torch.nn.ReLU)", or the nested form of PyTorch for a tree.
template <class Text>
constexpr void append_pattern(Text& out, const pattern_record& p) {
  const auto name = [](const pattern_element& e) {
    return e.op == nullptr ? std::string_view{"MatchAllNode"} : e.op->name;
  };
  if (p.is_single()) {
    out.append(name(p.element[0]));
    return;
  }
  bool chain = true;
  for (const pattern_element& e : p.element) chain = chain && e.args <= 1;
  out.append("(");
  if (chain) {
    for (std::size_t i = p.element.size(); i-- > 0;) {
      out.append(name(p.element[i]));
      if (i > 0) out.append(", ");
    }
  } else {
    static_vector<int, max_pattern> open;  // arguments still to come, for each open bracket
    for (std::size_t i = 0; i < p.element.size(); ++i) {
      const pattern_element& e = p.element[i];
      if (i > 0) out.append(", ");
      if (i > 0 && e.args > 0) out.append("(");
      out.append(name(e));
      if (i > 0) {
        if (e.args > 0) open.push_back(e.args);
        else
          while (!open.empty() && --open[open.size() - 1] == 0) {
            out.append(")");
            --open.count;
          }
      }
    }
  }
  out.append(")");
}

}  // namespace ctq
