// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Networks of convolutions along one axis and three, and of transposed ones: every layer on
// integers, the bytes of the compiled model those of the interpreter.

#include <doctest/doctest.h>

#include "compare_executors.hpp"
#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/x86.hpp"
#include "networks/keyword_spotter.hpp"
#include "networks/unet.hpp"
#include "networks/volumes.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

inline constexpr auto keyword_spotter = networks::keyword_spotter(61);
inline constexpr auto unet = networks::unet(12);
inline constexpr auto volumes = networks::volumes(6);

/// Images that become larger in each of the ways that backends list.
inline constexpr auto upscaling = model(
    "x"_n = nn::placeholder({1, 3, 5, 6}),
    "conv1"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 3, .padding = 1}),
    "near"_n = fn::interpolate("conv1"_n, {.scale_factor = 2.0F}),
    "conv2"_n = nn::conv2d("near"_n, {.out_channels = 8, .kernel_size = 1}),
    "smooth"_n = fn::interpolate("conv2"_n, {.size = {13, 9}, .mode = interpolation::bilinear}),
    "curved"_n = fn::interpolate("smooth"_n, {.size = {11, 12}, .mode = interpolation::bicubic}),
    "conv3"_n = nn::conv2d("curved"_n, {.out_channels = 12, .kernel_size = 3}),
    "shuffled"_n = nn::pixel_shuffle("conv3"_n, {.upscale_factor = 2}),
    "conv4"_n = nn::conv2d("shuffled"_n, {.out_channels = 3, .kernel_size = 1}),
    "out"_n = nn::output("conv4"_n));

/// Volumes that become larger.
inline constexpr auto growing = model(
    "x"_n = nn::placeholder({1, 3, 4, 5, 6}),
    "conv1"_n = nn::conv3d("x"_n, {.out_channels = 6, .kernel_size = 1}),
    "near"_n = fn::interpolate("conv1"_n, {.size = {6, 5, 7}}),
    "conv2"_n = nn::conv3d("near"_n, {.out_channels = 8, .kernel_size = 3}),
    "smooth"_n =
        fn::interpolate("conv2"_n, {.scale_factor = 1.5F, .mode = interpolation::trilinear}),
    "up"_n = nn::conv_transpose3d("smooth"_n, {.out_channels = 6,
                                               .kernel_size = {2, 3, 4},
                                               .stride = 2,
                                               .padding = {0, 1, 1},
                                               .output_padding = {0, 1, 0},
                                               .groups = 2}),
    "bn"_n = nn::batch_norm3d("up"_n), "relu"_n = nn::relu("bn"_n),
    "conv3"_n = nn::conv3d("relu"_n, {.out_channels = 2, .kernel_size = 1}),
    "out"_n = nn::output("conv3"_n));

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

template <const auto& Model, class Mapping>
small::differences run(int rounds) {
  static_assert(in_float<plan<Model, x86, Mapping>>() == 0);
  return small::compare_executors<Model, x86, Mapping>(rounds);
}

}  // namespace

TEST_CASE("a keyword spotter, along one axis") {
  const small::differences o = run<keyword_spotter, small::int8>(20);
  CHECK(o.other_bytes == 0);
  CHECK(o.error < 0.05F * o.size);
}

TEST_CASE("a network of volumes, along three axes") {
  const small::differences o = run<volumes, small::int8>(20);
  CHECK(o.other_bytes == 0);
  CHECK(o.error < 0.05F * o.size);
}

TEST_CASE("a U-Net, with transposed convolutions") {
  const small::differences o = run<unet, default_qconfig_mapping<x86>>(10);
  CHECK(o.other_bytes == 0);
  CHECK(o.error < 0.15F * o.size);
}

TEST_CASE("images that are interpolated, and whose channels become pixels") {
  const small::differences o = run<upscaling, small::int8>(20);
  CHECK(o.other_bytes == 0);
  CHECK(o.error < 0.1F * o.size);
}

TEST_CASE("volumes that are interpolated, with a transposed convolution") {
  const small::differences o = run<growing, default_qconfig_mapping<x86>>(20);
  CHECK(o.other_bytes == 0);
  CHECK(o.error < 0.1F * o.size);
}
