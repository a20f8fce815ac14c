// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/observers/any_fake_quantize.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/runtime/weights.hpp"
#include "ctq/spec/qconfig_mapping.hpp"
#include "ctq/train/layer.hpp"
#include "ctq/train/node_state.hpp"
#include "ctq/train/op_gradients.hpp"
#include "ctq/train/parameter_view.hpp"
#include "ctq/train/random.hpp"
#include "ctq/train/trained_tensor.hpp"

// A prepared graph in training: forward over a batch, node by node, keeping all values; backward in
// the opposite order. Observers of the plan are fake quantizes here, weights are rounded in layers.

namespace ctq::training {

template <class Isa>
class training_graph {
 public:
  ///   seed  the seed of dropout
  /// Requires  check_trainable finds nothing; w has the tensors of the model
  training_graph(graph_view<stage::prepared> g, const mapping_view& mapping, const weights& w,
                 ctq::semantics s, std::uint64_t seed)
      : g_(g), semantics_(s), random_(seed), nodes_(static_cast<std::size_t>(g.size())) {
    fake_quantizes_.resize(static_cast<std::size_t>(g.observers));
    for (int i = 0; i < g.size(); ++i) add(i, mapping, w);
  }

  /// The output for a batch, in the order of its samples; kept until the next forward.
  ///   images  contiguous samples, each of the shape of the placeholder
  /// Errors  no samples, or a part of one; as fake quantizes and batch norms, with the node
  [[nodiscard]] result<span<const float>> forward(span<const float> images) {
    const std::size_t sample = numel(g_[0].shape);
    if (images.empty() || images.size() % sample != 0)
      return fail(place_of(g_[0]), std::to_string(images.size()) + " values, one sample has " +
                                       std::to_string(sample));
    const auto batch = static_cast<int>(images.size() / sample);
    has_forward_ = false;
    for (int i = 0; i < g_.size(); ++i) {
      state& s = at(i);
      s.shape = g_[i].shape;
      s.shape[0] *= batch;
      s.value.resize(numel(s.shape));
      if (i == 0) {
        std::copy(images.begin(), images.end(), s.value.begin());
        continue;
      }
      const status computed =
          is_fake_quantize(i) ? fake_quantize(i) : apply(node_at(i), mode_, random_);
      if (!computed)
        return fail(place_of(g_[i]) + ", " + computed.error().place, computed.error().cause);
    }
    has_forward_ = true;
    return span<const float>(nodes_.back().value);
  }

  /// Adds the gradients of all parameters for the last forward, given that of its output.
  /// Errors  a gradient of another size; no forward before
  [[nodiscard]] status backward(span<const float> grad_out) {
    if (!has_forward_ || grad_out.size() != nodes_.back().value.size())
      return fail("backward", "is for the output of the last forward");
    for (state& s : nodes_) s.has_gradient = false;
    std::copy(grad_out.begin(), grad_out.end(), nodes_.back().writable_gradient());
    for (int i = g_.size() - 1; i > 0; --i) {
      if (!at(i).has_gradient) continue;
      const status passed =
          is_fake_quantize(i) ? fake_quantize_gradient(i) : add_gradient(node_at(i));
      if (!passed) return fail(place_of(g_[i]) + ", " + passed.error().place, passed.error().cause);
      for (learned& l : learned_)
        if (l.is_weight && l.node == i) add_learned(l, at(i).layer->qparams_gradients());
    }
    return done{};
  }

  void zero_gradients() {
    for_each_tensor([](trained_tensor& t, bool) { std::ranges::fill(t.gradient, 0.0F); });
    for (learned& l : learned_) {
      std::ranges::fill(l.scale, 0.0F);
      std::ranges::fill(l.zero_point, 0.0F);
    }
  }

