// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "ctq/core/ops.hpp"
#include "graph_builder.hpp"
#include "own_ops.hpp"

// Random models: convolutions and linear layers with residuals, cats and dead ends, and ops of the
// user's own between them.

/// Where the seeds of a test begin: CTQ_SEED of the environment, or 0, so that each run is the
/// same.
inline unsigned first_seed() {
  const char* const text = std::getenv("CTQ_SEED");
  return text == nullptr ? 0U : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

class random_model {
 public:
  explicit random_model(unsigned seed) : random_(seed) {
    const ctq::shape image{1 + below(2), 1 + below(4), 4 + below(9), 4 + below(9)};
    add_value(builder_.placeholder(image), image);
    const int count = 1 + below(30);
    for (int i = 0; i < count; ++i) grow();
    const auto& last = values_.back();
    builder_.output(last.name);
    graph_ = builder_.link();
  }

  [[nodiscard]] const ctq::dynamic_graph<ctq::stage::traced>& graph() const { return graph_; }
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int percent) { return below(100) < percent; }

 private:
  struct value {
    std::string_view name;
    ctq::shape shape;
  };

  void add_value(std::string_view name, const ctq::shape& s) { values_.push_back({name, s}); }

  /// The latest value mostly, an earlier one at times.
  value pick() {
    const auto n = static_cast<int>(values_.size());
    return values_[static_cast<std::size_t>(chance(75) ? n - 1 : below(n))];
  }

  std::string next_name() {
    const int n = number_++;
    return "layer" + std::to_string(n / 5) + ".op" + std::to_string(n);
  }

  template <class Op>
  void emit(const Op& op, const std::vector<std::string_view>& args, const ctq::shape& s,
            const typename Op::options& o = {}) {
    add_value(builder_.add(next_name(), op, args, o), s);
  }

  void grow() {
    const value x = pick();
    if (chance(20)) return join(x);
    if (chance(10)) return own_op(x);
    if (chance(20))
      return chance(50) ? emit(ctq::nn::relu, {x.name}, x.shape)
                        : emit(ctq::fn::relu, {x.name}, x.shape);
    if (x.shape.rank == 4) return chance(4) ? flatten(x) : spatial(x);
    linear(x);
  }

  void own_op(const value& x) {
    if (chance(50)) return emit(own::swish, {x.name}, x.shape, {0.5F});
    emit(own::reverse, {x.name}, x.shape);
  }

  void linear(const value& x) {
    ctq::shape s = x.shape;
    s[s.rank - 1] = 1 + below(6);
    emit(ctq::nn::linear, {x.name}, s, {.out_features = s[s.rank - 1]});
  }

  void flatten(const value& x) {
    const int rest = x.shape[1] * x.shape[2] * x.shape[3];
    if (chance(50)) return emit(ctq::nn::flatten, {x.name}, {x.shape[0], rest});
    if (chance(50)) return emit(ctq::fn::flatten, {x.name}, {x.shape[0] * rest});
    emit(ctq::fn::flatten, {x.name}, {x.shape[0], x.shape[1], x.shape[2] * x.shape[3]},
         {.start_dim = 2});
  }

  void spatial(const value& x) {
    const bool large = x.shape[2] >= 3 && x.shape[3] >= 3;
    ctq::shape s = x.shape;
    switch (below(large ? 7 : 3)) {
      case 0: return emit(ctq::nn::batch_norm2d, {x.name}, s);
      case 1:
        s[2] = s[3] = 1 + below(2);
        return emit(ctq::nn::adaptive_avg_pool2d, {x.name}, s, {s[2]});
      case 2: return linear(x);
      case 3:
        s[2] = (s[2] - 2) / 2 + 1;
        s[3] = (s[3] - 2) / 2 + 1;
        return chance(50) ? emit(ctq::nn::max_pool2d, {x.name}, s, {.kernel_size = 2})
                          : emit(ctq::fn::avg_pool2d, {x.name}, s, {.kernel_size = 2});
      case 4:
        return emit(ctq::fn::max_pool2d, {x.name}, s,
                    {.kernel_size = 3, .stride = 1, .padding = 1});
      default: return conv(x);
    }
  }

  void conv(const value& x) {
    ctq::shape s = x.shape;
    const bool depthwise = chance(20);
    s[1] = depthwise ? s[1] : 1 + below(5);
    emit(ctq::nn::conv2d, {x.name}, s,
         {.out_channels = s[1], .kernel_size = 3, .padding = 1, .groups = depthwise ? s[1] : 1});
    if (chance(50)) emit(ctq::nn::batch_norm2d, {values_.back().name}, s);
    if (chance(50)) emit(ctq::nn::relu, {values_.back().name}, s);
  }

  /// An add or a cat with other values of a shape that fits.
  void join(const value& x) {
    std::vector<std::string_view> fitting;
    for (const value& v : values_)
      if (v.shape == x.shape) fitting.push_back(v.name);
    const std::string_view other =
        fitting[static_cast<std::size_t>(below(static_cast<int>(fitting.size())))];
    if (chance(40)) return emit(ctq::op::add, {x.name, other}, x.shape);
    if (chance(30)) return emit(ctq::fn::add, {other, x.name}, x.shape);
    if (chance(20)) return emit(own::add_swish, {x.name, other}, x.shape);
    const int dim = below(x.shape.rank);
    std::vector<std::string_view> inputs{x.name, other};
    if (chance(30)) inputs.push_back(fitting.front());
    ctq::shape s = x.shape;
    s[dim] *= static_cast<int>(inputs.size());
    if (numel(s) > 5000) return;
    emit(ctq::fn::cat, inputs, s, {chance(50) ? dim : dim - x.shape.rank});
  }

  std::mt19937 random_;
  graph_builder builder_;
  std::vector<value> values_;
  int number_ = 0;
  ctq::dynamic_graph<ctq::stage::traced> graph_;
};
