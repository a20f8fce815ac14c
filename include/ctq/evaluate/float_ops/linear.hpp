// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/no_contract.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/function_call.hpp"
#include "ctq/evaluate/float_ops/kernels/float_kernels.hpp"
#include "ctq/evaluate/float_ops/strided.hpp"
#include "ctq/ops/attention.hpp"
#include "ctq/ops/in_float/einsum.hpp"

// Matrix products: linear, matmul, bmm, addmm, attention. Accumulates in double, as convolutions.

namespace ctq::float_ops {

/// Σ a[i] * b[i], in eight independent partial sums to hide latency.
[[nodiscard]] inline double dot(const float* a, const float* b, std::size_t n) {
  constexpr std::size_t lanes = 8;
  double sum[lanes]{};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t j = 0; j < lanes; ++j)
      sum[j] += static_cast<double>(a[i + j]) * static_cast<double>(b[i + j]);
  double total = 0;
  for (; i < n; ++i) total += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  for (const double s : sum) total += s;
  return total;
}

/// out[…,n] = Σ_k in[…,k] * weight[n,k] + bias[n]
///
/// Shapes  in (…, K) · weight (N, K) or (K) · bias (N) or null
inline result<tensor> linear(const tensor& in, const tensor& weight, const tensor* bias) {
  if (in.shape.empty() || weight.shape.empty() || weight.shape.size() > 2 ||
      in.shape.back() != weight.shape.back())
    return fail({}, "the input's last axis is not that of the weight");
  const auto k = static_cast<std::size_t>(weight.shape.back());
  const auto n = weight.shape.size() == 1 ? 1 : static_cast<std::size_t>(weight.shape[0]);
  if (bias != nullptr && bias->data.size() != n && bias->data.size() != 1)
    return fail({}, "the bias does not have one element per output");
  extents shape = in.shape;
  shape.pop_back();
  if (weight.shape.size() == 2) shape.push_back(weight.shape[0]);
  tensor out = filled(std::move(shape));
  const std::size_t rows = n == 0 ? 0 : out.data.size() / n;
  for (std::size_t m = 0; m < rows; ++m)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = dot(in.data.data() + m * k, weight.data.data() + j * k, k);
      if (bias != nullptr) sum += static_cast<double>(bias->data[bias->data.size() == 1 ? 0 : j]);
      out.data[m * n + j] = static_cast<float>(sum);
    }
  return out;
}

/// torch.matmul: the last two axes are matrices, leading axes are broadcast, a vector is a row on
/// the left, a column on the right.
inline result<tensor> matmul(const layer_functions& by, const tensor& left, const tensor& right) {
  if (left.shape.empty() || right.shape.empty()) return fail({}, "a scalar is not a matrix");
  extents a = left.shape, b = right.shape;
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  if (a.back() != b[b.size() - 2])
    return fail({}, "the matrices have " + std::to_string(a.back()) + " columns and " +
                        std::to_string(b[b.size() - 2]) + " rows");
  const auto m = static_cast<std::size_t>(a[a.size() - 2]), k = static_cast<std::size_t>(a.back()),
             n = static_cast<std::size_t>(b.back());
  const extents batch_a(a.begin(), a.end() - 2), batch_b(b.begin(), b.end() - 2);
  auto batch = broadcast(batch_a, batch_b);
  if (!batch) return unexpected{batch.error()};
  const std::vector<std::size_t> from_a = broadcast_indices(batch_a, *batch);
  const std::vector<std::size_t> from_b = broadcast_indices(batch_b, *batch);
  extents shape = *batch;
  if (!row) shape.push_back(a[a.size() - 2]);
  if (!column) shape.push_back(b.back());
  tensor out = filled(std::move(shape));
  if (by.kernel != nullptr) {
    const matmul_shape one{.batch = 1,
                           .m = static_cast<int>(m),
                           .n = static_cast<int>(n),
                           .k = static_cast<int>(k),
                           .matrices = {1, 1}};
    for (std::size_t i = 0; i < from_a.size(); ++i)
      float_kernels::matmul(by, one, left.data.data() + from_a[i] * m * k,
                            right.data.data() + from_b[i] * k * n, out.data.data() + i * m * n);
    return out;
  }
  std::vector<double> sum(n);
  for (std::size_t i = 0; i < from_a.size(); ++i)
    for (std::size_t y = 0; y < m; ++y) {
      sum.assign(n, 0.0);
      const float* const x = left.data.data() + (from_a[i] * m + y) * k;
      for (std::size_t z = 0; z < k; ++z) {
        const float* const line = right.data.data() + (from_b[i] * k + z) * n;
        const auto factor = static_cast<double>(x[z]);
        for (std::size_t j = 0; j < n; ++j) sum[j] += factor * static_cast<double>(line[j]);
      }
      for (std::size_t j = 0; j < n; ++j)
        out.data[(i * m + y) * n + j] = static_cast<float>(sum[j]);
    }
  return out;
}

