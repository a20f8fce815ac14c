// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library ctq-kernels gives the bytes of the reference on each of its instruction sets: layer
// by layer, and in whole models, with ops of a user's own. Compiled without flags of an instruction
// set, and with -DCTQ_COMPILED_KERNELS.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "../../unit/runtime/small_net.hpp"
#include "../../unit/user_ops.hpp"
#include "ctq/ctq.hpp"
#include "ctq/runtime/compiled_kernels/define_kernel_set.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

int wrong = 0;

void check(bool right, std::string_view isa, std::string_view what) {
  if (right) return;
  ++wrong;
  std::printf("%.*s: wrong: %.*s\n", static_cast<int>(isa.size()), isa.data(),
              static_cast<int>(what.size()), what.data());
}

// ---- layers

constexpr auto& reference = compiled_kernels::set_of<reference_kernels>;

std::mt19937 generator{7};

int any(int first, int last) { return std::uniform_int_distribution<int>(first, last)(generator); }

kernel_signature any_layer() {
  kernel_signature signature;
  const dtype types[] = {quint8, qint8};
  signature.in = types[any(0, 1)];
  signature.out = types[any(0, 1)];
  signature.relu = any(0, 1) == 1;
  signature.then = static_cast<fused_op>(any(0, 3));
  if (any(0, 4) == 0) {
    signature.kernel = kernel::linear;
    signature.size = to_block<kernel_signature::sizes>(
        linear_shape{.rows = any(1, 9), .in_features = any(1, 99), .out_features = any(1, 70)});
    return signature;
  }
  const bool by_channel = any(0, 2) == 0;
  const int channels = any(1, by_channel ? 90 : 40);
  const int sizes[] = {1, 2, 3, 5};
  const int size = sizes[any(0, 3)];
  signature.kernel = kernel::conv2d;
  signature.size = to_block<kernel_signature::sizes>(
      conv2d_shape{.batch = any(1, 2),
                   .in_h = any(3, 17),
                   .in_w = any(3, 17),
                   .in_channels = channels,
                   .out_channels = by_channel ? channels : any(1, 70),
                   .kernel_h = size,
                   .kernel_w = size,
                   .stride_h = any(1, 2),
                   .stride_w = any(1, 2),
                   .padding_h = size / 2,
                   .padding_w = size / 2,
                   .groups = by_channel ? channels : 1});
  return signature;
}

conv2d_shape sizes_of(const kernel_signature& signature) {
  return signature.kernel == kernel::linear ? as_conv2d(signature.as<linear_shape>())
                                            : signature.as<conv2d_shape>();
}

aligned_buffer any_bytes(std::size_t count) {
  aligned_buffer bytes(count + 64);
  for (std::size_t i = 0; i < count; ++i) bytes.data()[i] = static_cast<std::byte>(any(0, 255));
  return bytes;
}

qparams any_qparams(dtype d) {
  const quant_range range = range_of(d);
  return {0.01F * static_cast<float>(any(1, 9)),
          any(static_cast<int>(range.min), static_cast<int>(range.max)),
          static_cast<std::int32_t>(range.min), static_cast<std::int32_t>(range.max)};
}

