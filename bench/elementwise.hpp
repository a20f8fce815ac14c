// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ctq/core/qparams.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "operand.hpp"
#include "subject.hpp"

// The operands of elementwise kernels, the same for all libraries.

namespace bench {

struct elementwise {
  enum class op {
    quantize,
    dequantize,
    requantize,
    add,
    quantize_channels,
    add_within_one_step,
    mul,
    fake_quantize
  };

  op what;
  int count;
  operand<float> floats;                    // quantize, fake_quantize
  std::vector<float> channel_scales;        // quantize_channels: the last axis
  std::vector<std::int32_t> channel_zeros;  // 0, as weights have them
  operand<std::int32_t> sums;               // requantize
  operand<std::uint8_t> bytes;              // dequantize, add, mul
  operand<std::uint8_t> more_bytes;         // add, mul

  static constexpr ctq::qparams a{0.05F, 117, 0, 255};
  static constexpr ctq::qparams b{0.03F, 100, 0, 255};
  static constexpr ctq::qparams out{0.07F, 128, 0, 255};
  static constexpr float multiplier = 0.003F;
  static constexpr int channels = 64;

  elementwise(op o, int n);

  /// Bytes per element that are read and written.
  [[nodiscard]] int read() const { return floats.empty() && sums.empty() ? inputs() : 4; }
  [[nodiscard]] int written() const {
    return what == op::dequantize || what == op::fake_quantize ? 4 : 1;
  }
  /// The operand, or the first of two.
  [[nodiscard]] const void* in() const;
  /// The output buffer of all libraries, since the speed of memory depends on its pages.
  [[nodiscard]] std::byte* result() const { return result_->data(); }
  /// Overwrites the output with wrong values.
  void spoil() const;
  /// The largest difference of integers beyond the guaranteed one; for floats in units of the
  /// scale.
  [[nodiscard]] int distance(const void* answer) const;

 private:
  [[nodiscard]] int inputs() const { return more_bytes.empty() ? 1 : 2; }

  std::vector<std::uint8_t> expected_;  // the bytes of the result
  std::unique_ptr<ctq::aligned_buffer> result_;
};

[[nodiscard]] const char* name_of(elementwise::op what);

// The subject of each library; empty if it does not have the kernel.
[[nodiscard]] subject ctq_elementwise(const elementwise& of);
[[nodiscard]] std::optional<subject> onednn(const elementwise& of);
[[nodiscard]] std::optional<subject> xnnpack(const elementwise& of);
[[nodiscard]] std::optional<subject> onnxruntime(const elementwise& of);

}  // namespace bench
