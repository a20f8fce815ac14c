// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Networks of convolutions along one axis, and of transposed ones: every layer on integers, the
// bytes of the compiled model those of the interpreter.

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/runtime/convert.hpp"
#include "ctq/runtime/float_model.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "ctq/runtime/session.hpp"
#include "networks/keyword_spotter.hpp"
#include "networks/unet.hpp"
#include "small_net.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

inline constexpr auto keyword_spotter = networks::keyword_spotter(61);
inline constexpr auto unet = networks::unet(12);

/// Images that become larger in each of the ways that backends list.
inline constexpr auto upscaling = model(
    "x"_n = nn::placeholder({1, 3, 5, 6}),
    "conv1"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 3, .padding = 1}),
    "near"_n = fn::interpolate("conv1"_n, {.scale_factor = 2.0F}),
    "conv2"_n = nn::conv2d("near"_n, {.out_channels = 8, .kernel_size = 1}),
    "smooth"_n = fn::interpolate("conv2"_n, {.size = {13, 9}, .mode = interpolation::bilinear}),
    "conv3"_n = nn::conv2d("smooth"_n, {.out_channels = 12, .kernel_size = 3}),
    "shuffled"_n = nn::pixel_shuffle("conv3"_n, {.upscale_factor = 2}),
    "conv4"_n = nn::conv2d("shuffled"_n, {.out_channels = 3, .kernel_size = 1}),
    "out"_n = nn::output("conv4"_n));

/// How many nodes of a plan between quantize and dequantize compute in float.
template <class Plan>
constexpr int in_float() {
  int count = 0;
  for (int i = 0; i < Plan::lowered.count; ++i) {
    const node& n = Plan::lowered.nodes[i];
    const bool at_the_ends = n.op->kind == op_kind::placeholder || n.op->kind == op_kind::output ||
                             n.op == q::dequantize.id();
    count += n.dtype == f32 && !at_the_ends ? 1 : 0;
  }
  return count;
}

struct outcome {
  int other_bytes = 0;  // inputs for which the compiled model and the interpreter differ
  float error = 0;      // of the compiled model against the float one: a sum, as is
  float size = 0;       // that of the float outputs
};

template <const auto& Model, class Mapping>
outcome run(int rounds) {
  std::mt19937 random{5};
  const auto weights = small::checked_weights<Model>(3);
  auto observed = prepare<Model, x86, Mapping>(weights);
  using plan = typename decltype(observed)::plan;
  static_assert(in_float<plan>() == 0);
  typename io_types<plan::int8_schedule>::input x;
  typename io_types<plan::int8_schedule>::output ours, expected, in_float;
  for (int i = 0; i < 8; ++i) {
    small::fill(x, random);
    observed(x);
  }
  const auto int8 = convert(observed);
  REQUIRE(int8);
  auto oracle = interpreter<reference_kernels>::make(plan::lowered.view(), weights.get(),
                                                     int8->qparams(), plan::backend, plan::mapping);
  REQUIRE(oracle);
  float_model<Model, x86> reference{weights};
  session session{*int8};
  outcome o;
  for (int i = 0; i < rounds; ++i) {
    small::fill(x, random);
    session(x, ours);
    oracle->run(x.data(), expected.data());
    reference(x, in_float);
    o.other_bytes += ours.values != expected.values ? 1 : 0;
    for (std::size_t k = 0; k < ours.size; ++k) {
      o.error += std::fabs(ours[k] - in_float[k]);
      o.size += std::fabs(in_float[k]);
    }
  }
  return o;
}

}  // namespace

TEST_CASE("a keyword spotter, along one axis") {
  const outcome o = run<keyword_spotter, small::int8>(20);
  CHECK(o.other_bytes == 0);
  CHECK(o.error < 0.05F * o.size);
}

TEST_CASE("a U-Net, with transposed convolutions") {
  const outcome o = run<unet, default_qconfig_mapping<x86>>(10);
  CHECK(o.other_bytes == 0);
  CHECK(o.error < 0.15F * o.size);
}

TEST_CASE("images that are interpolated, and whose channels become pixels") {
  const outcome o = run<upscaling, small::int8>(20);
  CHECK(o.other_bytes == 0);
  CHECK(o.error < 0.1F * o.size);
}