namespace implementation {

inline result<value> linear(operands& from) {
  const tensor& in = from.floats("input");
  const tensor& weight = from.floats("weight");
  const value bias = from.any("bias");
  if (from.failed()) return from.failure();
  if (const layer_functions& by = from.layers(); by.linear != nullptr)
    return from.answer(by.linear(by.state, in, from.any("weight"), bias));
  return from.answer(float_ops::linear(in, weight, bias.get_if<tensor>()));
}

inline result<value> matmul(operands& from) {
  const tensor& a = from.floats("input");
  const tensor& b = from.floats("other");
  if (from.failed()) return from.failure();
  return from.answer(float_ops::matmul(from.layers(), a, b));
}

inline result<value> bmm(operands& from) {
  const tensor& a = from.floats("input");
  const tensor& b = from.floats("mat2");
  from.require(rank(a.shape) == 3 && rank(b.shape) == 3 && a.shape[0] == b.shape[0],
               "needs two batches of as many matrices");
  if (from.failed()) return from.failure();
  return from.answer(float_ops::matmul(from.layers(), a, b));
}

/// Takes an equation and two tensors, or two tensors whose axes are options.
inline result<value> einsum(operands& from) {
  const value equation = from.any("equation");
  const auto* const text = equation.get_if<std::string>();
  einsum_options o;
  if (text != nullptr) {
    const int first = rank(from.floats("input").shape), second = rank(from.floats("other").shape);
    from.require(read_equation(*text, first, second, o), "has no such equation of two tensors");
  }
  const auto computed = text == nullptr ? call_function(from, {"equation", "input"})
                                        : call_function(from, {"input", "other"}, attributes{o});
  if (!computed) return unexpected{computed.error()};
  return value(computed->output());
}

/// beta * input + alpha * (mat1 @ mat2)
inline result<value> addmm(operands& from) {
  const tensor& in = from.floats("input");
  const tensor& a = from.floats("mat1");
  const tensor& b = from.floats("mat2");
  const double beta = from.real("beta"), alpha = from.real("alpha");
  from.require(rank(a.shape) == 2 && rank(b.shape) == 2, "mat1 and mat2 need two axes");
  if (from.failed()) return from.failure();
  auto out = float_ops::matmul(from.layers(), a, b);
  if (!out) return from.failure(out.error().cause);
  const auto shape = broadcast(in.shape, out->shape);
  if (!shape || *shape != out->shape) return from.failure("input does not broadcast");
  const tensor added = copy(in, expanded(strided_of(in.shape), out->shape));
  for (std::size_t i = 0; i < added.data.size(); ++i)
    out->data[i] = static_cast<float>(no_contract(beta * static_cast<double>(added.data[i])) +
                                      no_contract(alpha * static_cast<double>(out->data[i])));
  return from.answer(std::move(out));
}

/// Takes queries [..., L, E], keys [..., S, E] and values [..., S, V]; the mask is None or False.
inline result<value> attention(operands& from) {
  const tensor& q = from.floats("query");
  const tensor& k = from.floats("key");
  const tensor& v = from.floats("value");
  const value mask = from.any("attn_mask"), given = from.any("scale");
  const bool causal = from.flag("is_causal");
  from.require(mask.is<none>() || as_integer(mask) == 0, "has no attn_mask");
  from.require(from.real("dropout_p") == 0.0, "dropout_p is 0 in inference");
  from.require(rank(q.shape) >= 2 && rank(k.shape) >= 2 && !q.data.empty() && !k.data.empty(),
               "needs queries and keys");
  if (from.failed()) return from.failure();
  auto scale = static_cast<float>(given.is<none>() ? 0.0 : from.real("scale"));
  if (from.failed()) return from.failure();
  if (scale == 0.0F) scale = descriptors::inverse_root(q.shape.back());
  std::vector<int> order(k.shape.size());
  for (std::size_t a = 0; a < order.size(); ++a) order[a] = static_cast<int>(a);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  auto scores = float_ops::matmul(from.layers(), q, copy(k, permuted(strided_of(k.shape), order)));
  if (!scores) return from.failure(scores.error().cause);
  const int keys = scores->shape.back();
  float_kernels::attention_softmax(from.layers(),
                                   {.rows = static_cast<int>(scores->data.size()) / keys,
                                    .queries = scores->shape[scores->shape.size() - 2],
                                    .keys = keys,
                                    .causal = causal ? 1 : 0,
                                    .scale_bits = std::bit_cast<int>(scale)},
                                   scores->data.data(), scores->data.data());
  return from.answer(float_ops::matmul(from.layers(), *scores, v));
}

inline constexpr float_op products[] = {
    {"scaled_dot_product_attention",
     "query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, "
     "enable_gqa=False",
     attention},
    {"linear", "input, weight, bias=None", linear},
    {"matmul mm", "input, other", matmul},
    {"bmm", "input, mat2", bmm},
    {"einsum", "equation, input, other=None, ...", einsum},
    {"addmm", "input, mat1, mat2, *, beta=1, alpha=1", addmm},
};

}  // namespace implementation
}  // namespace ctq::float_ops
