// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/kernels/embedding_table.hpp"
#include "ctq/ops/op_table.hpp"

// The measured ops that are neither a layer of bench/shapes.hpp nor elementwise: as signatures of
// the kernels that a plan runs for them.

namespace bench {

/// Where a kernel reads and writes: an input of the op, memory between two kernels, the output.
enum class place { first, second, between, result };

struct op_step {
  ctq::kernel_signature signature{};
  place in[2]{place::first, place::second};
  place out = place::result;
};

struct op_entry {
  static constexpr int most_steps = 4;

  const char* name{};
  op_step steps[most_steps]{};
  int count = 1;       // of steps
  int inputs[2]{};     // elements of each
  int outputs{};       // elements
  const char* wanted;  // "copy", or a peer
  double ratio{};      // of its time to that of ctq, at least
};

namespace op_entries {

using ctq::f32;
using ctq::quint8;
namespace kernel = ctq::kernel;

inline constexpr double of_copy = 0.85;  // of the copy loop's speed

[[nodiscard]] constexpr op_step on_bytes(ctq::kernel_id k, const auto& shape) {
  return {ctq::signature_of(k, quint8, quint8, shape)};
}
[[nodiscard]] constexpr op_step on_floats(ctq::kernel_id k, const auto& shape) {
  return {ctq::signature_of(k, f32, f32, shape)};
}
[[nodiscard]] constexpr op_entry beside_copy(const char* name, op_step step, int a, int b,
                                             int outputs) {
  return {name, {step}, 1, {a, b}, outputs, "copy", of_copy};
}

/// 64 channels of 32 x 32 pixels.
[[nodiscard]] constexpr op_entry pool(const char* name, ctq::kernel_id k, int kernel, int stride,
                                      int padding) {
  const int out = (32 + 2 * padding - kernel) / stride + 1;
  const ctq::pool_shape s{.batch = 1,
                          .in_h = 32,
                          .in_w = 32,
                          .channels = 64,
                          .out_h = out,
                          .out_w = out,
                          .kernel_h = kernel,
                          .kernel_w = kernel,
                          .stride_h = stride,
                          .stride_w = stride,
                          .padding_h = padding,
                          .padding_w = padding};
  return beside_copy(name, on_bytes(k, s), 65536, 0, out * out * 64);
}

/// Two tensors of 32 channels.
[[nodiscard]] constexpr op_entry cat() {
  constexpr ctq::concat_shape left{1024, 32, 64, 0}, right{1024, 32, 64, 32};
  op_entry e{"cat of 32 and 32 channels", {}, 2, {32768, 32768}, 65536, "copy", of_copy};
  e.steps[0] = on_bytes(kernel::concat, left);
  e.steps[1] = on_bytes(kernel::concat, right);
  e.steps[1].in[0] = place::second;
  return e;
}
[[nodiscard]] constexpr op_entry cat_requantized() {
  op_entry e = cat();
  e.name = "cat, second tensor requantized";
  e.count = 3;
  e.steps[2] = e.steps[1];
  e.steps[2].in[0] = place::between;
  e.steps[1] = on_bytes(kernel::requantize, ctq::elementwise_shape{32768});
  e.steps[1].in[0] = place::second;
  e.steps[1].out = place::between;
  return e;
}

/// [A,B,C,D] as [A,C,B,D] or, with the last two axes exchanged, [A,B,D,C].
[[nodiscard]] constexpr ctq::reorder_shape permuted(int a, int b, int c, int d, bool last) {
  ctq::reorder_shape s{};
  for (int& extent : s.extent) extent = 1;
  constexpr int at = ctq::reorder_shape::axes - 4;
  const int extent[] = {a, last ? b : c, last ? d : b, last ? c : d};
  const int stride[] = {b * c * d, last ? c * d : d, last ? 1 : c * d, last ? d : 1};
  for (int i = 0; i < 4; ++i) {
    s.extent[at + i] = extent[i];
    s.stride[at + i] = stride[i];
  }
  return s;
}

/// A transposed convolution, wanted twice as fast as oneDNN's.
template <class Shape>
[[nodiscard]] constexpr op_entry beside_deconvolution(const char* name, ctq::kernel_id k,
                                                      const Shape& s, int inputs, int outputs) {
  return {name, {on_bytes(k, s)}, 1, {inputs, 0}, outputs, "oneDNN", 2.0};
}

[[nodiscard]] constexpr op_entry transposed(const char* name, int in, int out, int size, int kernel,
                                            int stride, int padding) {
  const ctq::conv_transpose2d_shape s{.batch = 1,
                                      .in_h = size,
                                      .in_w = size,
                                      .in_channels = in,
                                      .out_channels = out,
                                      .kernel_h = kernel,
                                      .kernel_w = kernel,
                                      .stride_h = stride,
                                      .stride_w = stride,
                                      .padding_h = padding,
                                      .padding_w = padding};
  return beside_deconvolution(name, kernel::conv_transpose2d, s, size * size * in,
                              s.out_h() * s.out_w() * out);
}

/// Volumes, twice as large along each axis.
[[nodiscard]] constexpr op_entry conv_transpose3d(const char* name, int in, int out, int depth,
                                                  int size, int kernel, int padding) {
  const ctq::conv_transpose3d_shape s{.batch = 1,
                                      .in_d = depth,
                                      .in_h = size,
                                      .in_w = size,
                                      .in_channels = in,
                                      .out_channels = out,
                                      .kernel_d = kernel,
                                      .kernel_h = kernel,
                                      .kernel_w = kernel,
                                      .stride_d = 2,
                                      .stride_h = 2,
                                      .stride_w = 2,
                                      .padding_d = padding,
                                      .padding_h = padding,
                                      .padding_w = padding};
  return beside_deconvolution(name, kernel::conv_transpose3d, s, depth * size * size * in,
                              s.out_d() * s.out_h() * s.out_w() * out);
}

[[nodiscard]] constexpr op_entry product(const char* name, int batch, int m, int n, int k,
                                         int transposed) {
  return {name,
          {on_bytes(kernel::matmul, ctq::matmul_shape{.batch = batch,
                                                      .m = m,
                                                      .n = n,
                                                      .k = k,
                                                      .matrices = {batch, batch},
                                                      .transposed = transposed})},
          1,
          {batch * m * k, batch * n * k},
          batch * m * n,
          "oneDNN",
          1.2};
}

/// Rows of 64 out of 1024.
[[nodiscard]] constexpr op_entry lookup(const char* name, int bits) {
  const ctq::embedding_shape s{.indices = 1024, .rows = 1024, .width = 64, .bits = bits};
  return beside_copy(name, {ctq::signature_of(kernel::embedding, ctq::i32, f32, s)}, 1024, 0,
                     65536);
}

inline constexpr ctq::recurrent_shape lstm_256{
    .cell = ctq::recurrent_cell::lstm, .steps = 100, .input = 256, .hidden = 256};

}  // namespace op_entries

inline constexpr op_entry ops[] = {
    op_entries::beside_copy(
        "hardswish, by a table",
        {ctq::signature_of(ctq::kernel::elementwise, ctq::quint8, ctq::quint8,
                           ctq::elementwise_shape{65536}, false, ctq::nn::hardswish.id())},
        65536, 0, 65536),
    op_entries::pool("max pool 2x2/2", ctq::kernel::pooling_max, 2, 2, 0),
    op_entries::pool("max pool 3x3/2", ctq::kernel::pooling_max, 3, 2, 1),
    op_entries::pool("average pool 2x2/2", ctq::kernel::pooling_avg, 2, 2, 0),
    op_entries::pool("average pool 3x3/2", ctq::kernel::pooling_avg, 3, 2, 1),
    op_entries::pool("global average pool", ctq::kernel::pooling_avg, 32, 1, 0),
    op_entries::cat(),
    op_entries::cat_requantized(),
    op_entries::beside_copy(
        "softmax 64x1024",
        op_entries::on_floats(ctq::kernel::softmax, ctq::softmax_shape{.rows = 64, .count = 1024}),
        65536, 0, 65536),
    op_entries::beside_copy(
        "softmax 512x128",
        op_entries::on_floats(ctq::kernel::softmax, ctq::softmax_shape{.rows = 512, .count = 128}),
        65536, 0, 65536),
    op_entries::beside_copy(
        "layer_norm 128x512",
        op_entries::on_floats(
            ctq::kernel::layer_norm,
            ctq::layer_norm_shape{
                .rows = 128, .count = 512, .channels = 512, .affine = 1, .eps = 1e-5F}),
        65536, 0, 65536),
    op_entries::beside_copy(
        "mul by one of each channel",
        op_entries::on_bytes(
            ctq::kernel::binary_mul_broadcast,
            ctq::broadcast_shape{{1, 1, 1024, 64}, {{65536, 65536, 64, 1}, {64, 64, 0, 1}}}),
        65536, 64, 65536),
    op_entries::lookup("embedding, 8 bits", 8),
    op_entries::lookup("embedding, 4 bits", 4),
    op_entries::beside_copy(
        "to NHWC, 64 channels",
        op_entries::on_bytes(ctq::kernel::to_nhwc, ctq::transpose_shape{1, 64, 1024}), 65536, 0,
        65536),
    op_entries::beside_copy(
        "to NCHW, 64 channels",
        op_entries::on_bytes(ctq::kernel::to_nchw, ctq::transpose_shape{1, 64, 1024}), 65536, 0,
        65536),
    op_entries::beside_copy(
        "to NHWC, 64 channels, f32",
        op_entries::on_floats(ctq::kernel::to_nhwc, ctq::transpose_shape{1, 64, 1024}), 65536, 0,
        65536),
    op_entries::beside_copy(
        "permute heads [128,8,64]",
        op_entries::on_bytes(ctq::kernel::reorder, op_entries::permuted(1, 128, 8, 64, false)),
        65536, 0, 65536),
    op_entries::beside_copy(
        "transpose [8,128,64]",
        op_entries::on_bytes(ctq::kernel::reorder, op_entries::permuted(1, 8, 128, 64, true)),
        65536, 0, 65536),
    op_entries::transposed("transposed conv 2x2/2 128->64 @28", 128, 64, 28, 2, 2, 0),
    op_entries::transposed("transposed conv 4x4/2 128->64 @14", 128, 64, 14, 4, 2, 1),
    op_entries::transposed("transposed conv 3x3/2 64->32 @28", 64, 32, 28, 3, 2, 1),
    op_entries::conv_transpose3d("transposed conv 2x2x2/2 64->32 @8x14", 64, 32, 8, 14, 2, 0),
    op_entries::conv_transpose3d("transposed conv 3x3x3/2 64->32 @8x14", 64, 32, 8, 14, 3, 1),
    op_entries::product("matmul 12x 128x128x64, transposed", 12, 128, 128, 64, 1),
    op_entries::product("matmul 12x 128x64x128", 12, 128, 64, 128, 0),
    op_entries::product("matmul 512x512x512", 1, 512, 512, 512, 0),
    {"dynamic linear 64x768x768",
     {op_entries::on_floats(ctq::kernel::linear_dynamic, ctq::linear_shape{64, 768, 768})},
     1,
     {64 * 768, 0},
     64 * 768,
     "ORT",
     1.5},
    {"dynamic LSTM, hidden 256, 100 steps",
     {op_entries::on_floats(ctq::kernel::rnn_dynamic, op_entries::lstm_256)},
     1,
     {100 * 256, 0},
     op_entries::lstm_256.sequence_elements() + op_entries::lstm_256.state_elements(),
     "PyTorch",
     2.0},
};

}  // namespace bench
