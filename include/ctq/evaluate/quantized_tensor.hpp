// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ctq/core/dtype.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/evaluate/tensor_qparams.hpp"
#include "ctq/observers/choose_qparams.hpp"
#include "ctq/observers/float16.hpp"

// Quantized tensors at run time, of any rank and dtype, with their scale and zero point, as in
// PyTorch.

namespace ctq {

/// Integers with their scale and zero point. Cheap to copy: the integers are shared and never
/// change. They are bytes, or for a dtype of more than 8 bits (qint32) of 64 bits.
class quantized_tensor {
 public:
  tensor_qparams qparams;

  /// Requires  as many integers as the shape has elements, in the range of the dtype
  quantized_tensor(tensor_qparams p, float_ops::extents shape,
                   const std::vector<std::int32_t>& integers)
      : quantized_tensor(of(std::move(p), std::move(shape), [&]<class Q>(Q* to) {
          std::ranges::transform(integers, to, [](std::int32_t q) { return static_cast<Q>(q); });
        })) {}
  ///   elements  a byte_tensor, in which qint8 has the bits of std::int8_t, or an index_tensor
  quantized_tensor(tensor_qparams p, float_ops::value elements)
      : qparams(std::move(p)), elements_(std::move(elements)) {}

  /// A tensor whose integers are written by write(Q*): std::uint8_t, std::int8_t for qint8, or
  /// std::int64_t. They are zeros before.
  template <class Write>
  [[nodiscard]] static quantized_tensor of(tensor_qparams p, float_ops::extents shape,
                                           Write write) {
    if (size_of(p.dtype) > 1) {
      auto wide = float_ops::filled<std::int64_t>(std::move(shape));
      write(wide.data.data());
      return {std::move(p), std::move(wide)};
    }
    auto bytes = float_ops::filled<std::uint8_t>(std::move(shape));
    if (p.dtype == qint8) {
      write(reinterpret_cast<std::int8_t*>(bytes.data.data()));
    } else {
      write(bytes.data.data());
    }
    return {std::move(p), std::move(bytes)};
  }

  /// Calls read(const Q*) with the integers.
  template <class Read>
  decltype(auto) read(Read read) const {
    if (const auto* const wide = elements_.get_if<float_ops::index_tensor>())
      return read(wide->data.data());
    if (qparams.dtype == qint8) return read(as<std::int8_t>());
    return read(as<std::uint8_t>());
  }

  /// The integers of 8 bits.
  template <class Q>
  [[nodiscard]] const Q* as() const {
    return reinterpret_cast<const Q*>(elements_.get_if<float_ops::byte_tensor>()->data.data());
  }

  [[nodiscard]] const float_ops::extents& shape() const {
    const auto* const bytes = elements_.get_if<float_ops::byte_tensor>();
    return bytes != nullptr ? bytes->shape : elements_.get_if<float_ops::index_tensor>()->shape;
  }
  [[nodiscard]] std::size_t size() const { return float_ops::numel(shape()); }

  /// What the constructor takes: for ops that move elements.
  [[nodiscard]] const float_ops::value& elements() const { return elements_; }

  /// The integers, as PyTorch's int_repr() gives them.
  [[nodiscard]] std::vector<std::int32_t> int_repr() const {
    std::vector<std::int32_t> all(size());
    read([&](const auto* q) {
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(q[i]);
    });
    return all;
  }