  /// The parameters that an optimizer changes, in the order of the nodes: weight, bias, gamma and
  /// beta of each layer; then scales and zero points of the fake quantizes that learn.
  [[nodiscard]] std::vector<parameter_view> parameters() {
    std::vector<parameter_view> all;
    for_each_tensor([&](trained_tensor& t, bool is_statistic) {
      if (!is_statistic) all.push_back({t.name, t.value, t.gradient});
    });
    for (learned& l : learned_) {
      auto* const f = fake_quantize_of(l)->template get_if<observers::learnable_fake_quantize>();
      if (!f->learning_enabled()) continue;
      l.scale.resize(f->scale().size());
      l.zero_point.resize(f->zero_point().size());
      all.push_back({l.name_of_scale, f->scale(), l.scale});
      all.push_back({l.name_of_zero_point, f->zero_point(), l.zero_point});
    }
    return all;
  }

  /// Calls visit(tensor, whether it is a running statistic) for each tensor of the state_dict.
  template <class Visit>
  void for_each_tensor(Visit visit) {
    const auto of_norm = [&](trained_norm& n) {
      visit(n.gamma(), false);
      visit(n.beta(), false);
      visit(n.running_mean(), true);
      visit(n.running_variance(), true);
    };
    for (state& s : nodes_) {
      if (s.layer) {
        visit(s.layer->weight(), false);
        if (s.layer->bias()) visit(*s.layer->bias(), false);
        if (s.layer->norm()) of_norm(*s.layer->norm());
      }
      if (s.norm) of_norm(*s.norm);
    }
  }

  /// Calls visit(fake quantize) for those of activations and of weights.
  template <class Visit>
  void for_each_fake_quantize(Visit visit) {
    for (auto& f : fake_quantizes_)
      if (f) visit(*f);
    for (state& s : nodes_)
      if (s.layer && s.layer->fake_quantize()) visit(*s.layer->fake_quantize());
  }

  /// Whether it was moved from.
  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  [[nodiscard]] training_mode& mode() { return mode_; }

  /// By number: qparams #i of explain are those of fake quantize i.
  [[nodiscard]] span<const std::optional<observers::any_fake_quantize>> fake_quantizes() const {
    return fake_quantizes_;
  }
  /// The layer of a node, or null.
  [[nodiscard]] training::layer<Isa>* layer_of(int node) {
    return at(node).layer ? &*at(node).layer : nullptr;
  }
  [[nodiscard]] graph_view<stage::prepared> graph() const { return g_; }
  [[nodiscard]] ctq::semantics semantics() const { return semantics_; }

 private:
  using state = node_state<Isa>;

  /// A fake quantize that may learn, and the gradients of its parameters.
  struct learned {
    int node{};
    bool is_weight{};
    std::string name_of_scale, name_of_zero_point;
    std::vector<float> scale{}, zero_point{};
  };

