// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDNN on one thread, with weights in the layout it prefers.

#include <cstring>
#include <dnnl.hpp>
#include <memory>
#include <unordered_map>

#include "elementwise.hpp"
#include "layer.hpp"
#include "machine.hpp"

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
