// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/report.hpp"
#include "ctq/core/result.hpp"
#include "ctq/graph/checked_model.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/kernels/batch_norm_fold.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/runtime/named_tensors.hpp"
#include "ctq/runtime/packing/graph_nodes.hpp"

// The float parameters of a model, as PyTorch's state_dict names and lays them out: "conv1.weight"
// is (O, I/groups, kh, kw), "fc.weight" is (out, in).

namespace ctq {

/// A float tensor of a state_dict.
struct weight_tensor {
  std::string name;
  std::vector<int> shape;
  std::vector<float> values;
};

/// The float tensors of a state_dict, by name, not yet compared with a model.
class weights {
 public:
  weights() = default;
  explicit weights(std::vector<weight_tensor> tensors) : tensors_(std::move(tensors)) {
    sort_by_name(tensors_);
  }

  /// The tensor with this name, or null.
  [[nodiscard]] const weight_tensor* find(std::string_view name) const& {
    const auto at =
        std::lower_bound(tensors_.begin(), tensors_.end(), name,
                         [](const weight_tensor& t, std::string_view n) { return t.name < n; });
    return at != tensors_.end() && at->name == name ? &*at : nullptr;
  }
  /// The tensor `part` of a module, by the name of a node that calls it: "fc", or "fc#2".
  [[nodiscard]] const weight_tensor* find(std::string_view module, std::string_view part) const& {
    return find(std::string{module_of_call(module)} + "." + std::string{part});
  }
  [[nodiscard]] const std::vector<weight_tensor>& tensors() const& { return tensors_; }
  [[nodiscard]] std::vector<weight_tensor> tensors() && { return std::move(tensors_); }
  // The result would point into the temporary.
  const weight_tensor* find(std::string_view name) const&& = delete;
  const weight_tensor* find(std::string_view module, std::string_view part) const&& = delete;

 private:
  std::vector<weight_tensor> tensors_;
};

/// A parameter of a node.
struct parameter {
  std::string name;
  std::vector<int> shape;
};

/// The parameters of a node of a traced graph; none if its op has none.
[[nodiscard, gnu::cold]] inline list<parameter> parameters_of(const node& n) {
  list<parameter> all;
  if (n.op->kind == op_kind::get_attr)
    all.push_back(
        {std::string{path_of(n)}, std::vector<int>(n.shape.extent, n.shape.extent + n.shape.rank)});
  const op_descriptor& d = *n.op->descriptor;
  const auto add = [&](const op_parameter& p) {
    all.push_back({std::string{module_of_call(n.name)} + "." + std::string{p.name},
                   std::vector<int>(p.shape.extent, p.shape.extent + p.shape.rank)});
  };
  for (int i = 0; i < d.inner_parameters; ++i) add(d.inner_parameter(i));
  if (d.parameters != nullptr && d.weight_position == 0)
    for (const op_parameter& p : d.parameters(n.attrs)) add(p);
  return all;
}

/// Checks that these are the parameters of this graph: each once, of the right shape, without NaN
/// or infinity, and no others. Operands, such as masks for attention, may be infinite; the
/// num_batches_tracked of batch norms, which only training needs, are ignored.
[[nodiscard, gnu::cold]] inline status check_weights(graph_view<stage::traced> g,
                                                     const weights& w) {
  const std::vector<weight_tensor>& given = w.tensors();
  if (const weight_tensor* const twin = repeated_name(given); twin != nullptr)
    return fail("tensor " + twin->name, "is given twice");
  const graph_nodes nodes(g);
  list<bool> is_read(given.size());
  for (int i = 0; i < g.size(); ++i) {
    for (const parameter& p : parameters_of(g[i])) {
      const weight_tensor* const found = w.find(p.name);
      if (found == nullptr)
        return fail("tensor " + p.name, "is missing; the model needs " + text_of_shape(p.shape));
      const bool is_number = found->shape.empty() && p.shape == std::vector<int>{1};
      if (found->shape != p.shape && !is_number)
        return fail("tensor " + p.name, "shape is " + text_of_shape(found->shape) +
                                            ", the model needs " + text_of_shape(p.shape));
      std::size_t elements = 1;
      for (const int extent : found->shape) elements *= static_cast<std::size_t>(extent);
      if (found->values.size() != elements)
        return fail("tensor " + p.name, "has " + std::to_string(found->values.size()) +
                                            " values, its shape " + text_of_shape(found->shape) +
                                            " needs " + std::to_string(elements));
      for (const float x : found->values) {
        if (std::isnan(x)) return fail("tensor " + p.name, "a value is NaN");
        if (std::isinf(x) && !nodes.is_constant(g[i]))
          return fail("tensor " + p.name, "a value is infinite");
      }
      is_read[found - given.data()] = true;
    }
  }
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!is_read[i] && !given[i].name.ends_with(".num_batches_tracked"))
      return fail("tensor " + given[i].name, "belongs to no module of the model");
  return done{};
}