/// A layer with random numbers, for any set of kernels.
struct layer {
  kernel_signature signature = any_layer();
  conv2d_shape s = sizes_of(signature);
  std::size_t outputs = static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.out_h()) *
                        static_cast<std::size_t>(s.out_w()) *
                        static_cast<std::size_t>(s.out_channels);
  aligned_buffer weight = any_bytes(kernels::reference_weights<std::int8_t>::weights(s));
  std::vector<std::int32_t> bias;
  std::vector<float> multiplier;
  aligned_buffer in =
      any_bytes(static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.in_h) *
                static_cast<std::size_t>(s.in_w) * static_cast<std::size_t>(s.in_channels));
  aligned_buffer other = any_bytes(outputs);
  aligned_buffer table = any_bytes(256);
  step_data data;

  layer() {
    for (int i = 0; i < s.out_channels; ++i) {
      bias.push_back(any(-5000, 5000));
      multiplier.push_back(0.0001F * static_cast<float>(any(1, 50)));
    }
    data = {.in = {any_qparams(signature.in), any_qparams(signature.out)},
            .out = any_qparams(signature.out),
            .fused = any_qparams(signature.out)};
    data.out_range =
        kernels::output_range_of(packing::layer_output(signature, data), signature.relu);
  }

  [[nodiscard]] std::vector<std::byte> outputs_of(const kernel_set& set) const {
    const std::size_t bytes = set.packing.packed_bytes(signature);
    aligned_buffer packed(bytes);
    set.packing.pack(signature, {weight.data(), bias.data(), multiplier.data()}, packed.data());
    if (signature.then == fused_op::table)
      std::memcpy(packed.data() + bytes - 256, table.data(), 256);
    aligned_buffer workspace(set.workspace_bytes(signature));
    aligned_buffer out(outputs);
    set.function_of(signature)(signature, {.in = {in.data(), other.data()},
                                           .out = out.data(),
                                           .packed = packed.data(),
                                           .workspace = workspace.data(),
                                           .data = &data});
    return {out.data(), out.data() + outputs};
  }
};

void check_layers(int count) {
  for (int i = 0; i < count; ++i) {
    const layer one;
    const auto expected = one.outputs_of(reference);
    for (const kernel_set* set : compiled_kernels::all()) {
      if (one.outputs_of(*set) == expected) continue;
      static_text<200> text;
      append_kernel(text, one.signature, set->blocking(one.signature).view(),
                    set->packing.packed_bytes(one.signature));
      check(false, set->isa, text.view());
    }
  }
}

// ---- ops

/// Functions of ctq's ops are those of the set, compiled for its instructions.
void check_ops() {
  const op_id gelu = nn::gelu.id();
  for (const kernel_set* set : compiled_kernels::all()) {
    const op_id own = set->own_op(gelu);
    check(own->name == gelu->name, set->isa, "an op of the library has the same name");
    check(own->descriptor->functions.apply != gelu->descriptor->functions.apply, set->isa,
          "an op of the library has functions of its own");
    check(set->own_op(own::swish.id()) == own::swish.id(), set->isa, "an op of the user is kept");
  }
}

// ---- models

struct user_backend
    : backend_config<
          "user_backend", backend_pattern_config<pattern<nn::conv2d>, dtype_configs<weighted_int8>>,
          backend_pattern_config<pattern<fn::flatten>, dtype_configs<activation_int8>,
                                 share_observer_with_input>,
          backend_pattern_config<pattern<own::swish>, dtype_configs<activation_int8>>,
          backend_pattern_config<pattern<own::negate>, dtype_configs<activation_int8>>,
          backend_pattern_config<pattern<own::add_swish>, dtype_configs<activation_int8>>,
          backend_pattern_config<pattern<own::reverse>, dtype_configs<activation_int8>,
                                 share_observer_with_input>> {};

/// Ops of a user's own: by a table, by a kernel, of two tensors, of whole tensors.
inline constexpr auto with_user_ops =
    model("x"_n = nn::placeholder({1, 3, 7, 9}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 5, .kernel_size = 3, .padding = 1}),
          "swish"_n = own::swish("conv"_n, {.beta = 0.7F}), "negate"_n = own::negate("swish"_n),
          "both"_n = own::add_swish("negate"_n, "conv"_n), "reverse"_n = own::reverse("both"_n),
          "out"_n = nn::output("reverse"_n));

