// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime on one thread, each kernel as a model of one op, with the layout of ctq's
// activations. It uses all instruction sets of the machine, whatever ctq was compiled for.

#include "elementwise.hpp"
#include "layer.hpp"
#include "machine.hpp"
#include "op.hpp"

#if defined(CTQ_ORT_DIR)

#include <cstdio>
#include <memory>
#include <span>
#include <stdexcept>

#include "onnx_model.hpp"
#include "onnxruntime_session.hpp"

namespace bench {

namespace {

using onnx::library;
using onnx::session;

/// Empty if it cannot be loaded, which is reported once.
const library* loaded() {
  static const std::unique_ptr<library> one = [] {
    try {
      return std::make_unique<library>(CTQ_ORT_DIR);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "ONNX Runtime: %s\n", error.what());
      return std::unique_ptr<library>();
    }
  }();
  return one.get();
}

/// make(library) as a subject; empty if ONNX Runtime does not have the op.
template <class Make>
std::optional<subject> if_it_can(Make make) {
  const library* const ort = loaded();
  if (ort == nullptr) return std::nullopt;
  try {
    std::shared_ptr<session> c = make(*ort);
    return subject{"ORT", [c] { c->run(); }, [c] { return c->out(); }};
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ONNX Runtime: %s\n", error.what());
    return std::nullopt;
  }
}

/// [O,T,C] to [O,C,T] or, with one O, [T,C] to [C,T]
std::vector<std::int8_t> transposed(const std::vector<std::int8_t>& from, std::size_t outer,
                                    std::size_t rows, std::size_t columns) {
  std::vector<std::int8_t> to(from.size());
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        to[(o * columns + c) * rows + r] = from[(o * rows + r) * columns + c];
  return to;
}

/// Input and output have scale 1, so that the scales of the weights are the multipliers.
std::shared_ptr<session> matmul(const library& ort, const layer& of) {
  const std::int64_t m = of.shape.in_w, n = of.shape.out_channels, k = of.shape.in_channels;
  onnx::model model;
  model.input("in", onnx::type::u8, {m, k});
  model.output("out", onnx::type::u8, {m, n});
  model.scalar("one", 1.0F);
  model.scalar("zero_in", static_cast<std::uint8_t>(layer::zero_point_in));
  model.scalar("zero_out", static_cast<std::uint8_t>(layer::zero_point_out));
  model.constant(
      "weight", {k, n},
      transposed(of.weight, 1, static_cast<std::size_t>(n), static_cast<std::size_t>(k)));
  model.constant("scales", {n}, of.multiplier);
  model.constant("zeros", {n}, std::vector<std::int8_t>(of.multiplier.size()));
  model.constant("bias", {n}, of.bias);
  model.node("QGemm",
             {"in", "one", "zero_in", "weight", "scales", "zeros", "bias", "one", "zero_out"},
             {"out"}, {}, onnx::microsoft);
  auto c = std::make_shared<session>(ort, model);
  c->input("in", {m, k}, of.in);
  c->output<std::uint8_t>("out", {m, n});
  return c;
}

std::shared_ptr<session> convolution(const library& ort, const layer& of) {
  const auto& s = of.shape;
  const onnx::extents in{1, s.in_h, s.in_w, s.in_channels};
  const onnx::extents out{1, s.out_h(), s.out_w(), s.out_channels};
  onnx::model model;
  model.input("in", onnx::type::u8, in);
  model.output("out", onnx::type::u8, out);
  model.scalar("one", 1.0F);
  model.scalar("zero_in", static_cast<std::uint8_t>(layer::zero_point_in));
  model.scalar("zero_out", static_cast<std::uint8_t>(layer::zero_point_out));
  model.constant("weight", {s.out_channels, s.in_group(), s.kernel_h, s.kernel_w},
                 transposed(of.weight, static_cast<std::size_t>(s.out_channels),
                            static_cast<std::size_t>(s.kernel_h * s.kernel_w),
                            static_cast<std::size_t>(s.in_group())));
  model.constant("scales", {s.out_channels}, of.multiplier);
  model.constant("zeros", {s.out_channels}, std::vector<std::int8_t>(of.multiplier.size()));
  model.constant("bias", {s.out_channels}, of.bias);
  model.node("QLinearConv",
             {"in", "one", "zero_in", "weight", "scales", "zeros", "one", "zero_out", "bias"},
             {"out"},
             {{"kernel_shape", {s.kernel_h, s.kernel_w}},
              {"strides", {s.stride_h, s.stride_w}},
              {"pads", {s.padding_h, s.padding_w, s.padding_h, s.padding_w}},
              {"group", {s.groups}, false},
              {"channels_last", {1}, false}},
             onnx::microsoft);
  auto c = std::make_shared<session>(ort, model);
  c->input("in", in, of.in);
  c->output<std::uint8_t>("out", out);
  return c;
}

/// A model from In to Out, with the nodes that `make` adds.
template <class In, class Out, class Make>
std::shared_ptr<session> op_of(const library& ort, const elementwise& of, const operand<In>& from,
                               Make make) {
  const onnx::extents shape{static_cast<std::int64_t>(from.size()) / elementwise::channels,
                            elementwise::channels};
  onnx::model model;
  model.input("in", onnx::type_of<In>, shape);
  model.output("out", onnx::type_of<Out>, shape);
  make(model, shape);
  auto c = std::make_shared<session>(ort, model);
  c->input("in", shape, from);
  c->output<Out>("out", shape, of.result());
  return c;
}

std::shared_ptr<session> dynamic_linear(const library& ort, const op& of) {
  const auto s = of.signature().as<ctq::linear_shape>();
  const std::int64_t m = s.rows, k = s.in_features, n = s.out_features;
  onnx::model model;
  model.input("in", onnx::type::f32, {m, k});
  model.output("out", onnx::type::f32, {m, n});
  model.constant(
      "weight", {k, n},
      transposed(of.weight, 1, static_cast<std::size_t>(n), static_cast<std::size_t>(k)));
  model.constant("scales", {n}, of.scale);
  model.constant("bias", {n}, of.bias);
  model.node("DynamicQuantizeLinear", {"in"}, {"bytes", "scale", "zero"});
  model.node("MatMulInteger", {"bytes", "weight", "zero"}, {"sums"});
  constexpr std::int64_t to_float = 1;
  model.node("Cast", {"sums"}, {"real"}, {{"to", {to_float}, false}});
  model.node("Mul", {"scale", "scales"}, {"multiplier"});
  model.node("Mul", {"real", "multiplier"}, {"product"});
  model.node("Add", {"product", "bias"}, {"out"});
  auto c = std::make_shared<session>(ort, model);
  c->input("in", {m, k},
           std::span{reinterpret_cast<const float*>(of.input(0)), static_cast<std::size_t>(m * k)});
  c->output<float>("out", {m, n});
  return c;
}

void add_qparams(onnx::model& model, const char* scale, const char* zero_point,
                 const ctq::qparams& of) {
  model.scalar(scale, of.scale);
  model.scalar(zero_point, static_cast<std::uint8_t>(of.zero_point));
}

std::shared_ptr<session> of_two(const library& ort, const char* op, const elementwise& of) {
  auto c = op_of<std::uint8_t, std::uint8_t>(
      ort, of, of.bytes, [&](onnx::model& m, const onnx::extents& shape) {
        m.input("in2", onnx::type::u8, shape);
        add_qparams(m, "a", "zero_a", elementwise::a);
        add_qparams(m, "b", "zero_b", elementwise::b);
        add_qparams(m, "c", "zero_c", elementwise::out);
        m.node(op, {"in", "a", "zero_a", "in2", "b", "zero_b", "c", "zero_c"}, {"out"}, {},
               onnx::microsoft);
      });
  c->input("in2", {of.count / elementwise::channels, elementwise::channels}, of.more_bytes);
  return c;
}

}  // namespace

