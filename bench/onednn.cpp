// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDNN on one thread, with weights in the layout it prefers.

#include <algorithm>
#include <cstring>
#include <dnnl.hpp>
#include <memory>
#include <unordered_map>

#include "elementwise.hpp"
#include "layer.hpp"
#include "machine.hpp"
#include "op.hpp"

namespace bench {

namespace {

using dnnl::memory;
using type = memory::data_type;
using tag = memory::format_tag;

const dnnl::engine& cpu() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

/// A primitive with its arguments.
struct call {
  dnnl::stream stream{cpu()};
  dnnl::primitive primitive;
  std::unordered_map<int, memory> args;

  void run() { primitive.execute(stream, args); }
  [[nodiscard]] const void* bytes(int name) const { return args.at(name).get_data_handle(); }
};

subject named(std::shared_ptr<call> c) {
  return {"oneDNN", [c] { c->run(); }, [c] { return c->bytes(DNNL_ARG_DST); }};
}

memory filled(const memory::desc& desc, const void* from) {
  memory m(desc, cpu());
  std::memcpy(m.get_data_handle(), from, desc.get_size());
  return m;
}

/// In the memory of a case.
memory operand_of(const memory::desc& desc, const void* at) {
  return {desc, cpu(), const_cast<void*>(at)};
}

/// A source zero point costs oneDNN time; without padding it is folded into the bias, as in ctq.
dnnl::primitive_attr attributes(const layer& of, bool fold) {
  dnnl::primitive_attr attr;
  attr.set_output_scales(2, of.multiplier);
  attr.set_zero_points(DNNL_ARG_DST, 0, {layer::zero_point_out});
  if (!fold) attr.set_zero_points(DNNL_ARG_SRC, 0, {layer::zero_point_in});
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

template <class Primitive, class Plan>
subject prepared(const Plan& plan, const memory::desc& in, const memory::desc& weight,
                 const memory::desc& bias, const memory::desc& out, const layer& of, bool fold) {
  auto c = std::make_shared<call>();
  c->primitive = Primitive(plan);
  memory plain = filled(weight, of.weight.data());
  memory packed(plan.weights_desc(), cpu());
  dnnl::reorder(plain, packed).execute(c->stream, plain, packed);
  c->stream.wait();
  c->args = {{DNNL_ARG_SRC, filled(in, of.in.data())},
             {DNNL_ARG_WEIGHTS, packed},
             {DNNL_ARG_BIAS, filled(bias, fold ? of.folded.data() : of.bias.data())},
             {DNNL_ARG_DST, memory(out, cpu())},
             {DNNL_ARG_SCRATCHPAD, memory(plan.scratchpad_desc(), cpu())}};
  return named(c);
}

subject matmul(const layer& of) {
  const auto& s = of.shape;
  const memory::desc in({s.in_w, s.in_channels}, type::u8, tag::ab);
  const memory::desc out({s.in_w, s.out_channels}, type::u8, tag::ab);
  const memory::desc bias({1, s.out_channels}, type::s32, tag::ab);
  const memory::desc any({s.in_channels, s.out_channels}, type::s8, tag::any);
  const memory::desc weight({s.in_channels, s.out_channels}, type::s8, tag::ba);  // ours: [N,K]
  const dnnl::matmul::primitive_desc plan({in, any, bias, out}, attributes(of, true), cpu());
  return prepared<dnnl::matmul>(plan, in, weight, bias, out, of, true);
}

subject convolution(const layer& of) {
  const auto& s = of.shape;
  const bool fold = s.padding_h == 0 && s.padding_w == 0;
  const memory::desc in({1, s.in_channels, s.in_h, s.in_w}, type::u8, tag::nhwc);
  const memory::desc out({1, s.out_channels, s.out_h(), s.out_w()}, type::u8, tag::nhwc);
  const memory::desc bias({s.out_channels}, type::s32, tag::x);
  const bool grouped = s.groups > 1;
  const memory::dims extents =
      grouped ? memory::dims{s.groups, s.out_group(), s.in_group(), s.kernel_h, s.kernel_w}
              : memory::dims{s.out_channels, s.in_channels, s.kernel_h, s.kernel_w};
  const memory::desc any(extents, type::s8, tag::any);
  const memory::desc weight = grouped ? memory::desc(extents, type::s8, tag::gohwi)
                                      : memory::desc(extents, type::s8, tag::ohwi);
  const memory::dims stride{s.stride_h, s.stride_w};
  const memory::dims padding{s.padding_h, s.padding_w};
  const dnnl::convolution_forward::primitive_desc plan(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, in, any, bias, out,
       stride, padding, padding},
      attributes(of, fold), cpu());
  return prepared<dnnl::convolution_forward>(plan, in, weight, bias, out, of, fold);
}

/// Conversion between types or scales.
subject reorder(const elementwise& of, type from, int in_zero_point, type to, int out_zero_point,
                float scale, const std::vector<float>& channel_scales) {
  const bool per_channel = !channel_scales.empty();
  const int channels = per_channel ? static_cast<int>(channel_scales.size()) : 64;
  const memory::desc source({of.count / channels, channels}, from, tag::ab);
  const memory::desc target({of.count / channels, channels}, to, tag::ab);
  dnnl::primitive_attr attr;
  attr.set_output_scales(per_channel ? 2 : 0,
                         per_channel ? channel_scales : std::vector<float>{scale});
  if (in_zero_point != 0) attr.set_zero_points(DNNL_ARG_SRC, 0, {in_zero_point});
  if (out_zero_point != 0) attr.set_zero_points(DNNL_ARG_DST, 0, {out_zero_point});
  auto c = std::make_shared<call>();
  c->primitive = dnnl::reorder(dnnl::reorder::primitive_desc(cpu(), source, cpu(), target, attr));
  c->args = {{DNNL_ARG_FROM, operand_of(source, of.in())},
             {DNNL_ARG_TO, operand_of(target, of.result())}};
  return {"oneDNN", [c] { c->run(); }, [&of] { return of.result(); }};
}

/// Its add supports scales but no zero points, so the bytes differ and only the time is compared.
subject addition(const elementwise& of) {
  const memory::desc desc({of.count / 64, 64}, type::u8, tag::ab);
  dnnl::primitive_attr attr;
  attr.set_scales(DNNL_ARG_SRC_0, 0, {elementwise::a.scale / elementwise::out.scale});
  attr.set_scales(DNNL_ARG_SRC_1, 0, {elementwise::b.scale / elementwise::out.scale});
  auto c = std::make_shared<call>();
  c->primitive = dnnl::binary(
      dnnl::binary::primitive_desc({dnnl::algorithm::binary_add, desc, desc, desc}, attr, cpu()));
  c->args = {{DNNL_ARG_SRC_0, operand_of(desc, of.bytes.data())},
             {DNNL_ARG_SRC_1, operand_of(desc, of.more_bytes.data())},
             {DNNL_ARG_DST, operand_of(desc, of.result())}};
  return {"oneDNN", [c] { c->run(); }, {}};
}

/// Of the bytes or floats of an op: the first input to the result.
subject unary(const op& of, const memory::desc& in, const memory::desc& out,
              const dnnl::primitive& primitive, bool same_result = true) {
  auto c = std::make_shared<call>();
  c->primitive = primitive;
  c->args = {{DNNL_ARG_SRC, operand_of(in, of.input(0))},
             {DNNL_ARG_DST, operand_of(out, of.result())}};
  std::function<const void*()> answer;
  if (same_result) answer = [&of] { return of.result(); };
  return {"oneDNN", [c] { c->run(); }, std::move(answer)};
}

/// Its averages know no qparams.
subject pooling(const op& of) {
  const auto s = of.signature().as<ctq::pool_shape>();
  const bool max = of.signature().kernel == ctq::kernel::pooling_max;
  const memory::desc in({1, s.channels, s.in_h, s.in_w}, type::u8, tag::nhwc);
  const memory::desc out({1, s.channels, s.out_h, s.out_w}, type::u8, tag::nhwc);
  const memory::dims padding{s.padding_h, s.padding_w};
  const memory::dims after{(s.out_h - 1) * s.stride_h + s.kernel_h - s.in_h - s.padding_h,
                           (s.out_w - 1) * s.stride_w + s.kernel_w - s.in_w - s.padding_w};
  const dnnl::pooling_v2_forward::primitive_desc plan(
      {dnnl::prop_kind::forward_inference,
       max ? dnnl::algorithm::pooling_max : dnnl::algorithm::pooling_avg_include_padding,
       in,
       out,
       {s.stride_h, s.stride_w},
       {s.kernel_h, s.kernel_w},
       {0, 0},
       padding,
       after},
      cpu());
  return unary(of, in, out, dnnl::pooling_v2_forward(plan), max);
}

subject softmax(const op& of) {
  const auto s = of.signature().as<ctq::softmax_shape>();
  const memory::desc desc({s.rows, s.count}, type::f32, tag::ab);
  const dnnl::softmax_forward::primitive_desc plan({dnnl::prop_kind::forward_inference, desc, 1},
                                                   cpu());
  return unary(of, desc, desc, dnnl::softmax_forward(plan));
}

subject layer_norm(const op& of) {
  const auto s = of.signature().as<ctq::layer_norm_shape>();
  const memory::desc desc({s.rows, s.count}, type::f32, tag::ab);
  const dnnl::layer_normalization_forward::primitive_desc plan(
      {dnnl::prop_kind::forward_inference, desc, s.eps,
       dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift},
      cpu());
  auto c = std::make_shared<call>();
  const memory::desc vector({s.count}, type::f32, tag::x);
  c->primitive = dnnl::layer_normalization_forward(plan);
  c->args = {{DNNL_ARG_SRC, operand_of(desc, of.input(0))},
             {DNNL_ARG_DST, operand_of(desc, of.result())},
             {DNNL_ARG_SCALE, filled(vector, of.scale.data())},
             {DNNL_ARG_SHIFT, filled(vector, of.bias.data())}};
  return {"oneDNN", [c] { c->run(); }, [&of] { return of.result(); }};
}

/// Of elements as they are.
subject exchanged(const op& of, const memory::desc& in, const memory::desc& out) {
  const dnnl::reorder::primitive_desc plan(cpu(), in, cpu(), out);
  return unary(of, in, out, dnnl::reorder(plan));
}

subject exchanged(const op& of) {
  const type t = of.signature().in == ctq::f32 ? type::f32 : type::u8;
  if (of.signature().kernel == ctq::kernel::reorder) {
    const auto s = of.signature().as<ctq::reorder_shape>();
    memory::dims extents, from, to;
    for (int axis = 0; axis < ctq::reorder_shape::axes; ++axis) {
      extents.push_back(s.extent[axis]);
      from.push_back(s.stride[axis]);
      memory::dim step = 1;
      for (int i = axis + 1; i < ctq::reorder_shape::axes; ++i) step *= s.extent[i];
      to.push_back(step);
    }
    for (memory::dim& step : from) step = std::max<memory::dim>(step, 1);
    return exchanged(of, {extents, t, from}, {extents, t, to});
  }
  const auto s = of.signature().as<ctq::transpose_shape>();
  const memory::dims extents{s.batch, s.channels, s.pixels};
  const memory::desc nchw(extents, t, tag::abc), nhwc(extents, t, tag::acb);
  return of.signature().kernel == ctq::kernel::to_nhwc ? exchanged(of, nchw, nhwc)
                                                       : exchanged(of, nhwc, nchw);
}

subject concatenation(const op& of) {
  const memory::desc in({1024, 32}, type::u8, tag::ab), out({1024, 64}, type::u8, tag::ab);
  auto c = std::make_shared<call>();
  c->primitive = dnnl::concat(dnnl::concat::primitive_desc(out, 1, {in, in}, cpu()));
  c->args = {{DNNL_ARG_MULTIPLE_SRC, operand_of(in, of.input(0))},
             {DNNL_ARG_MULTIPLE_SRC + 1, operand_of(in, of.input(1))},
             {DNNL_ARG_DST, operand_of(out, of.result())}};
  return {"oneDNN", [c] { c->run(); }, [&of] { return of.result(); }};
}

/// Two reorders, each into its columns of the result: concat itself cannot convert.
subject requantized_concatenation(const op& of) {
  const memory::desc in({1024, 32}, type::u8, tag::ab), out({1024, 64}, type::u8, tag::ab);
  auto copy = std::make_shared<call>(), requantize = std::make_shared<call>();
  const auto into = [&](call& c, int which, const dnnl::primitive_attr& attr) {
    const memory::desc columns = out.submemory_desc({1024, 32}, {0, 32 * which});
    c.primitive = dnnl::reorder(dnnl::reorder::primitive_desc(cpu(), in, cpu(), columns, attr));
    c.args = {{DNNL_ARG_FROM, operand_of(in, of.input(which))},
              {DNNL_ARG_TO, operand_of(columns, of.result())}};
  };
  dnnl::primitive_attr attr;
  attr.set_output_scales(0, {op::b.scale / of.out().scale});
  attr.set_zero_points(DNNL_ARG_SRC, 0, {op::b.zero_point});
  attr.set_zero_points(DNNL_ARG_DST, 0, {of.out().zero_point});
  into(*copy, 0, {});
  into(*requantize, 1, attr);
  return {"oneDNN", [=] { copy->run(), requantize->run(); }, [&of] { return of.result(); }};
}

/// Without zero points, so that only the time is compared.
subject broadcast_product(const op& of) {
  const auto s = of.signature().as<ctq::broadcast_shape>();
  const memory::desc in({s.extent[2], s.extent[3]}, type::u8, tag::ab);
  const memory::desc one({1, s.extent[3]}, type::u8, tag::ab);
  dnnl::primitive_attr attr;
  attr.set_scales(DNNL_ARG_SRC_0, 0, {op::a.scale / of.out().scale});
  attr.set_scales(DNNL_ARG_SRC_1, 0, {op::b.scale});
  auto c = std::make_shared<call>();
  c->primitive = dnnl::binary(
      dnnl::binary::primitive_desc({dnnl::algorithm::binary_mul, in, one, in}, attr, cpu()));
  c->args = {{DNNL_ARG_SRC_0, operand_of(in, of.input(0))},
             {DNNL_ARG_SRC_1, operand_of(one, of.input(1))},
             {DNNL_ARG_DST, operand_of(in, of.result())}};
  return {"oneDNN", [c] { c->run(); }, {}};
}

/// The tensors of a transposed convolution, and its steps and padding along each axis.
struct deconvolution_operands {
  memory::desc in, out, weight;
  memory::dims stride, padding;
};

deconvolution_operands operands_of(const ctq::conv_transpose2d_shape& s) {
  return {
      {{1, s.in_channels, s.in_h, s.in_w}, type::u8, tag::nhwc},
      {{1, s.out_channels, s.out_h(), s.out_w()}, type::u8, tag::nhwc},
      {{s.out_channels, s.in_channels, s.kernel_h, s.kernel_w}, type::s8, tag::ohwi},
      {s.stride_h, s.stride_w},
      {s.padding_h, s.padding_w},
  };
}

deconvolution_operands operands_of(const ctq::conv_transpose3d_shape& s) {
  const int of_depth = s.in_channels, of_width = of_depth * s.kernel_d;
  const int of_height = of_width * s.kernel_w, of_output = of_height * s.kernel_h;
  return {
      {{1, s.in_channels, s.in_d, s.in_h, s.in_w}, type::u8, tag::ndhwc},
      {{1, s.out_channels, s.out_d(), s.out_h(), s.out_w()}, type::u8, tag::ndhwc},
      {{s.out_channels, s.in_channels, s.kernel_d, s.kernel_h, s.kernel_w},
       type::s8,
       memory::dims{of_output, 1, of_depth, of_height, of_width}},
      {s.stride_d, s.stride_h, s.stride_w},
      {s.padding_d, s.padding_h, s.padding_w},
  };
}

template <class Shape>
subject deconvolution(const op& of) {
  const auto s = of.signature().as<Shape>();
  const auto [in, out, weight, stride, padding] = operands_of(s);
  const memory::desc bias({s.out_channels}, type::s32, tag::x);
  const memory::desc any(weight.dims(), type::s8, tag::any);
  dnnl::primitive_attr attr;
  attr.set_output_scales(2, of.scale);
  attr.set_zero_points(DNNL_ARG_DST, 0, {of.out().zero_point});
  attr.set_zero_points(DNNL_ARG_SRC, 0, {op::a.zero_point});
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::deconvolution_forward::primitive_desc plan(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct, in, any, bias,
       out, stride, padding, padding},
      attr, cpu());
  auto c = std::make_shared<call>();
  c->primitive = dnnl::deconvolution_forward(plan);
  memory plain = filled(weight, of.weight.data());
  memory packed(plan.weights_desc(), cpu());
  dnnl::reorder(plain, packed).execute(c->stream, plain, packed);
  c->stream.wait();
  c->args = {{DNNL_ARG_SRC, operand_of(in, of.input(0))},
             {DNNL_ARG_WEIGHTS, packed},
             {DNNL_ARG_BIAS, filled(bias, of.integer_bias.data())},
             {DNNL_ARG_DST, memory(out, cpu())},
             {DNNL_ARG_SCRATCHPAD, memory(plan.scratchpad_desc(), cpu())}};
  return named(c);
}

/// Of two activations: the second one is int8 to it, ours minus 128, in plain order. If it has no
/// fast code for the zero point of the second one, it computes without, and only the time is
/// compared.
subject activations_product(const op& of) {
  const auto s = of.signature().as<ctq::matmul_shape>();
  const memory::desc a({s.batch, s.m, s.k}, type::u8, tag::abc);
  const memory::desc b({s.batch, s.k, s.n}, type::s8, s.transposed != 0 ? tag::acb : tag::abc);
  const memory::desc out({s.batch, s.m, s.n}, type::u8, tag::abc);
  const auto plan_of = [&](bool exact) {
    dnnl::primitive_attr attr;
    attr.set_output_scales(0, {op::a.scale * op::b.scale / of.out().scale});
    attr.set_zero_points(DNNL_ARG_SRC, 0, {op::a.zero_point});
    if (exact) attr.set_zero_points(DNNL_ARG_WEIGHTS, 0, {op::b.zero_point - 128});
    attr.set_zero_points(DNNL_ARG_DST, 0, {of.out().zero_point});
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return dnnl::matmul::primitive_desc({a, b, out}, attr, cpu());
  };
  const auto is_slow = [](const dnnl::matmul::primitive_desc& plan) {
    return std::strstr(plan.impl_info_str(), "ref") != nullptr;
  };
  auto plan = plan_of(true);
  const bool exact = !is_slow(plan);
  if (!exact) plan = plan_of(false);
  auto c = std::make_shared<call>();
  memory second(b, cpu());
  auto* const to = static_cast<std::uint8_t*>(second.get_data_handle());
  for (std::size_t i = 0; i < b.get_size(); ++i)
    to[i] = static_cast<std::uint8_t>(of.input(1)[i]) ^ std::uint8_t{128};
  c->primitive = dnnl::matmul(plan);
  c->args = {{DNNL_ARG_SRC, operand_of(a, of.input(0))},
             {DNNL_ARG_WEIGHTS, second},
             {DNNL_ARG_DST, operand_of(out, of.result())},
             {DNNL_ARG_SCRATCHPAD, memory(plan.scratchpad_desc(), cpu())}};
  std::function<const void*()> answer;
  if (exact) answer = [&of] { return of.result(); };
  return {"oneDNN", [c] { c->run(); }, std::move(answer)};
}

template <class Make>
std::optional<subject> if_it_can(Make make) {
  try {
    return make();
  } catch (const dnnl::error&) {
    return std::nullopt;
  }
}

}  // namespace

