// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/text.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "graph_builder.hpp"
#include "user_ops.hpp"

// Random models: convolutions, batch norms and linear layers with residuals, cats, pools, values
// with several or no users, modules that are called twice, and user-defined ops.

class random_model {
 public:
  ///   transposes  has transposed convolutions, whose weights PyTorch quantizes per tensor only
  explicit random_model(unsigned seed, bool transposes = false)
      : seed_(seed), transposes_(transposes), random_(seed) {
    const ctq::shape image{1 + below(2), 1 + below(4), 4 + below(9), 4 + below(9)};
    add_value(builder_.placeholder(image), image);
    const int count = 1 + below(30);
    for (int i = 0; i < count; ++i) grow();
    const auto& last = values_.back();
    builder_.output(last.name);
    graph_ = builder_.link();
    for (const auto& [node, row] : shared_)
      graph_.nodes[static_cast<std::size_t>(find(graph_.view(), node))].row = row;
  }
  random_model(const random_model&) = delete;  // the graph views its names
  random_model& operator=(const random_model&) = delete;
  ~random_model() = default;

  [[nodiscard]] const ctq::dynamic_graph<ctq::stage::traced>& graph() const { return graph_; }
  [[nodiscard]] unsigned seed() const { return seed_; }
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int percent) { return below(100) < percent; }

 private:
  struct value {
    std::string_view name;
    ctq::shape shape;
  };
  /// A module that can be called again.
  struct module {
    std::string_view name;
    ctq::op_id op{};
    ctq::attributes attrs;
    int channels{};  // of its input
  };

  void add_value(std::string_view name, const ctq::shape& s) { values_.push_back({name, s}); }

  /// Usually the latest value, sometimes an earlier one.
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

  /// A module with weights: a second call of an earlier one with matching shape, or a new one.
  template <class Op>
  void emit_module(const Op& op, const value& x, int channels, const typename Op::options& o) {
    for (const module& m : modules_)
      if (m.op == Op::id() && m.channels == channels && chance(15)) return call_again(m, x);
    const ctq::attributes attrs{o};
    add_value(builder_.add(next_name(), op, {x.name}, o), shape_after(Op::id(), attrs, x.shape));
    modules_.push_back({values_.back().name, Op::id(), attrs, channels});
  }

  void call_again(const module& m, const value& x) {
    static constexpr ctq::argument input{.is = ctq::argument::kind::node};
    rows_.push_back({.target = m.name, .args = {&input, 1}});
    add_value(builder_.add(next_name(), m.op, m.attrs, {x.name}),
              shape_after(m.op, m.attrs, x.shape));
    shared_.emplace_back(values_.back().name, &rows_.back());
  }

  static ctq::shape shape_after(ctq::op_id op, const ctq::attributes& attrs, ctq::shape s) {
    if (is_any_of(op, ctq::nn::linear)) {
      s[s.rank - 1] = attrs.as<ctq::linear_options>().out_features;
    } else if (is_any_of(op, ctq::nn::conv1d)) {
      const auto o = attrs.as<ctq::conv2d_options>();
      s[1] = o.out_channels;
      s[2] = (s[2] + 2 * o.padding.w - o.kernel_size.w) / o.stride.w + 1;
    } else if (is_any_of(op, ctq::nn::conv2d)) {
      const auto o = attrs.as<ctq::conv2d_options>();
      s[1] = o.out_channels;
      s[2] = (s[2] + 2 * o.padding.h - o.kernel_size.h) / o.stride.h + 1;
      s[3] = (s[3] + 2 * o.padding.w - o.kernel_size.w) / o.stride.w + 1;
    }
    return s;
  }

  void grow() {
    const value x = pick();
    if (chance(20)) return join(x);
    if (chance(10)) return own_op(x);
    if (chance(5)) return with_number(x);
    if (chance(20)) return relu(x);
    if (chance(6)) return reduce(x);
    if (x.shape.rank >= 2 && chance(4)) return pad(x);
    if (x.shape.rank == 4 && chance(10)) return enlarge(x);
    if (x.shape.rank == 4) return chance(4) ? flatten(x) : spatial(x);
    if (x.shape.rank == 3 && chance(70)) return along_one_axis(x);
    linear(x);
  }

  void relu(const value& x) {
    switch (below(12)) {
      case 0: return emit(ctq::fn::relu, {x.name}, x.shape);
      case 1: return emit(ctq::fn::torch_relu, {x.name}, x.shape);
      case 2: return emit(ctq::method::relu, {x.name}, x.shape);
      case 3: return emit(ctq::nn::identity, {x.name}, x.shape);
      case 4: return emit(ctq::nn::leaky_relu, {x.name}, x.shape, {.negative_slope = 0.25F});
      case 5: return emit(ctq::fn::hardtanh, {x.name}, x.shape, {.min_val = -0.5F});
      case 6: return emit(ctq::nn::relu6, {x.name}, x.shape);
      case 7: return emit(ctq::fn::clamp, {x.name}, x.shape, {.min = 0.25F, .max = 1.0F});
      default: return emit(ctq::nn::relu, {x.name}, x.shape);
    }
  }

  /// The mean of an axis or of all pixels, which x86 has on integers; or the maximum, in float.
  void reduce(const value& x) {
    const bool keep = x.shape.rank == 1 || chance(50);
    ctq::reduction_options o{.dim = {below(x.shape.rank)}, .keepdim = keep};
    if (x.shape.rank == 4 && chance(60)) o.dim = {2, -1};
    ctq::shape s;
    for (int a = 0; a < x.shape.rank; ++a) {
      const bool goes = o.dim.rank == 2 ? a >= 2 : a == o.dim[0];
      if (!goes || keep) s[s.rank++] = goes ? 1 : x.shape[a];
    }
    if (chance(20)) return emit(ctq::fn::amax, {x.name}, s, o);
    chance(50) ? emit(ctq::fn::mean, {x.name}, s, o) : emit(ctq::method::mean, {x.name}, s, o);
  }

  /// Of the last two axes, in float.
  void pad(const value& x) {
    const auto rule = static_cast<ctq::padding_rule>(below(4));
    ctq::shape s = x.shape;
    ctq::shape amounts{1 + below(3), below(2) - 1, below(2), below(2)};
    if (s[s.rank - 1] < 5 || s[s.rank - 2] < 3) return;
    s[s.rank - 1] += amounts[0] + amounts[1];
    s[s.rank - 2] += amounts[2] + amounts[3];
    if (numel(s) > 5000) return;
    emit(ctq::fn::pad, {x.name}, s, {.pad = amounts, .mode = rule, .value = 0.5F});
  }

  void own_op(const value& x) {
    if (chance(50)) return emit(own::swish, {x.name}, x.shape, {0.5F});
    emit(own::reverse, {x.name}, x.shape);
  }

  void linear(const value& x) {
    const int features = x.shape[x.shape.rank - 1];
    emit_module(ctq::nn::linear, x, features, {.out_features = 1 + below(6), .bias = chance(80)});
    if (chance(30)) relu(values_.back());
  }

  void flatten(const value& x) {
    const int rest = x.shape[1] * x.shape[2] * x.shape[3];
    if (chance(50)) return emit(ctq::nn::flatten, {x.name}, {x.shape[0], rest});
    if (chance(50)) return emit(ctq::fn::flatten, {x.name}, {x.shape[0] * rest});
    emit(ctq::fn::flatten, {x.name}, {x.shape[0], x.shape[1], x.shape[2] * x.shape[3]},
         {.start_dim = 2});
  }

  void batch_norm(const value& x) {
    emit_module(ctq::nn::batch_norm2d, x, x.shape[1], {.eps = chance(50) ? 1e-5F : 1e-2F});
  }

  void spatial(const value& x) {
    const bool large = x.shape[2] >= 3 && x.shape[3] >= 3;
    ctq::shape s = x.shape;
    switch (below(large ? 7 : 3)) {
      case 0: return batch_norm(x);
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
    const bool depthwise = chance(20);
    const int kernel = chance(70) ? 3 : 1;
    const int channels = depthwise ? x.shape[1] : 1 + below(5);
    emit_module(ctq::nn::conv2d, x, x.shape[1],
                {.out_channels = channels,
                 .kernel_size = kernel,
                 .stride = chance(80) ? 1 : 2,
                 .padding = kernel / 2,
                 .groups = depthwise ? channels : 1,
                 .bias = chance(70)});
    if (chance(50)) batch_norm(values_.back());
    if (chance(50)) relu(values_.back());
  }

  /// A transposed convolution, an interpolation, or channels that become pixels.
  void enlarge(const value& x) {
    ctq::shape s = x.shape;
    const int kind = below(4);
    if (kind == 0 && s[1] % 4 == 0) {
      s = {s[0], s[1] / 4, 2 * s[2], 2 * s[3]};
      return emit(ctq::nn::pixel_shuffle, {x.name}, s, {2});
    }
    if (kind == 1 && transposes_) {
      const int kernel = 2 + below(2), padding = below(2);
      s[1] = 1 + below(3);
      s[2] = 2 * (s[2] - 1) - 2 * padding + kernel;
      s[3] = 2 * (s[3] - 1) - 2 * padding + kernel;
      if (s[2] < 1 || s[3] < 1 || numel(s) > 5000) return;
      return emit(ctq::nn::conv_transpose2d, {x.name}, s,
                  {.out_channels = s[1], .kernel_size = kernel, .stride = 2, .padding = padding});
    }
    s[2] = 1 + below(12);
    s[3] = 1 + below(12);
    emit(ctq::fn::interpolate, {x.name}, s,
         {.size = {s[2], s[3]},
          .mode = chance(50) ? ctq::interpolation::nearest : ctq::interpolation::bilinear,
          .align_corners = false});
  }

  /// Of [N, C, L].
  void along_one_axis(const value& x) {
    ctq::shape s = x.shape;
    switch (below(4)) {
      case 0:
        if (s[2] < 2) return;
        s[2] /= 2;
        return chance(50) ? emit(ctq::nn::max_pool1d, {x.name}, s, {.kernel_size = 2})
                          : emit(ctq::fn::avg_pool1d, {x.name}, s, {.kernel_size = 2});
      case 1: s[2] = 1 + below(6); return emit(ctq::nn::adaptive_avg_pool1d, {x.name}, s, {s[2]});
      case 2:
        if (!transposes_ || numel(s) > 2500) return;
        s = {s[0], 1 + below(4), 2 * s[2] + 1};
        return emit(ctq::nn::conv_transpose1d, {x.name}, s,
                    {.out_channels = s[1], .kernel_size = 3, .stride = 2});
      default:
        emit_module(ctq::nn::conv1d, x, s[1],
                    {.out_channels = 1 + below(5), .kernel_size = 3, .padding = 1});
        if (chance(50)) relu(values_.back());
    }
  }

  /// A sum with a number, or a product, as an operator and as a function.
  void with_number(const value& x) {
    const float numbers[] = {0.5F, -0.25F, 2.0F, -1.5F, 0.0F};
    const ctq::op_id ops[] = {ctq::op::add.id(), ctq::fn::add.id(), ctq::op::mul.id(),
                              ctq::fn::mul.id(), ctq::op::sub.id(), ctq::op::truediv.id()};
    const int which = below(6);
    const bool divides = which == 5;  // by a number that is not zero
    const ctq::op_id op = ops[which];
    const ctq::attributes number{
        ctq::scalar_operand{numbers[below(divides ? 4 : 5)], divides ? 2 : 1 + below(2)}};
    add_value(builder_.add(next_name(), op, number, {x.name}), x.shape);
    if (chance(30)) relu(values_.back());
  }

  /// As squeeze and excitation: the mean of each channel scales it, or is added to it. Or a value
  /// with some extents of 1.
  void broadcast(const value& x) {
    value other = x;
    if (x.shape.rank == 4) {
      other.shape[2] = other.shape[3] = 1;
      emit(ctq::nn::adaptive_avg_pool2d, {x.name}, other.shape, {1});
      if (chance(50))
        emit_module(ctq::nn::conv2d, values_.back(), x.shape[1],
                    {.out_channels = chance(80) ? x.shape[1] : 1, .kernel_size = 1});
    } else {
      emit_module(ctq::nn::linear, x, x.shape[x.shape.rank - 1], {.out_features = 1});
    }
    other = values_.back();
    // A module that is called again may have other channels.
    for (int i = 0; i < x.shape.rank; ++i)
      if (other.shape[i] != 1 && other.shape[i] != x.shape[i]) return;
    if (chance(30)) return emit(ctq::op::add, {x.name, other.name}, x.shape);
    if (chance(20)) return emit(ctq::op::sub, {other.name, x.name}, x.shape);
    if (chance(50)) return emit(ctq::fn::mul, {x.name, other.name}, x.shape);
    emit(ctq::op::mul, {other.name, x.name}, x.shape);
  }

  /// An add or a cat with other values of matching shape.
  void join(const value& x) {
    if (chance(25)) return broadcast(x);
    std::vector<std::string_view> fitting;
    for (const value& v : values_)
      if (v.shape == x.shape) fitting.push_back(v.name);
    const std::string_view other =
        fitting[static_cast<std::size_t>(below(static_cast<int>(fitting.size())))];
    if (chance(40)) return emit(ctq::op::add, {x.name, other}, x.shape);
    if (chance(30)) return emit(ctq::fn::add, {other, x.name}, x.shape);
    if (chance(20)) return emit(ctq::op::mul, {x.name, other}, x.shape);
    if (chance(20)) return emit(own::add_swish, {x.name, other}, x.shape);
    const int dim = below(x.shape.rank);
    std::vector<std::string_view> inputs{x.name, other};
    if (chance(30)) inputs.push_back(fitting.front());
    ctq::shape s = x.shape;
    s[dim] *= static_cast<int>(inputs.size());
    if (numel(s) > 5000) return;
    emit(ctq::fn::cat, inputs, s, {chance(50) ? dim : dim - x.shape.rank});
  }

  unsigned seed_;
  bool transposes_;
  std::mt19937 random_;
  graph_builder builder_;
  std::vector<value> values_;
  std::vector<module> modules_;
  std::deque<ctq::fx_row> rows_;  // a deque: nodes point to them
  std::vector<std::pair<std::string_view, const ctq::fx_row*>> shared_;
  int number_ = 0;
  ctq::dynamic_graph<ctq::stage::traced> graph_;
};

