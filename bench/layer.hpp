// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "operand.hpp"
#include "subject.hpp"

// The operands of a linear layer or a convolution, the same for all libraries: uint8 activations
// with a zero point, int8 weights with a scale per channel, a bias, uint8 results.

namespace bench {

struct layer {
  ctq::conv2d_shape shape;  // of a linear layer: one row of M pixels, 1x1
  bool linear{};
  operand<std::uint8_t> in;          // [H,W,C]
  std::vector<std::int8_t> weight;   // [O,kh,kw,C/g]
  std::vector<std::int32_t> bias;    // [O]
  std::vector<std::int32_t> folded;  // the same less zero_point_in * Σ weight
  std::vector<float> multiplier;     // [O]
  static constexpr int zero_point_in = 117;
  static constexpr int zero_point_out = 128;

  explicit layer(const ctq::conv2d_shape& s) : layer(s, false) {}
  explicit layer(const ctq::linear_shape& s) : layer(ctq::as_conv2d(s), true) {}

  [[nodiscard]] std::size_t outputs() const {
    return static_cast<std::size_t>(shape.out_h() * shape.out_w() * shape.out_channels);
  }
  [[nodiscard]] double operations() const {
    return 2.0 * static_cast<double>(outputs()) * shape.kernel_h * shape.kernel_w *
           shape.in_group();
  }
  [[nodiscard]] double bytes() const {
    return static_cast<double>(in.size() + weight.size() + outputs());
  }
  /// The largest difference from the reference. For large products only some rows are compared.
  [[nodiscard]] int distance(const std::uint8_t* out) const;

 private:
  layer(const ctq::conv2d_shape& s, bool is_linear);

  struct row {
    std::size_t at;
    std::vector<std::uint8_t> values;
  };
  std::vector<row> expected_;
};

/// "64x64x64": M, N, K.
[[nodiscard]] std::string name_of_gemm(const ctq::conv2d_shape& s);
/// "3x3/2 48->96 @28", "3x3 128->128 in 32 groups @28", "3x3 depthwise 32 @14"
[[nodiscard]] std::string name_of_conv(const ctq::conv2d_shape& s);
[[nodiscard]] inline std::string name_of(const layer& of) {
  return of.linear ? name_of_gemm(of.shape) : name_of_conv(of.shape);
}

/// Without subjects. It refers to the layer.
[[nodiscard]] inline bench_case case_of(const layer& of) {
  bench_case c{};
  c.name = name_of(of);
  c.work = of.operations();
  c.traffic = of.bytes();
  c.distance = [&of](const void* answer) {
    return of.distance(static_cast<const std::uint8_t*>(answer));
  };
  return c;
}

// The subject of each library; empty if it does not have the kernel. ctq compiles one for each
// shape: index is that in gemms, convs or depthwises.
[[nodiscard]] subject ctq_gemm(std::size_t index, const layer& of);
[[nodiscard]] subject ctq_conv(std::size_t index, const layer& of);
[[nodiscard]] subject ctq_depthwise(std::size_t index, const layer& of);
// The same, with kernels of run-time extents.
[[nodiscard]] subject ctq_shared_gemm(std::size_t index, const layer& of);
[[nodiscard]] subject ctq_shared_conv(std::size_t index, const layer& of);
[[nodiscard]] subject ctq_shared_depthwise(std::size_t index, const layer& of);
[[nodiscard]] std::optional<subject> onednn(const layer& of);
[[nodiscard]] std::optional<subject> xnnpack(const layer& of);
[[nodiscard]] std::optional<subject> gemmlowp(const layer& of);
[[nodiscard]] std::optional<subject> onnxruntime(const layer& of);

}  // namespace bench