  [[nodiscard]] state& at(int i) { return nodes_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool is_fake_quantize(int i) const {
    return is_any_of(g_[i].op, q::activation_post_process);
  }
  [[nodiscard]] state& arg(int i, int which) { return at(g_.args_of(i)[which]); }
  [[nodiscard]] observers::any_fake_quantize* fake_quantize_of(const learned& l) {
    if (l.is_weight) return &*at(l.node).layer->fake_quantize();
    return &*fake_quantizes_[static_cast<std::size_t>(g_[l.node].observer)];
  }

  void add(int i, const mapping_view& mapping, const weights& w) {
    const node& n = g_[i];
    state& s = at(i);
    for (int a = 0; a < n.arg_count; ++a) s.needs_gradient |= arg(i, a).needs_gradient;
    if (is_fake_quantize(i)) {
      s.needs_gradient |= add_fake_quantize(i);
    } else if (n.op->descriptor->gradient == gradient_rule::layer) {
      add_layer(i, mapping, w);
      s.needs_gradient = true;
    } else if (n.op->descriptor->gradient == gradient_rule::batch_norm) {
      s.norm.emplace(w, std::string{n.name},
                     static_cast<double>(n.attrs.template as<batch_norm2d_options>().eps));
      s.needs_gradient = true;
    }
  }

  /// Returns whether it learns.
  bool add_fake_quantize(int i) {
    const node& n = g_[i];
    auto& f = fake_quantizes_[static_cast<std::size_t>(n.observer)];
    if (f)  // shared with an earlier node
      return f->template get_if<observers::learnable_fake_quantize>() != nullptr;
    f.emplace(*n.observer_config, semantics_);
    return add_learned_of(i, *n.observer_config, false,
                          "activation_post_process_" + std::to_string(n.observer));
  }

  void add_layer(int i, const mapping_view& mapping, const weights& w) {
    const node& n = g_[i];
    const std::string name{n.name};
    const observer_record* const weight =
        n.choice.quantized() ? &mapping.entries[n.choice.qconfig].qconfig.weight : nullptr;
    at(i).layer.emplace(
        typename training::layer<Isa>::description{
            .name = name,
            .convolution = n.op->descriptor->layer_axes == 2
                               ? std::optional(n.attrs.template as<conv2d_options>())
                               : std::nullopt,
            .batch_norm = std::string{n.batch_norm},
            .eps = static_cast<double>(n.batch_norm_eps),
            .relu = n.op->descriptor->schedule.relu,
            .fake_quantize = weight,
            .semantics = semantics_},
        w);
    if (weight != nullptr) add_learned_of(i, *weight, true, name + ".weight_fake_quant");
  }

  /// Returns whether the fake quantize of a node learns.
  bool add_learned_of(int i, const observer_record& r, bool is_weight, const std::string& name) {
    if (r.fake_quantize != fake_quantize_class::learnable_fake_quantize) return false;
    learned_.push_back({i, is_weight, name + ".scale", name + ".zero_point"});
    return true;
  }

  [[nodiscard]] node_in_training<Isa> node_at(int i) {
    node_in_training<Isa> x{g_[i], at(i), {}};
    for (const int a : g_.args_of(i)) x.args.push_back(&at(a));
    return x;
  }

  status fake_quantize(int i) {
    state& s = at(i);
    auto& f = *fake_quantizes_[static_cast<std::size_t>(g_[i].observer)];
    const status rounded = f.template forward<Isa>(arg(i, 0).value, s.shape, s.value);
    s.rounded = f.fake_quant_enabled();
    if (const auto* const o = f.template get_if<observers::observing_fake_quantize>())
      s.rounding = o->parameters();
    return rounded;
  }

  /// The gradient passes where the value was not clamped.
  status fake_quantize_gradient(int i) {
    state& s = at(i);
    if (!s.needs_gradient) return done{};
    state& x = arg(i, 0);
    auto& f = *fake_quantizes_[static_cast<std::size_t>(g_[i].observer)];
    if (auto* const learning = f.template get_if<observers::learnable_fake_quantize>()) {
      const auto g = learning->backward(x.value, s.shape, s.gradient, s.gradient);
      if (!g) return unexpected{g.error()};
      for (learned& l : learned_)
        if (!l.is_weight && g_[l.node].observer == g_[i].observer) add_learned(l, *g);
    } else if (s.rounded && f.is_per_channel()) {
      observers::fake_quantize_gradient(x.value, s.shape, s.rounding, s.gradient, s.gradient);
    } else if (s.rounded) {
      const observers::per_channel_qparams& p = s.rounding;
      observers::fake_quantize_gradient(
          x.value, qparams{p.scale[0], p.zero_point[0], p.quant_min, p.quant_max}, s.gradient,
          s.gradient);
    }
    if (float* const to = x.wanted_gradient()) add_to(s.value.size(), s.gradient.data(), to);
    return done{};
  }

  static void add_learned(learned& l, span<const observers::qparams_gradient> g) {
    l.scale.resize(g.size());
    l.zero_point.resize(g.size());
    for (std::size_t c = 0; c < g.size(); ++c) {
      l.scale[c] += g[c].scale;
      l.zero_point[c] += g[c].zero_point;
    }
  }

  graph_view<stage::prepared> g_;
  ctq::semantics semantics_;
  random_source random_;
  std::vector<state> nodes_;
  std::vector<std::optional<observers::any_fake_quantize>> fake_quantizes_;
  std::vector<learned> learned_;
  training_mode mode_;
  bool has_forward_ = false;
};

}  // namespace ctq::training