/// The first seed of this run: CTQ_SEED in the environment, or random.
inline unsigned first_seed() {
  static const unsigned seed = [] {
    const char* const text = std::getenv("CTQ_SEED");
    return text == nullptr ? std::random_device{}()
                           : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
  }();
  return seed;
}

/// How many random models a test looks at: `usual`, or at most CTQ_MODELS in the environment, as
/// with sanitizers, which take ten times as long.
inline unsigned model_count(unsigned usual) {
  const char* const text = std::getenv("CTQ_MODELS");
  return text == nullptr ? usual
                         : std::min(usual, static_cast<unsigned>(std::strtoul(text, nullptr, 10)));
}

/// One line per node: "layer0.op1 = torch.nn.Conv2d(x) [1, 3, 8, 8]".
inline std::string print(const random_model& m) {
  const auto g = m.graph().view();
  std::string out;
  for (int i = 0; i < g.size(); ++i) {
    ctq::append_all(out, path_of(g[i]), path_of(g[i]) == g[i].name ? "" : " again", " = ");
    ctq::append_all(out, g[i].op->name, "(");
    for (int a = 0; a < g[i].arg_count; ++a)
      ctq::append_all(out, a > 0 ? ", " : "", g.arg(i, a).name);
    out += ") [";
    for (int axis = 0; axis < g[i].shape.rank; ++axis)
      ctq::append_all(out, axis > 0 ? ", " : "", g[i].shape[axis]);
    out += "]\n";
  }
  return out;
}

/// Checks model_count(usual) random models with consecutive seeds from first_seed() on. The first
/// failure fails the test and prints the graph and how to reproduce it.
///  trouble_of(model)  the error, or empty
///  transposes  as random_model's
template <class TroubleOf>
void check_random_models(unsigned usual, TroubleOf trouble_of, bool transposes = false) {
  const unsigned count = model_count(usual);
  const unsigned first = first_seed();
  MESSAGE(count, " random models, CTQ_SEED=", first);
  for (unsigned i = 0; i < count; ++i) {
    random_model m(first + i, transposes);
    std::string trouble{m.graph().problem.message()};
    if (trouble.empty()) trouble = trouble_of(m);
    if (trouble.empty()) continue;
    FAIL(trouble, "\n", print(m), "To make it again: CTQ_SEED=", m.seed());
  }
}
