// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/spec/observer.hpp"

// PyTorch's named observers and fake quantizes. All arguments that differ from PyTorch's class
// defaults are given.

namespace ctq {

namespace default_args {

// 7-bit activations, so that sums of two products fit in 16 bits, as FBGEMM needs without VNNI: by
// a custom range, or by reduce_range.
inline constexpr observer_args seven_bits{.quant_min = 0, .quant_max = 127};
inline constexpr observer_args reduced{.reduce_range = true, .quant_min = 0, .quant_max = 255};
inline constexpr observer_args eight_bits{.quant_min = 0, .quant_max = 255};

inline constexpr observer_args weight{
    .dtype = qint8, .qscheme = qscheme::per_tensor_symmetric, .quant_min = -128, .quant_max = 127};
inline constexpr per_channel_observer_args per_channel_weight{
    .dtype = qint8, .qscheme = qscheme::per_channel_symmetric, .quant_min = -128, .quant_max = 127};

// XNNPACK requires weights without -128, and scales for which the requantization scale is not too
// small.
inline constexpr observer_args weight_127{.dtype = qint8,
                                          .qscheme = qscheme::per_tensor_symmetric,
                                          .quant_min = -127,
                                          .quant_max = 127,
                                          .eps = 0x1p-12F};
inline constexpr per_channel_observer_args per_channel_weight_127{
    .dtype = qint8,
    .qscheme = qscheme::per_channel_symmetric,
    .quant_min = -127,
    .quant_max = 127,
    .eps = 0x1p-12F};

// 4 bits, per group, with scales that XNNPACK allows.
constexpr per_channel_observer_args int4_weight(int group_size) {
  return {.dtype = qint8,
          .qscheme = qscheme::per_channel_symmetric,
          .quant_min = int4_range.min,
          .quant_max = int4_range.max,
          .eps = 0x1p-12F,
          .group_size = group_size};
}

// Rows of an embedding have a float zero point; in training only the last range counts.
inline constexpr per_channel_observer_args embedding{
    .dtype = quint8, .qscheme = qscheme::per_channel_affine_float_qparams};
inline constexpr per_channel_observer_args embedding_4bit{
    .dtype = quint4x2, .qscheme = qscheme::per_channel_affine_float_qparams};
inline constexpr per_channel_observer_args embedding_in_training{
    .dtype = quint8,
    .qscheme = qscheme::per_channel_affine_float_qparams,
    .quant_min = 0,
    .quant_max = 255,
    .averaging_constant = 1};
inline constexpr per_channel_observer_args embedding_4bit_in_training{
    .dtype = quint4x2,
    .qscheme = qscheme::per_channel_affine_float_qparams,
    .averaging_constant = 1};

}  // namespace default_args

// ---- of activations

struct default_observer : min_max_observer<default_args::seven_bits> {};
struct default_histogram_observer : histogram_observer<default_args::seven_bits> {};
struct default_debug_observer : recording_observer<> {};
struct default_placeholder_observer : placeholder_observer<> {};
struct default_reuse_input_observer : reuse_input_observer {};

/// A torch.nn.Identity instead of an observer.
struct no_observer {
  static constexpr observer_record value{};
};

/// Dynamic quantization with the full 8-bit range.
struct default_dynamic_quant_observer
    : placeholder_observer<{
          .dtype = quint8, .quant_min = 0, .quant_max = 255, .is_dynamic = true}> {};
/// The same in PyTorch 1.13: given by the dtype only (compute_dtype).
struct dtype_only_dynamic_quant_observer
    : placeholder_observer<{.dtype = quint8, .is_dynamic = true}> {};

/// The output of sigmoid, and of tanh.
struct default_fixed_qparams_range_0to1_observer
    : fixed_qparams_observer<{
          .quant_min = 0, .quant_max = 255, .scale = 1.0F / 256, .zero_point = 0}> {};
struct default_fixed_qparams_range_neg1to1_observer
    : fixed_qparams_observer<{
          .quant_min = 0, .quant_max = 255, .scale = 2.0F / 256, .zero_point = 128}> {};

// ---- of weights

struct default_weight_observer
    : min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}> {};
struct default_per_channel_weight_observer
    : per_channel_min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_channel_symmetric}> {};
struct weight_observer_range_neg_127_to_127 : min_max_observer<default_args::weight_127> {};
struct per_channel_weight_observer_range_neg_127_to_127
    : per_channel_min_max_observer<default_args::per_channel_weight_127> {};
struct default_float_qparams_observer : per_channel_min_max_observer<default_args::embedding> {};
struct default_float_qparams_observer_4bit
    : per_channel_min_max_observer<default_args::embedding_4bit> {};

// ---- of activations, in training

struct default_fake_quant : fake_quantize<moving_average_min_max_observer<default_args::reduced>> {
};
struct default_histogram_fake_quant : fake_quantize<histogram_observer<default_args::reduced>> {};
struct default_fused_act_fake_quant
    : fused_moving_avg_obs_fake_quantize<
          moving_average_min_max_observer<default_args::eight_bits>> {};
struct default_fixed_qparams_range_0to1_fake_quant
    : fixed_qparams_fake_quantize<default_fixed_qparams_range_0to1_observer> {};
struct default_fixed_qparams_range_neg1to1_fake_quant
    : fixed_qparams_fake_quantize<default_fixed_qparams_range_neg1to1_observer> {};

/// Only the last range counts, as in dynamic quantization.
struct default_dynamic_fake_quant
    : fake_quantize<moving_average_min_max_observer<{
          .quant_min = 0, .quant_max = 255, .averaging_constant = 1}>> {};

// ---- of weights, in training

struct default_weight_fake_quant
    : fake_quantize<moving_average_min_max_observer<default_args::weight>> {};
struct default_fused_wt_fake_quant
    : fused_moving_avg_obs_fake_quantize<moving_average_min_max_observer<default_args::weight>> {};
struct fused_wt_fake_quant_range_neg_127_to_127
    : fused_moving_avg_obs_fake_quantize<
          moving_average_min_max_observer<default_args::weight_127>> {};

struct default_per_channel_weight_fake_quant
    : fake_quantize<moving_average_per_channel_min_max_observer<default_args::per_channel_weight>> {
};
struct default_fused_per_channel_wt_fake_quant
    : fused_moving_avg_obs_fake_quantize<
          moving_average_per_channel_min_max_observer<default_args::per_channel_weight>> {};
struct fused_per_channel_wt_fake_quant_range_neg_127_to_127
    : fused_moving_avg_obs_fake_quantize<
          moving_average_per_channel_min_max_observer<default_args::per_channel_weight_127>> {};

struct default_embedding_fake_quant
    : fake_quantize<
          moving_average_per_channel_min_max_observer<default_args::embedding_in_training>> {};
struct default_embedding_fake_quant_4bit
    : fake_quantize<
          moving_average_per_channel_min_max_observer<default_args::embedding_4bit_in_training>> {};

}  // namespace ctq
