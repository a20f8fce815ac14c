// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/default_qconfigs.hpp"

#include <doctest/doctest.h>

#include "ctq/spec/backend_config.hpp"

using namespace ctq;

namespace {

using qat = moving_average_min_max_observer<{.quant_min = 0, .quant_max = 255}>;
using narrow_qat =
    moving_average_min_max_observer<{.reduce_range = true, .quant_min = 0, .quant_max = 255}>;

static_assert(default_qconfig_of<x86>::value ==
              qconfig<histogram_observer<{.reduce_range = true}>,
                      default_per_channel_weight_observer>::value);
static_assert(default_qconfig_of<fbgemm>::value == default_qconfig_of<x86>::value);
static_assert(default_qconfig_of<qnnpack>::value ==
              qconfig<histogram_observer<>, default_weight_observer>::value);
static_assert(default_qconfig_of<onednn>::value ==
              qconfig<histogram_observer<>, default_per_channel_weight_observer>::value);

static_assert(default_qat_qconfig_of<x86>::value ==
              qconfig<fused_moving_avg_obs_fake_quantize<narrow_qat>,
                      default_fused_per_channel_wt_fake_quant>::value);
static_assert(default_qat_qconfig_of<x86, 0>::value ==
              qconfig<fake_quantize<narrow_qat>, default_per_channel_weight_fake_quant>::value);
static_assert(default_qat_qconfig_of<fbgemm, 1>::value == default_qat_qconfig_of<x86>::value);
static_assert(default_qat_qconfig_of<fbgemm, 0>::value == default_qat_qconfig_of<x86, 0>::value);
static_assert(default_qat_qconfig_of<qnnpack>::value ==
              qconfig<fused_moving_avg_obs_fake_quantize<qat>, default_fused_wt_fake_quant>::value);
static_assert(default_qat_qconfig_of<qnnpack, 0>::value ==
              qconfig<fake_quantize<qat>, default_weight_fake_quant>::value);
static_assert(default_qat_qconfig_of<onednn>::value ==
              qconfig<fused_moving_avg_obs_fake_quantize<qat>,
                      default_fused_per_channel_wt_fake_quant>::value);
static_assert(default_qat_qconfig_of<onednn, 0>::value ==
              qconfig<fake_quantize<qat>, default_per_channel_weight_fake_quant>::value);

struct mine : backend_config<"mine"> {};

}  // namespace

template <>
struct ctq::engine_defaults<mine> {
  static constexpr engine_traits value{.reduce_range = true};
};

TEST_CASE("a backend of one's own has the defaults that its traits ask for") {
  CHECK(default_qconfig_of<mine>::value ==
        qconfig<histogram_observer<{.reduce_range = true}>, default_weight_observer>::value);
  CHECK(default_qat_qconfig_of<mine, 0>::value ==
        qconfig<fake_quantize<narrow_qat>, default_weight_fake_quant>::value);
}

TEST_CASE("a backend is found by its name") {
  CHECK(default_qconfig_record(find_engine("x86")) == default_qconfig_of<x86>::value);
  CHECK(default_qat_qconfig_record(find_engine("onednn"), 0) ==
        default_qat_qconfig_of<onednn, 0>::value);
  CHECK(find_engine("mine") == nullptr);
}

TEST_CASE("PyTorch 1.13 has default_qconfig for a backend that it does not know, 2.1 an error") {
  CHECK(has_default_qconfig("mine", false, semantics::torch_1_13, 0));
  CHECK(!has_default_qconfig("mine", false, semantics::torch_2_1, 0));
  CHECK(default_qconfig_record(find_engine("mine")) == default_qconfig::value);
  CHECK(default_qat_qconfig_record(find_engine("mine")) == default_qat_qconfig_v2::value);
  CHECK(default_qat_qconfig_record(find_engine("mine"), 0) == default_qat_qconfig::value);
}

TEST_CASE("versions are 0 after training, 0 and 1 in training") {
  CHECK(has_default_qconfig("x86", true, semantics::torch_2_1, 1));
  CHECK(!has_default_qconfig("x86", false, semantics::torch_2_1, 1));
  CHECK(!has_default_qconfig("x86", true, semantics::torch_1_13, 2));
}