std::string onednn_version() {
  const dnnl_version_t& v = *dnnl::version();
  return std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
}

std::optional<subject> onednn(const layer& of) {
  return if_it_can([&] { return of.linear ? matmul(of) : convolution(of); });
}

std::optional<subject> onednn(const op& of) {
  namespace kernel = ctq::kernel;
  const ctq::kernel_id k = of.signature().kernel;
  return if_it_can([&]() -> std::optional<subject> {
    if (k == kernel::pooling_max || k == kernel::pooling_avg) return pooling(of);
    if (k == kernel::softmax) return softmax(of);
    if (k == kernel::layer_norm) return layer_norm(of);
    if (k == kernel::concat)
      return of.entry.count > 2 ? requantized_concatenation(of) : concatenation(of);
    if (k == kernel::binary_mul_broadcast) return broadcast_product(of);
    if (k == kernel::conv_transpose2d) return deconvolution<ctq::conv_transpose2d_shape>(of);
    if (k == kernel::conv_transpose3d) return deconvolution<ctq::conv_transpose3d_shape>(of);
    if (k == kernel::matmul) return activations_product(of);
    if (k == kernel::reorder || k == kernel::to_nhwc || k == kernel::to_nchw) return exchanged(of);
    return std::nullopt;
  });
}

std::optional<subject> onednn(const elementwise& of) {
  using enum elementwise::op;
  if (of.what == mul || of.what == fake_quantize) return std::nullopt;
  return if_it_can([&] {
    switch (of.what) {
      case quantize:
        return reorder(of, type::f32, 0, type::u8, elementwise::out.zero_point,
                       1.0F / elementwise::out.scale, {});
      case quantize_channels: {
        std::vector<float> inverse;
        for (const float scale : of.channel_scales) inverse.push_back(1.0F / scale);
        return reorder(of, type::f32, 0, type::s8, 0, 1.0F, inverse);
      }
      case dequantize:
        return reorder(of, type::u8, elementwise::a.zero_point, type::f32, 0, elementwise::a.scale,
                       {});
      case requantize:
        return reorder(of, type::s32, 0, type::u8, elementwise::out.zero_point,
                       elementwise::multiplier, {});
      default: return addition(of);
    }
  });
}

}  // namespace bench