 private:
  float_ops::value elements_;
};

namespace quantizing {

/// clamp(rne(x * inverse)) + zero_point; the zero point for NaN.
inline std::int32_t integer_of(float x, float inverse, std::int32_t zero_point, quant_range r) {
  double steps = static_cast<double>(std::nearbyint(x * inverse));
  if (steps != steps) steps = 0.0;
  const double low = static_cast<double>(r.min) - zero_point;
  const double high = static_cast<double>(r.max) - zero_point;
  return static_cast<std::int32_t>(std::clamp(steps, low, high) + zero_point);
}

/// The zero point of embeddings is added before rounding, and a scale of 0 means 1.
inline std::int32_t integer_of(float x, float inverse, float zero_point, quant_range r) {
  const float steps = std::nearbyint(no_contract(x * inverse) + zero_point);
  const auto low = static_cast<float>(r.min);
  const auto high = static_cast<float>(r.max);
  return static_cast<std::int32_t>(std::clamp(steps != steps ? low : steps, low, high));
}

}  // namespace quantizing

/// Quantizes a tensor; per group to 4 bits.
/// Requires  as many scales as the axis has slices
/// Rounding  to nearest, ties to even, after multiplying by the float32 inverse of the scale
/// Source    PyTorch quantize_per_tensor, quantize_per_channel
[[nodiscard]] inline quantized_tensor quantize(const float_ops::tensor& x,
                                               const tensor_qparams& s) {
  const quant_range range = s.group_size > 0 ? int4_range : range_of(s.dtype);
  std::vector<float> inverse;
  for (const double scale : s.scale) {
    const auto narrow = static_cast<float>(scale);
    inverse.push_back(narrow == 0.0F && !s.float_zero_point.empty() ? 1.0F : 1.0F / narrow);
  }
  return quantized_tensor::of(s, x.shape, [&]<class Q>(Q* to) {
    quantizing::for_each_element(x.shape, s, [&](std::size_t c, std::size_t i) {
      to[i] = static_cast<Q>(
          s.float_zero_point.empty()
              ? quantizing::integer_of(x.data[i], inverse[c], s.zero_point[c], range)
              : quantizing::integer_of(x.data[i], inverse[c], s.float_zero_point[c], range));
    });
  });
}

/// (q - zero_point) * scale, in float32.
[[nodiscard]] inline float_ops::tensor dequantize(const quantized_tensor& x) {
  float_ops::tensor out{x.shape(), std::vector<float>(x.size())};
  const tensor_qparams& s = x.qparams;
  x.read([&]<class Q>(const Q* q) {
    if (!s.is_per_channel() && s.float_zero_point.empty() && s.dtype != qint32) {
      const auto scale = static_cast<float>(s.scale[0]);
      const std::int32_t zero_point = s.zero_point[0];
      std::transform(q, q + out.data.size(), out.data.begin(), [=](Q one) {
        return static_cast<float>(static_cast<std::int32_t>(one) - zero_point) * scale;
      });
      return;
    }
    quantizing::for_each_element(out.shape, s, [&](std::size_t c, std::size_t i) {
      const auto one = static_cast<std::int32_t>(q[i]);
      // A qint32 is rounded to float before the zero point is subtracted, as in PyTorch.
      const float steps =
          !s.float_zero_point.empty() ? static_cast<float>(one) - s.float_zero_point[c]
          : s.dtype == qint32 ? static_cast<float>(one) - static_cast<float>(s.zero_point[c])
                              : static_cast<float>(one - s.zero_point[c]);
      out.data[i] = steps * static_cast<float>(s.scale[c]);
    });
  });
  return out;
}

/// The tensor, quantized and dequantized.
[[nodiscard]] inline float_ops::tensor rounded(const float_ops::tensor& x,
                                               const tensor_qparams& qparams) {
  return dequantize(quantize(x, qparams));
}

/// The scale and zero point of dynamic quantization for these values.
///   halve  use half of the range: reduce_range, on engines that support it
[[nodiscard]] inline tensor_qparams dynamic_qparams(const float_ops::tensor& x, dtype d,
                                                    bool halve = false) {
  float min = 0.0F;
  float max = 0.0F;
  if (!x.data.empty()) {
    const auto [lo, hi] = std::minmax_element(x.data.begin(), x.data.end());
    min = *lo;
    max = *hi;
  }
  const quant_range r = halve ? observers::reduced(range_of(d)) : range_of(d);
  const observers::dynamic_qparams p = observers::choose_qparams(min, max, r);
  return {d, -1, {p.scale}, {p.zero_point}, {}};
}

[[nodiscard]] inline float_ops::tensor rounded_to_float16(float_ops::tensor x) {
  for (float& v : x.data) v = rounded_to_float16(v);
  return x;
}

}  // namespace ctq
