// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/arguments.hpp"
#include "ctq/evaluate/float_ops/call.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/ops/in_float/along_axes.hpp"
#include "ctq/ops/in_float/indexing.hpp"
#include "ctq/ops/reflect.hpp"

// The Python call of a node: its arguments, with the computed values of the nodes among them.

namespace ctq {

namespace calling {

/// A tuple with numbers in place of its items, which are appended to `items`.
inline float_ops::value numbered(const node_value& v, std::vector<node_value>& items) {
  if (v.items() == nullptr) {
    items.push_back(v);
    return static_cast<std::int64_t>(items.size() - 1);
  }
  float_ops::list numbers;
  for (const node_value& item : *v.items()) numbers.push_back(numbered(item, items));
  return numbers;
}

inline node_value restored(const float_ops::value& number, const std::vector<node_value>& items) {
  if (const auto* i = number.get_if<std::int64_t>()) return items[static_cast<std::size_t>(*i)];
  std::vector<node_value> all;
  for (const float_ops::value& v : *number.get_if<float_ops::list>())
    all.push_back(restored(v, items));
  return all;
}

class argument_reader {
 public:
  argument_reader(view<argument> args, const std::vector<float_ops::value>& reads)
      : args_(args), reads_(reads) {}

  [[nodiscard]] bool more() const { return at_ < args_.size(); }
  [[nodiscard]] std::string_view keyword() const { return args_[at_].keyword; }
  [[nodiscard]] bool is_flag() const { return args_[at_].is == argument::kind::boolean; }
  /// The number of nodes that were read.
  [[nodiscard]] std::size_t used() const { return used_; }

  float_ops::value next() {
    const argument& a = args_[at_++];
    switch (a.is) {
      case argument::kind::node: return reads_[used_++];
      case argument::kind::none: return {};
      case argument::kind::boolean: return a.integer != 0;
      case argument::kind::integer: return a.integer;
      case argument::kind::real: return a.real;
      case argument::kind::text: return a.text;
      case argument::kind::ellipsis: return float_ops::ellipsis{};
      case argument::kind::list:
      case argument::kind::slice:
      case argument::kind::dict: break;  // its values: only outputs are dicts
    }
    float_ops::list items;
    for (std::int64_t i = 0; i < a.integer; ++i) items.push_back(next());
    return a.is == argument::kind::slice ? sliced(items) : items;
  }

 private:
  /// A slice; one that is not made of integers and None is not an index, and stays a list.
  static float_ops::value sliced(const float_ops::list& bounds) {
    for (const float_ops::value& b : bounds)
      if (!b.is<float_ops::none>() && !float_ops::as_integer(b)) return bounds;
    return float_ops::slice{float_ops::as_integer(bounds[0]), float_ops::as_integer(bounds[1]),
                            float_ops::as_integer(bounds[2])};
  }

  view<argument> args_;
  const std::vector<float_ops::value>& reads_;
  int at_ = 0;
  std::size_t used_ = 0;
};

/// The options of a node of a model written in C++.
inline void append_options(const node& n, std::vector<float_ops::named_value>& to) {
  for (const option_field& f : options_of(n.op).fields)
    to.push_back({std::string(f.name), float_ops::python_value(n.attrs, f)});
}

}  // namespace calling

/// The call of a node with these values, one per argument.
[[nodiscard]] inline float_ops::python_call call_of(const node& n,
                                                    std::vector<float_ops::value> reads) {
  float_ops::python_call c;
  if (n.row == nullptr) {
    const bool has_weight = n.op->descriptor->weight_position > 0;
    if (n.op->descriptor->takes_list)
      c.positional.push_back(float_ops::list(reads.begin(), reads.end()));
    else
      c.positional = std::move(reads);
    // Weight and bias come after other arguments.
    for (; has_weight && c.positional.size() > 1; c.positional.pop_back())
      c.keywords.push_back(
          {c.positional.size() == 2 ? "weight" : "bias", std::move(c.positional.back())});
    if (const std::string_view last = name_of_indices(n.op);
        !last.empty() && c.positional.size() == 2) {
      c.keywords.push_back({std::string(last), std::move(c.positional.back())});
      c.positional.pop_back();
    }
    const auto number = n.attrs.as<scalar_operand>();
    if (n.op->descriptor->schedule.with_number != nullptr && c.positional.size() == 1 &&
        number.position > 0) {
      c.positional.insert(c.positional.begin() + (number.position - 1),
                          float_ops::value(static_cast<double>(number.value)));
      return c;
    }
    // An integer op that was a module has its options as the module had.
    const bool is_module =
        n.op->kind == op_kind::module || (n.op->kind == op_kind::pass && !has_weight);
    calling::append_options(n, is_module ? c.attributes : c.keywords);
    return c;
  }
  calling::argument_reader args(n.row->args, reads);
  while (args.more()) {
    std::string keyword(args.keyword());
    if (keyword.empty() && c.positional.size() == 1 && args.is_flag())
      keyword = name_of_flag_for_axes(n.op);
    if (keyword.empty())
      c.positional.push_back(args.next());
    else
      c.keywords.push_back({keyword, args.next()});
  }
  // Arguments that fusion has appended come last.
  for (std::size_t i = args.used(); i < reads.size(); ++i) c.positional.push_back(reads[i]);
  return c;
}

/// The item that a getitem takes out of a tuple; integers stay integers.
/// Errors  as the float op
[[nodiscard]] inline result<node_value> item_of(const node& n, const node_value& tuple) {
  std::vector<node_value> items;
  const float_ops::value numbers = calling::numbered(tuple, items);
  const auto item = float_ops::call(n.op, call_of(n, {numbers}));
  if (!item) return unexpected{item.error()};
  return calling::restored(*item, items);
}

/// What an output node returns: a value, or a tuple or dict of several.
[[nodiscard]] inline result<node_value> output_of(const node& n,
                                                  const std::vector<node_value>& reads) {
  const bool one = n.row == nullptr
                       ? reads.size() == 1
                       : n.row->args.size() == 1 && n.row->args[0].is == argument::kind::node;
  if (one) return reads[0];
  if (n.row == nullptr) {
    const std::vector<float_ops::value> all = real_values(reads);
    return node_value(float_ops::list(all.begin(), all.end()));
  }
  return node_value(call_of(n, real_values(reads)).positional[0]);
}

}  // namespace ctq
