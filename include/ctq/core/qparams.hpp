// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

#include "ctq/core/compiler_flags.hpp"
#include "ctq/core/dtype.hpp"

// Quantization parameters: real = (q - zero_point) * scale.

namespace ctq {

enum class qscheme : std::uint8_t {
  per_tensor_affine,
  per_tensor_symmetric,
  per_channel_affine,
  per_channel_symmetric,
  per_channel_affine_float_qparams,
};

[[nodiscard]] constexpr bool is_per_channel(qscheme s) { return s >= qscheme::per_channel_affine; }

namespace names {
inline constexpr std::string_view of_qscheme[] = {"per_tensor_affine", "per_tensor_symmetric",
                                                  "per_channel_affine", "per_channel_symmetric",
                                                  "per_channel_affine_float_qparams"};
}

[[nodiscard]] constexpr std::string_view name_of(qscheme s) {
  return names::of_qscheme[static_cast<std::size_t>(s)];
}

/// Per-tensor quantization parameters. Integers are clamped to [quant_min, quant_max].
struct qparams {
  float scale = 1.0F;
  std::int32_t zero_point = 0;
  std::int32_t quant_min = 0;
  std::int32_t quant_max = 255;

  friend constexpr bool operator==(const qparams&, const qparams&) = default;
};

/// The same qparams, with all integers of the type as their range.
[[nodiscard]] constexpr qparams with_whole_range(const qparams& q, dtype type) {
  const quant_range range = range_of(type);
  return {q.scale, q.zero_point, static_cast<std::int32_t>(range.min),
          static_cast<std::int32_t>(range.max)};
}

/// The output of PyTorch's quint8 kernels of sigmoid and tanh, whatever they read.
inline constexpr qparams sigmoid_qparams{.scale = 1.0F / 256, .zero_point = 0};
inline constexpr qparams tanh_qparams{.scale = 2.0F / 256, .zero_point = 128};

}  // namespace ctq