std::string onnxruntime_version() { return loaded() != nullptr ? loaded()->version() : ""; }

std::optional<subject> onnxruntime(const layer& of) {
  return if_it_can(
      [&](const library& ort) { return of.linear ? matmul(ort, of) : convolution(ort, of); });
}

std::optional<subject> onnxruntime(const op& of) {
  if (of.signature().kernel != ctq::kernel::linear_dynamic) return std::nullopt;
  return if_it_can([&](const library& ort) { return dynamic_linear(ort, of); });
}

std::optional<subject> onnxruntime(const elementwise& of) {
  using enum elementwise::op;
  using onnx::model;
  using shape = const onnx::extents&;
  return if_it_can([&](const library& ort) -> std::shared_ptr<session> {
    switch (of.what) {
      case quantize:
        return op_of<float, std::uint8_t>(ort, of, of.floats, [](model& m, shape) {
          add_qparams(m, "scale", "zero", elementwise::out);
          m.node("QuantizeLinear", {"in", "scale", "zero"}, {"out"});
        });
      case quantize_channels:
        return op_of<float, std::int8_t>(ort, of, of.floats, [&](model& m, shape) {
          m.constant("scales", {elementwise::channels}, of.channel_scales);
          m.constant("zeros", {elementwise::channels},
                     std::vector<std::int8_t>(elementwise::channels));
          m.node("QuantizeLinear", {"in", "scales", "zeros"}, {"out"}, {{"axis", {1}, false}});
        });
      case dequantize:
        return op_of<std::uint8_t, float>(ort, of, of.bytes, [](model& m, shape) {
          add_qparams(m, "scale", "zero", elementwise::a);
          m.node("DequantizeLinear", {"in", "scale", "zero"}, {"out"});
        });
      case requantize:
        return op_of<std::int32_t, std::uint8_t>(ort, of, of.sums, [](model& m, shape) {
          m.scalar("multiplier", elementwise::multiplier);
          add_qparams(m, "scale", "zero", {1.0F, elementwise::out.zero_point, 0, 255});
          m.node("DequantizeLinear", {"in", "multiplier"}, {"real"});
          m.node("QuantizeLinear", {"real", "scale", "zero"}, {"out"});
        });
      case fake_quantize:
        return op_of<float, float>(ort, of, of.floats, [](model& m, shape) {
          add_qparams(m, "scale", "zero", elementwise::out);
          m.node("QuantizeLinear", {"in", "scale", "zero"}, {"bytes"});
          m.node("DequantizeLinear", {"bytes", "scale", "zero"}, {"out"});
        });
      case add:
      case add_within_one_step: return of_two(ort, "QLinearAdd", of);
      case mul: return of_two(ort, "QLinearMul", of);
    }
    throw std::runtime_error("has no such op");
  });
}

}  // namespace bench

#else

std::string bench::onnxruntime_version() { return ""; }
std::optional<bench::subject> bench::onnxruntime(const layer&) { return std::nullopt; }
std::optional<bench::subject> bench::onnxruntime(const elementwise&) { return std::nullopt; }
std::optional<bench::subject> bench::onnxruntime(const op&) { return std::nullopt; }

#endif
