// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elementwise.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "ctq/kernels/reference/binary_add.hpp"
#include "ctq/kernels/reference/binary_mul.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/fake_quantize.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "ctq/kernels/reference/requantize.hpp"

namespace bench {

elementwise::elementwise(op o, int n) : what(o), count(n) {
  namespace reference = ctq::kernels::reference;
  std::mt19937 random(1);
  const auto size = static_cast<std::size_t>(n);
  const auto fill = [&](auto& to, auto make) {
    to.resize(size);
    for (auto& x : to) x = make(static_cast<std::uint32_t>(random()));
  };
  const auto signed_bits = [](std::uint32_t bits) { return static_cast<std::int32_t>(bits); };
  const auto byte = [](std::uint32_t bits) { return static_cast<std::uint8_t>(bits); };
  expected_.resize(size * static_cast<std::size_t>(written()));
  switch (what) {
    case op::quantize:
      fill(floats,
           [&](std::uint32_t bits) { return static_cast<float>(signed_bits(bits)) * 0x1p-27F; });
      reference::quantize({n}, floats.data(), out, expected_.data());
      break;
    case op::quantize_channels:
      fill(floats,
           [&](std::uint32_t bits) { return static_cast<float>(signed_bits(bits)) * 0x1p-27F; });
      for (int c = 0; c < channels; ++c) {
        channel_zeros.push_back(0);
        channel_scales.push_back(0.05F + 0.001F * static_cast<float>(c));
      }
      for (std::size_t i = 0; i < size; ++i) {
        const ctq::qparams to{channel_scales[i % channels], 0, -128, 127};
        expected_[i] = static_cast<std::uint8_t>(
            reference::quantize<std::int8_t>(floats[i], ctq::kernels::quantizer_of(to)));
      }
      break;
    case op::dequantize:
      fill(bytes, byte);
      expected_.resize(size * sizeof(float));
      reference::dequantize({n}, bytes.data(), a, reinterpret_cast<float*>(expected_.data()));
      break;
    case op::requantize:
      fill(sums, [&](std::uint32_t bits) { return signed_bits(bits) >> 15; });
      for (std::size_t i = 0; i < size; ++i) {
        expected_[i] = static_cast<std::uint8_t>(
            reference::requantize(sums[i], multiplier, {out.zero_point, 0, 255}));
      }
      break;
    case op::fake_quantize:
      fill(floats,
           [&](std::uint32_t bits) { return static_cast<float>(signed_bits(bits)) * 0x1p-27F; });
      reference::fake_quantize({n}, floats.data(), out, reinterpret_cast<float*>(expected_.data()));
      break;
    case op::mul:
      fill(bytes, byte);
      fill(more_bytes, byte);
      reference::binary_mul({n}, bytes.data(), a, more_bytes.data(), b, out, expected_.data(),
                            false);
      break;
    case op::add:
    case op::add_within_one_step:
      fill(bytes, byte);
      fill(more_bytes, byte);
      reference::binary_add({n}, bytes.data(), a, more_bytes.data(), b, out, expected_.data(),
                            false);
      break;
  }
  result_ = std::make_unique<ctq::aligned_buffer>(expected_.size());
}

const void* elementwise::in() const {
  if (!floats.empty()) return floats.data();
  if (!sums.empty()) return sums.data();
  return bytes.data();
}

void elementwise::spoil() const {
  std::transform(expected_.begin(), expected_.end(), result(),
                 [](std::uint8_t x) { return static_cast<std::byte>(~x); });
}

int elementwise::distance(const void* answer) const {
  if (written() == 4) {
    const auto real = [](const void* from, std::size_t i) {
      float x;
      std::memcpy(&x, static_cast<const std::byte*>(from) + i * sizeof x, sizeof x);
      return x;
    };
    const float scale = what == op::dequantize ? a.scale : out.scale;
    float most = 0.0F;
    for (std::size_t i = 0; i < expected_.size() / sizeof(float); ++i) {
      const float difference = std::abs(real(answer, i) - real(expected_.data(), i));
      if (!(difference < 100.0F)) return INT_MAX;  // also if it is NaN
      most = std::max(most, difference);
    }
    return static_cast<int>(std::ceil(most / scale));
  }
  const bool negative = what == op::quantize_channels;
  const auto* const bytes_out = static_cast<const std::uint8_t*>(answer);
  int worst = 0;
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    const int d =
        negative ? static_cast<std::int8_t>(bytes_out[i]) - static_cast<std::int8_t>(expected_[i])
                 : bytes_out[i] - expected_[i];
    worst = std::max(worst, std::abs(d));
  }
  return what == op::add_within_one_step ? std::max(worst - 1, 0) : worst;
}

const char* name_of(elementwise::op what) {
  constexpr const char* names[] = {
      "quantize f32->u8", "dequantize u8->f32",          "requantize s32->u8",
      "add u8+u8",        "quantize f32->s8 by channel", "add within one step u8+u8",
      "mul u8*u8",        "fake quantize f32->f32"};
  return names[static_cast<int>(what)];
}

}  // namespace bench