/// The parameters of a graph; scalars become vectors of one element where the graph has such a
/// vector, and batch norms without weight and bias get those that they stand for: 1 and 0 for each
/// channel.
[[nodiscard, gnu::cold]] inline weights with_implied(graph_view<stage::traced> g, weights w) {
  std::vector<weight_tensor> all = std::move(w).tensors();
  for (int i = 0; i < g.size(); ++i)
    for (const parameter& p : parameters_of(g[i]))
      for (weight_tensor& t : all)
        if (t.shape.empty() && t.name == p.name) t.shape = p.shape;
  const auto add = [&all](const node& n, const char* name, std::size_t channels, float value) {
    all.push_back({std::string{module_of_call(n.name)} + name,
                   {static_cast<int>(channels)},
                   std::vector<float>(channels, value)});
  };
  for (int i = 0; i < g.size(); ++i) {
    const bool is_called_again = module_of_call(g[i].name).size() != g[i].name.size();
    if (g[i].op->descriptor->parameters != &descriptors::batch_norm2d_parameters || is_called_again)
      continue;
    const auto o = g[i].attrs.as<batch_norm2d_options>();
    if (o.affine != 0) continue;
    add(g[i], ".weight", static_cast<std::size_t>(o.num_features), 1.0F);
    add(g[i], ".bias", static_cast<std::size_t>(o.num_features), 0.0F);
  }
  return weights{std::move(all)};
}

/// Checks that batch norms can be computed in float32, also when they are folded into the layers of
/// the model.
/// Errors  a negative variance; a deviation that is so small, beside the largest parameter of these
///         layers, that a quotient may exceed float32
[[nodiscard, gnu::cold]] inline status check_batch_norms(graph_view<stage::traced> g,
                                                         const weights& w) {
  double largest = 0.0;
  for (int i = 0; i < g.size(); ++i) {
    if (g[i].op->descriptor->layer_axes < 0 && !g[i].op->descriptor->is_batch_norm) continue;
    for (const parameter& p : parameters_of(g[i]))
      for (const float x : w.find(p.name)->values)
        largest = std::max(largest, std::abs(static_cast<double>(x)));
  }
  for (int i = 0; i < g.size(); ++i) {
    if (g[i].op->descriptor->parameters != &descriptors::batch_norm2d_parameters) continue;
    const std::string module{module_of_call(g[i].name)};
    const float eps = g[i].attrs.as<batch_norm2d_options>().eps;
    const std::vector<float>& gamma = w.find(module, "weight")->values;
    const std::vector<float>& variance = w.find(module, "running_var")->values;
    for (std::size_t c = 0; c < variance.size(); ++c) {
      if (variance[c] < 0.0F)
        return fail("tensor " + module + ".running_var", "a value is negative");
      const double inverse = kernels::inverse_deviation(variance[c], eps);
      const double scale = std::max(1.0, std::abs(static_cast<double>(gamma[c]))) * inverse;
      if (!(2.0 * largest * scale + largest <= std::numeric_limits<float>::max()))
        return fail("tensor " + module + ".running_var",
                    "a value is so small that parameters divided by the deviation exceed float32");
    }
  }
  return done{};
}

/// The float parameters of a model, checked: each is there once, in the shape that the model needs,
/// and finite.
///
/// Threads   const: any number of threads may read them
/// Lifetime  copies share the tensors; a move is a copy, so no object is ever empty
template <const auto& Model>
class model_weights : report<model_check<Model>> {
 public:
  /// Errors  a tensor that is missing, superfluous, given twice, of another shape, or with values
  ///         that are NaN or infinite (operands, such as masks, may be infinite); as
  ///         check_batch_norms
  [[nodiscard]] static result<model_weights> check(weights w) {
    if (const status s = check_weights(Model.view(), w); !s) return unexpected{s.error()};
    weights all = with_implied(Model.view(), std::move(w));
    if (const status s = check_batch_norms(Model.view(), all); !s) return unexpected{s.error()};
    return model_weights{std::move(all)};
  }

  model_weights(const model_weights&) = default;
  model_weights& operator=(const model_weights&) = default;

  [[nodiscard]] const weights& get() const& { return *weights_; }
  [[nodiscard]] weights get() const&& { return *weights_; }

 private:
  explicit model_weights(weights w) : weights_(std::make_shared<const weights>(std::move(w))) {}
  std::shared_ptr<const weights> weights_;
};

}  // namespace ctq