/// The blocks of a mobile network: layers with a table, with a sum, by channel.
inline constexpr auto mobile = model(
    "x"_n = nn::placeholder({1, 3, 24, 20}),
    "stem"_n = nn::conv2d("x"_n, {.out_channels = 16, .kernel_size = 3, .stride = 2, .padding = 1}),
    "act0"_n = nn::hardswish("stem"_n),
    "expand"_n = nn::conv2d("act0"_n, {.out_channels = 48, .kernel_size = 1}),
    "act1"_n = nn::hardswish("expand"_n),
    "deep"_n =
        nn::conv2d("act1"_n, {.out_channels = 48, .kernel_size = 5, .padding = 2, .groups = 48}),
    "act2"_n = nn::hardswish("deep"_n),
    "project"_n = nn::conv2d("act2"_n, {.out_channels = 16, .kernel_size = 1}),
    "add"_n = op::add("project"_n, "act0"_n),
    "pool"_n = nn::adaptive_avg_pool2d("add"_n, {.output_size = 1}),
    "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 10}), "out"_n = nn::output("fc"_n));

struct dynamic_linears
    : qconfig_mapping<global<qconfig<placeholder_observer<{.dtype = quint8, .is_dynamic = true}>,
                                     per_channel_min_max_observer<>>>> {};

struct int4_backend : backend_config<"int4", linear_configs<symmetric_dynamic_int8>> {};
struct int4_linears : qconfig_mapping<global<int8_dynamic_activation_int4_weight_qconfig<>>> {};

/// The model on each instruction set against the interpreter. The float model too, which runs on
/// the fastest: its outputs are close to those of integers.
template <const auto& Model, class Backend, class Mapping>
void check_model(std::string_view name, float tolerance) {
  const auto weights = small::checked_weights<Model>(3);
  auto observed = prepare<Model, Backend, Mapping>(weights);
  using plan = typename decltype(observed)::plan;
  float_model<Model, Backend> in_float{weights};
  std::vector<typename io_types<plan::int8_schedule>::input> inputs(8);
  for (auto& x : inputs) {
    for (float& v : x.values) v = std::uniform_real_distribution<float>(-1, 1)(generator);
    observed(x);
  }
  const auto chosen = convert(observed).value_or_exit();
  using quantized = std::remove_const_t<decltype(chosen)>;
  static_assert(std::is_same_v<quantized, quantized_model<plan, isa::compiled>>);
  check(chosen.isa() == compiled_kernels::all().front()->isa, chosen.isa(),
        "the fastest is chosen");
  auto oracle = interpreter<reference_kernels>::make(plan::lowered.view(), weights.get(),
                                                     chosen.qparams(), plan::backend, plan::mapping)
                    .value_or_exit();
  for (const kernel_set* set : compiled_kernels::all()) {
    const auto made = quantized::make(chosen.state(), set->isa);
    check(made && made->isa() == set->isa, set->isa, "the one that is asked for is there");
    session run{*made};
    for (const auto& x : inputs) {
      const auto ours = run(x);
      auto expected = ours;
      oracle.run(x.data(), expected.data());
      check(std::memcmp(ours.data(), expected.data(), sizeof ours.values) == 0, set->isa, name);
      const auto floats = in_float(x);
      for (std::size_t i = 0; i < ours.size; ++i)
        check(std::abs(ours[i] - floats[i]) < tolerance, set->isa, "near the float model");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  check_layers(argc > 1 ? std::atoi(argv[1]) : 300);
  check_ops();
  check_model<small::net, x86, small::int8>("each kind of step", 0.5F);
  check_model<mobile, x86, small::int8>("a mobile network", 0.5F);
  check_model<with_user_ops, user_backend, small::int8>("user ops", 0.5F);
  check_model<small::mlp, fbgemm, dynamic_linears>("dynamic linears", 0.1F);
  check_model<small::mlp, int4_backend, int4_linears>("weights per group", 0.5F);
  check(!quantized_model<plan<small::mlp, x86, small::int8>, isa::compiled>::make({}, "avx1024"),
        "avx1024", "a wrong name is an error");
  std::printf("%zu instruction sets, %d wrong\n", compiled_kernels::all().size(), wrong);
  return wrong == 0 && !compiled_kernels::all().empty() ? 0 : 1;
}
