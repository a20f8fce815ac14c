// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// XNNPACK on one thread. With per-channel scales of weights it has convolutions on int8 activations
// only: ours minus 128. A linear layer is a 1x1 convolution.

#include "elementwise.hpp"
#include "layer.hpp"

#if __has_include(<xnnpack.h>)

#include <xnnpack.h>

#include <memory>

namespace bench {

namespace {

/// An operator, set up with operands of the same lifetime.
struct call {
  xnn_operator_t op = nullptr;
  operand<std::int8_t> in, out;
  std::vector<std::uint8_t> shifted;

  ~call() { xnn_delete_operator(op); }
  void run() { xnn_run_operator(op, nullptr); }
};

constexpr std::size_t over_read = XNN_EXTRA_BYTES;

bool ready() {
  static const bool done = xnn_initialize(nullptr) == xnn_status_success;
  return done;
}

subject named(std::shared_ptr<call> c, std::function<const void*()> answer) {
  return {"XNNPACK", [c] { c->run(); }, std::move(answer)};
}

}  // namespace

std::optional<subject> xnnpack(const layer& of) {
  if (!ready()) return std::nullopt;
  const ctq::conv2d_shape& s = of.shape;
  auto c = std::make_shared<call>();
  c->in.resize(of.in.size() + over_read);
  for (std::size_t i = 0; i < of.in.size(); ++i)
    c->in[i] = static_cast<std::int8_t>(of.in[i] ^ 128);
  c->out.resize(of.outputs() + over_read);
  c->shifted.resize(of.outputs());
  const auto pad_h = static_cast<std::uint32_t>(s.padding_h);
  const auto pad_w = static_cast<std::uint32_t>(s.padding_w);
  const auto channels = static_cast<std::size_t>(s.in_channels);
  const auto outputs = static_cast<std::size_t>(s.out_channels);
  // Depthwise weights lie [kh,kw,C] for it.
  const bool depthwise = s.depthwise() && s.groups > 1;
  const auto taps = static_cast<std::size_t>(s.kernel_h * s.kernel_w);
  std::vector<std::int8_t> weight = of.weight;
  if (depthwise) {
    for (std::size_t o = 0; o < outputs; ++o)
      for (std::size_t t = 0; t < taps; ++t) weight[t * outputs + o] = of.weight[o * taps + t];
  }
  const auto made = xnn_create_convolution2d_nhwc_qc8(
      pad_h, pad_w, pad_h, pad_w, static_cast<std::uint32_t>(s.kernel_h),
      static_cast<std::uint32_t>(s.kernel_w), static_cast<std::uint32_t>(s.stride_h),
      static_cast<std::uint32_t>(s.stride_w), 1, 1, static_cast<std::uint32_t>(s.groups),
      static_cast<std::size_t>(s.in_group()), static_cast<std::size_t>(s.out_group()), channels,
      outputs, layer::zero_point_in - 128, 1.0F, of.multiplier.data(), weight.data(),
      of.bias.data(), static_cast<std::int8_t>(layer::zero_point_out - 128), 1.0F, -128, 127,
      depthwise ? XNN_FLAG_DEPTHWISE_CONVOLUTION : 0, &c->op);
  if (made != xnn_status_success) return std::nullopt;
  if (xnn_setup_convolution2d_nhwc_qc8(c->op, 1, static_cast<std::size_t>(s.in_h),
                                       static_cast<std::size_t>(s.in_w), c->in.data(),
                                       c->out.data(), nullptr) != xnn_status_success) {
    return std::nullopt;
  }
  return named(c, [c] {
    for (std::size_t i = 0; i < c->shifted.size(); ++i) {
      c->shifted[i] = static_cast<std::uint8_t>(c->out[i] ^ -128);
    }
    return c->shifted.data();
  });
}

std::optional<subject> xnnpack(const elementwise& of) {
  if (!ready()) return std::nullopt;
  const auto n = static_cast<std::size_t>(of.count);
  auto c = std::make_shared<call>();
  auto* const bytes = reinterpret_cast<std::uint8_t*>(of.result());
  const auto answer = [&of] { return of.result(); };
  constexpr auto zero_point = static_cast<std::uint8_t>(elementwise::out.zero_point);
  constexpr auto a_zero = static_cast<std::uint8_t>(elementwise::a.zero_point);
  constexpr auto b_zero = static_cast<std::uint8_t>(elementwise::b.zero_point);
  switch (of.what) {
    case elementwise::op::quantize:
      if (xnn_create_convert_nc_f32_qu8(1, 1, 1, elementwise::out.scale, zero_point, 0, 255, 0,
                                        &c->op) != xnn_status_success)
        return std::nullopt;
      xnn_setup_convert_nc_f32_qu8(c->op, n, of.floats.data(), bytes, nullptr);
      return named(c, answer);
    case elementwise::op::dequantize:
      if (xnn_create_convert_nc_qu8_f32(1, 1, 1, elementwise::a.scale, a_zero, 0, &c->op) !=
          xnn_status_success)
        return std::nullopt;
      xnn_setup_convert_nc_qu8_f32(c->op, n, of.bytes.data(), reinterpret_cast<float*>(of.result()),
                                   nullptr);
      return named(c, answer);
    case elementwise::op::add:
    case elementwise::op::add_within_one_step:
      if (xnn_create_add_nd_qu8(a_zero, elementwise::a.scale, b_zero, elementwise::b.scale,
                                zero_point, elementwise::out.scale, 0, 255, 0,
                                &c->op) != xnn_status_success)
        return std::nullopt;
      xnn_setup_add_nd_qu8(c->op, 1, &n, 1, &n, of.bytes.data(), of.more_bytes.data(), bytes,
                           nullptr);
      return named(c, answer);
    default: return std::nullopt;
  }
}

}  // namespace bench

#else

std::optional<bench::subject> bench::xnnpack(const layer&) { return std::nullopt; }
std::optional<bench::subject> bench::xnnpack(const elementwise&) { return std::nullopt; }

#endif
