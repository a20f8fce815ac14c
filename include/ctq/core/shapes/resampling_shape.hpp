// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

// The shape of kernels that resize images.

namespace ctq {

/// Where a resized axis samples the input.
enum class sampling_rule : int {
  nearest,
  nearest_exact,
  linear,
  linear_aligned,
  cubic,  // of images without depth
  cubic_aligned,
};

/// Images of another size. Floats are kept as their bits.
struct resampling_shape {
  int batch{};
  int in_h{}, in_w{};
  int channels{};
  int out_h{}, out_w{};
  sampling_rule sampling{};
  int scale_bits[3]{};  // input pixels per output pixel, along H, W and D
  int in_d = 1, out_d = 1;

  [[nodiscard]] constexpr float scale_h() const { return std::bit_cast<float>(scale_bits[0]); }
  [[nodiscard]] constexpr float scale_w() const { return std::bit_cast<float>(scale_bits[1]); }
  [[nodiscard]] constexpr float scale_d() const { return std::bit_cast<float>(scale_bits[2]); }
  [[nodiscard]] constexpr bool is_cubic() const {
    return sampling == sampling_rule::cubic || sampling == sampling_rule::cubic_aligned;
  }
  [[nodiscard]] constexpr bool is_nearest() const {
    return sampling == sampling_rule::nearest || sampling == sampling_rule::nearest_exact;
  }

  friend constexpr bool operator==(const resampling_shape&, const resampling_shape&) = default;
};

}  // namespace ctq
