// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/concatenations.hpp"
#include "ctq/evaluate/float_ops/strided.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"

// Splits and joins tensors of floats or of integers along an axis, for LSTMs. Integers stay
// integers.

namespace ctq::lstm_parts {

/// The extents of a tensor; empty for other values.
[[nodiscard]] inline float_ops::extents extents_of(const node_value& v) {
  if (const quantized_tensor* const q = v.integers()) return q->shape();
  if (v.items() != nullptr) return {};
  const float_ops::value real = v.real();
  const auto* const t = real.get_if<float_ops::tensor>();
  return t == nullptr ? float_ops::extents() : t->shape;
}

/// A tensor with the same elements in another arrangement.
///   arrange  returns, for the extents, where the elements come from
template <class Arrange>
[[nodiscard]] float_ops::value arranged(const float_ops::value& v, Arrange arrange) {
  float_ops::value out;
  const auto copy_if = [&]<class T>(const T* t) {
    if (t != nullptr) out = copy(*t, arrange(float_ops::strided_of(t->shape)));
  };
  copy_if(v.get_if<float_ops::tensor>());
  copy_if(v.get_if<float_ops::byte_tensor>());
  copy_if(v.get_if<float_ops::index_tensor>());
  return out;
}

template <class Arrange>
[[nodiscard]] node_value arranged(const node_value& v, Arrange arrange) {
  if (const quantized_tensor* const q = v.integers())
    return quantized_tensor{q->qparams, arranged(q->elements(), arrange)};
  return arranged(v.real(), arrange);
}

/// Element i of the outermost axis.
[[nodiscard]] inline node_value element(const node_value& v, int i) {
  return arranged(v, [i](const float_ops::strided& s) {
    return without_axis(sliced(s, 0, static_cast<std::size_t>(i), 1), 0);
  });
}

/// Transposes the first two axes.
[[nodiscard]] inline node_value swapped(const node_value& v) {
  return arranged(v, [](const float_ops::strided& s) { return permuted(s, {1, 0, 2}); });
}

/// Joins tensors of one type along an axis.
/// Errors  extents that differ along other axes
[[nodiscard]] inline result<float_ops::value> cat(const float_ops::list& parts, std::size_t axis) {
  const auto all = [&]<class T>(std::type_identity<T>) -> result<float_ops::value> {
    auto out = float_ops::joining::cat(float_ops::joining::all_of_type<T>(parts), axis);
    if (!out) return unexpected{out.error()};
    return float_ops::value(*std::move(out));
  };
  if (parts[0].is<float_ops::byte_tensor>()) return all(std::type_identity<std::uint8_t>{});
  if (parts[0].is<float_ops::index_tensor>()) return all(std::type_identity<std::int64_t>{});
  return all(std::type_identity<float>{});
}

/// Joins tensors along an axis. Integers have the qparams of the first part; the others are
/// requantized, as in PyTorch.
/// Errors  extents that differ along other axes
[[nodiscard]] inline result<node_value> joined(const std::vector<node_value>& parts,
                                               std::size_t axis) {
  if (const quantized_tensor* const first = parts[0].integers()) {
    float_ops::list same;
    for (const node_value& p : parts)
      same.push_back((p.integers()->qparams == first->qparams
                          ? *p.integers()
                          : quantize(dequantize(*p.integers()), first->qparams))
                         .elements());
    auto out = cat(same, axis);
    if (!out) return unexpected{out.error()};
    return node_value(quantized_tensor{first->qparams, *std::move(out)});
  }
  auto out = cat(real_values(parts), axis);
  if (!out) return unexpected{out.error()};
  return node_value(*std::move(out));
}

/// Joins tensors along a new axis, the outermost one.
[[nodiscard]] inline result<node_value> stacked(const std::vector<node_value>& parts) {
  std::vector<node_value> rows;
  for (const node_value& p : parts)
    rows.push_back(arranged(p, [](float_ops::strided s) {
      s.shape.insert(s.shape.begin(), 1);
      s.stride.insert(s.stride.begin(), 0);
      return s;
    }));
  return joined(rows, 0);
}

}  // namespace ctq::lstm_parts
