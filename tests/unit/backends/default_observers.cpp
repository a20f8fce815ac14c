// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/default_observers.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

// Whatever ctq's own defaults are, these are PyTorch's arguments.
static_assert(default_observer::value ==
              observer_record{observer_class::min_max,
                              {.dtype = quint8, .quant_min = 0, .quant_max = 127}});
static_assert(default_per_channel_weight_observer::value ==
              observer_record{observer_class::per_channel_min_max,
                              {.dtype = qint8, .qscheme = qscheme::per_channel_symmetric}});
static_assert(default_fixed_qparams_range_neg1to1_observer::value.args.scale == 0.0078125F);
static_assert(default_fixed_qparams_range_neg1to1_observer::value.args.zero_point == 128);
static_assert(default_float_qparams_observer_4bit::value.args.dtype == quint4x2);
static_assert(default_dynamic_quant_observer::value.type == observer_class::placeholder);
static_assert(default_dynamic_quant_observer::value.args.is_dynamic);
static_assert(default_reuse_input_observer::value.type == observer_class::reuse_input);

static_assert(default_dynamic_fake_quant::value ==
              observer_record{observer_class::moving_average_min_max,
                              {.quant_min = 0, .quant_max = 255, .averaging_constant = 1},
                              fake_quantize_class::fake_quantize});
static_assert(default_fused_act_fake_quant::value ==
              observer_record{observer_class::moving_average_min_max,
                              {.quant_min = 0, .quant_max = 255},
                              fake_quantize_class::fused_moving_avg_obs_fake_quantize});

TEST_CASE("a fake quantize is the observer it wraps, by another class") {
  observer_record r = default_fixed_qparams_range_0to1_fake_quant::value;
  CHECK(r.fake_quantize == fake_quantize_class::fixed_qparams_fake_quantize);
  r.fake_quantize = fake_quantize_class::none;
  CHECK(r == default_fixed_qparams_range_0to1_observer::value);
}

TEST_CASE("the fused forms differ from the others by their class alone") {
  observer_record r = default_fused_wt_fake_quant::value;
  CHECK(r.fake_quantize == fake_quantize_class::fused_moving_avg_obs_fake_quantize);
  r.fake_quantize = fake_quantize_class::fake_quantize;
  CHECK(r == default_weight_fake_quant::value);
  r = default_fused_per_channel_wt_fake_quant::value;
  r.fake_quantize = fake_quantize_class::fake_quantize;
  CHECK(r == default_per_channel_weight_fake_quant::value);
}

TEST_CASE("XNNPACK's weights are without -128 and have a smallest scale") {
  for (const observer_record& r : {weight_observer_range_neg_127_to_127::value,
                                   per_channel_weight_observer_range_neg_127_to_127::value,
                                   fused_wt_fake_quant_range_neg_127_to_127::value,
                                   fused_per_channel_wt_fake_quant_range_neg_127_to_127::value}) {
    CHECK(range_of(r.args) == quant_range{-127, 127});
    CHECK(r.args.eps == 0x1p-12F);
  }
}

TEST_CASE("embeddings keep no memory of earlier batches, and a range only in 8 bits") {
  CHECK(default_embedding_fake_quant::value.args.averaging_constant == 1);
  CHECK(default_embedding_fake_quant_4bit::value.args.averaging_constant == 1);
  CHECK(has_custom_range(default_embedding_fake_quant::value.args));
  CHECK(!has_custom_range(default_embedding_fake_quant_4bit::value.args));
}

}  // namespace
