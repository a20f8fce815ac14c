// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/observers/slices.hpp"

// Weights of embeddings: each row has a scale and a float zero point
// (per_channel_affine_float_qparams). quint4x2 packs two integers per byte.

namespace ctq::observers {

/// out[i] = clamp(rne(in[i] * (1 / scale) + zp), quant_min, quant_max) with the parameters of the
/// slice of in[i] along p.axis; a scale of 0 counts as 1, NaN as 0.
///
/// Rounding  product and sum are each rounded to float32. fake_quantize uses one fma, as in PyTorch
/// Requires  a scale and a float zero point for each index along p.axis
/// Source    PyTorch quantize_per_channel with float zero points
inline void quantize(span<const float> in, const shape& shape, const per_channel_qparams& p,
                     span<std::uint8_t> out) {
  const auto min = static_cast<float>(p.quant_min);
  const auto max = static_cast<float>(p.quant_max);
  for_each_slice(shape, p.axis, [&](std::size_t c, std::size_t offset, std::size_t count) {
    const float inverse = p.scale[c] == 0.0F ? 1.0F : 1.0F / p.scale[c];
    for (std::size_t i = offset; i < offset + count; ++i) {
      const float x = in[i] == in[i] ? in[i] : 0.0F;
      const float q = std::nearbyint(no_contract(x * inverse) + p.float_zero_point[c]);
      out[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(std::clamp(q, min, max)));
    }
  });
}

/// out[i] = (in[i] - zp) * scale
inline void dequantize(span<const std::uint8_t> in, const shape& shape,
                       const per_channel_qparams& p, span<float> out) {
  for_each_slice(shape, p.axis, [&](std::size_t c, std::size_t offset, std::size_t count) {
    for (std::size_t i = offset; i < offset + count; ++i)
      out[i] = (static_cast<float>(in[i]) - p.float_zero_point[c]) * p.scale[c];
  });
}

/// Bytes of `count` packed 4-bit integers.
[[nodiscard]] constexpr std::size_t packed_size(std::size_t count) { return (count + 1) / 2; }

/// Packs integers 0 … 15, one per byte, into two per byte, the first in the low half.
constexpr void pack_quint4x2(span<const std::uint8_t> in, span<std::uint8_t> out) {
  for (std::size_t i = 0; i < in.size(); i += 2) {
    const unsigned high = i + 1 < in.size() ? in[i + 1] : 0U;
    out[i / 2] = static_cast<std::uint8_t>(in[i] | high << 4U);
  }
}

/// out has the number of packed integers.
constexpr void unpack_quint4x2(span<const std::uint8_t> in, span<std::uint8_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint8_t>(i % 2 == 0 ? in[i / 2] & 15U : in[i / 2] >> 4U);
}

}  // namespace ctq::observers
