// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/semantics.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace ctq;

namespace {

constexpr auto old = semantics::torch_1_13;
constexpr auto now = semantics::torch_2_1;

static_assert(semantics{} == now);  // the default

static_assert(histogram_range_is_truncated(old) && !histogram_range_is_truncated(now));
static_assert(!histogram_growth_avoids_underflow(old) && histogram_growth_avoids_underflow(now));
static_assert(!histogram_growth_avoids_overflow(old) && histogram_growth_avoids_overflow(now));
static_assert(!histogram_ignores_infinity(old) && histogram_ignores_infinity(now));
static_assert(histogram_growth_fails_past_the_end(old) &&
              !histogram_growth_fails_past_the_end(now));
static_assert(vectors_have_no_channels(old) && !vectors_have_no_channels(now));
static_assert(fused_fake_quantize_uses_dynamic_formula(old) &&
              !fused_fake_quantize_uses_dynamic_formula(now));
static_assert(!scale_bounds_are_enforced(old) && scale_bounds_are_enforced(now));
static_assert(infinite_scale_is_kept(old) && !infinite_scale_is_kept(now));
static_assert(histogram_search_overflows(old) && !histogram_search_overflows(now));
static_assert(default_mapping_lists_fusible_ops(old) && !default_mapping_lists_fusible_ops(now));
static_assert(!default_mapping_lists_prelu(old) && default_mapping_lists_prelu(now));
static_assert(unknown_backend_gets_default_qconfig(old) &&
              !unknown_backend_gets_default_qconfig(now));
static_assert(!dynamic_quant_observer_has_range(old) && dynamic_quant_observer_has_range(now));
static_assert(dynamic_float16_counts_as_static(old) && !dynamic_float16_counts_as_static(now));

TEST_CASE("a release answers every question") {
  for (const semantics s : {old, now})
    CHECK(histogram_range_is_truncated(s) != histogram_ignores_infinity(s));
}

}  // namespace
