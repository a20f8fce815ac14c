// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/fold_batch_norm.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/spec/fused_parts.hpp"

// The attributes that a call of a module reads after fusion: those of the module that owns the
// weight, with a batch norm folded into them.

namespace ctq {

namespace folding {

[[nodiscard]] inline const float_ops::tensor* tensor_in(
    std::vector<float_ops::named_value>& attributes, std::string_view name) {
  const float_ops::value* v = find(attributes, name);
  return v == nullptr ? nullptr : v->get_if<float_ops::tensor>();
}

[[nodiscard]] constexpr float_ops::foldable foldable_of(op_id root) {
  if (root->descriptor->is_transposed) return float_ops::foldable::conv_transpose;
  return root->descriptor->layer_axes == 0 ? float_ops::foldable::linear
                                           : float_ops::foldable::conv;
}

}  // namespace folding

/// Folds a batch norm into the weight and bias among the attributes of the module before it.
///   eps         used if the batch norm has none
///   root        the class of the module that owns the weight
///   is_trained  in quantization-aware training
/// Errors  a module without weight, a batch norm without statistics or with another number of
///         channels
[[nodiscard]] inline status fold_batch_norm(std::vector<float_ops::named_value>& attributes,
                                            std::vector<float_ops::named_value> of_norm, double eps,
                                            op_id root, bool is_trained = false) {
  using folding::tensor_in;
  const float_ops::tensor* const weight = tensor_in(attributes, "weight");
  if (weight == nullptr) return fail("weight", "is missing");
  if (const float_ops::value* own = find(of_norm, "eps"))
    eps = float_ops::as_real(*own).value_or(eps);
  const float_ops::value* const groups = find(attributes, "groups");
  const float_ops::batch_norm norm{.gamma = tensor_in(of_norm, "weight"),
                                   .beta = tensor_in(of_norm, "bias"),
                                   .mean = tensor_in(of_norm, "running_mean"),
                                   .variance = tensor_in(of_norm, "running_var"),
                                   .eps = eps,
                                   .is_trained = is_trained};
  if (norm.mean == nullptr || norm.variance == nullptr)
    return fail("batch norm", "has no running_mean and running_var");
  auto folded = float_ops::fold(
      *weight, tensor_in(attributes, "bias"), norm, folding::foldable_of(root),
      groups == nullptr ? 1 : static_cast<int>(float_ops::as_integer(*groups).value_or(1)));
  if (!folded) return unexpected{folded.error()};
  *find(attributes, "weight") = std::move(folded->weight);
  if (float_ops::value* bias = find(attributes, "bias"))
    *bias = std::move(folded->bias);
  else
    attributes.push_back({"bias", std::move(folded->bias)});
  return done{};
}

/// The attributes that a call of this node reads. A batch norm that is not folded is part 1.
/// Errors  a batch norm without statistics, or of another number of channels
[[nodiscard]] inline result<std::vector<float_ops::named_value>> folded_attributes(
    const node& n, const module_state& modules) {
  std::vector<float_ops::named_value> own = modules.attributes_of(path_of(n));
  if (n.batch_norm.empty()) return own;
  std::vector<float_ops::named_value> of_norm = modules.attributes_of(n.batch_norm);
  if (n.op->descriptor->keeps_batch_norm) {
    for (float_ops::named_value& a : of_norm) own.push_back({"1." + a.name, std::move(a.given)});
    return own;
  }
  const float eps = n.batch_norm_eps > 0.0F ? n.batch_norm_eps : batch_norm2d_options{}.eps;
  const op_id first = first_part_of(n.op);
  const op_id root = first != nullptr ? first : n.op;
  if (find(own, "groups") == nullptr)
    if (const int groups = descriptors::transposed_groups(root, n.attrs); groups > 1)
      own.push_back({"groups", groups});
  const status folded = fold_batch_norm(own, std::move(of_norm), static_cast<double>(eps), root,
                                        n.op->descriptor->float_form != nullptr);
  if (!folded)
    return fail(std::string(path_of(n)) + "." + folded.error().place, folded.error().cause);
  return own;
}

}  // namespace ctq
