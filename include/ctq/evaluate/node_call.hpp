// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/evaluate/float_ops/arguments.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/ops/builtin_ops.hpp"

// The Python call that a node stands for: its arguments with the values that were computed for the
// nodes among them.

namespace ctq {

namespace calling {

class argument_reader {
 public:
  argument_reader(view<argument> args, const std::vector<float_ops::value>& reads)
      : args_(args), reads_(reads) {}

  [[nodiscard]] bool more() const { return at_ < args_.size(); }
  [[nodiscard]] std::string_view keyword() const { return args_[at_].keyword; }
  /// How many of the nodes were read.
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
      case argument::kind::list: break;
    }
    float_ops::list items;
    for (std::int64_t i = 0; i < a.integer; ++i) items.push_back(next());
    return items;
  }

 private:
  view<argument> args_;
  const std::vector<float_ops::value>& reads_;
  int at_ = 0;
  std::size_t used_ = 0;
};

/// The options of ops of a model written in C++, as far as it can call them.
inline void append_options(const node& n, std::vector<float_ops::named_value>& to) {
  const auto pair = [](extent2d e) { return float_ops::list{e.h, e.w}; };
  const auto add = [&to](const char* name, float_ops::value v) {
    to.push_back({name, std::move(v)});
  };
  const auto add_window = [&](const auto& o) {
    add("kernel_size", pair(o.kernel_size));
    if (o.stride.h != 0) add("stride", pair(o.stride));
    add("padding", pair(o.padding));
  };
  if (is_any_of(n.op, nn::conv2d, nni::conv_relu2d, q::conv2d, q::conv_relu2d)) {
    const auto o = n.attrs.as<conv2d_options>();
    add_window(o);
    add("dilation", pair(o.dilation));
    add("groups", o.groups);
  } else if (is_any_of(n.op, nn::batch_norm2d, nni::bn_relu2d)) {
    add("eps", n.attrs.as<batch_norm2d_options>().eps);
  } else if (is_any_of(n.op, nn::max_pool2d, fn::max_pool2d)) {
    const auto o = n.attrs.as<max_pool2d_options>();
    add_window(o);
    add("dilation", pair(o.dilation));
    add("ceil_mode", static_cast<bool>(o.ceil_mode));
  } else if (is_any_of(n.op, nn::avg_pool2d, fn::avg_pool2d)) {
    const auto o = n.attrs.as<avg_pool2d_options>();
    add_window(o);
    add("ceil_mode", static_cast<bool>(o.ceil_mode));
    add("count_include_pad", static_cast<bool>(o.count_include_pad));
  } else if (is_any_of(n.op, nn::adaptive_avg_pool2d, fn::adaptive_avg_pool2d)) {
    add("output_size", pair(n.attrs.as<adaptive_avg_pool2d_options>().output_size));
  } else if (is_any_of(n.op, nn::flatten, fn::flatten)) {
    const auto o = n.attrs.as<flatten_options>();
    add("start_dim", o.start_dim);
    add("end_dim", o.end_dim);
  } else if (is_any_of(n.op, fn::cat)) {
    add("dim", n.attrs.as<cat_options>().dim);
  } else if (is_any_of(n.op, nn::leaky_relu, fn::leaky_relu)) {
    add("negative_slope", n.attrs.as<leaky_relu_options>().negative_slope);
  } else if (is_any_of(n.op, nn::elu, fn::elu)) {
    add("alpha", n.attrs.as<elu_options>().alpha);
  } else if (is_any_of(n.op, nn::hardtanh, fn::hardtanh)) {
    const auto o = n.attrs.as<hardtanh_options>();
    add("min_val", o.min_val);
    add("max_val", o.max_val);
  } else if (is_any_of(n.op, fn::clamp, method::clamp)) {
    const auto o = n.attrs.as<clamp_options>();
    add("min", o.min);
    add("max", o.max);
  }
}

}  // namespace calling

/// The call of a node that reads these values, one for each of its arguments.
[[nodiscard]] inline float_ops::python_call call_of(const node& n,
                                                    std::vector<float_ops::value> reads) {
  float_ops::python_call c;
  if (n.row == nullptr) {
    if (is_any_of(n.op, fn::cat))
      c.positional.push_back(float_ops::list(reads.begin(), reads.end()));
    else
      c.positional = std::move(reads);
    // An integer op that was a module has its options as the module had.
    const bool is_module = n.op->kind == op_kind::module || n.op->kind == op_kind::pass;
    calling::append_options(n, is_module ? c.attributes : c.keywords);
    return c;
  }
  calling::argument_reader args(n.row->args, reads);
  while (args.more()) {
    const std::string keyword(args.keyword());
    if (keyword.empty())
      c.positional.push_back(args.next());
    else
      c.keywords.push_back({keyword, args.next()});
  }
  // What fusion has appended to the arguments stands behind them.
  for (std::size_t i = args.used(); i < reads.size(); ++i) c.positional.push_back(reads[i]);
  return c;
}

}  // namespace ctq
