// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/plan_stages.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/x86.hpp"
#include "graphs.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 8}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
          "relu"_n = nn::relu("fc"_n), "out"_n = nn::output("relu"_n));
struct everywhere
    : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {};
struct training : plan_options {
  static constexpr bool is_qat = true;
};
constexpr auto skip = unsupported::skip;

// Each stage is a constant, and options make another.
static_assert(fused_v<net, x86>.count == 3);
static_assert(prepared_v<net, x86, everywhere, skip>.observers == 2);
static_assert(lowered_v<net, x86, everywhere, skip>.count == 5);
static_assert(fused_v<net, x86>.nodes[1].op == nni::linear_relu.id());
static_assert(prepared_v<net, x86, everywhere, skip, training>.nodes[2].op ==
              nniqat::linear_relu.id());
static_assert(!missing_kernel_v<net, x86, everywhere, unsupported::error>.any());

constexpr int first[] = {0};
struct quantized : plan_options {
  static constexpr prepare_custom_config prepare{.input_quantized_indexes = {first, 1}};
};

// It is calibrated in float, and then takes integers, whose qparams come after those of observers.
static_assert(prepared_schedule_v<net, x86, everywhere, skip, quantized>.inputs[0].dtype == f32);
constexpr auto& with_integers = lowered_schedule_v<net, x86, everywhere, skip, quantized>;
static_assert(with_integers.inputs[0].dtype == quint8);
static_assert(with_integers.inputs[0].observer ==
              prepared_v<net, x86, everywhere, skip, quantized>.observers);

TEST_CASE("there is room for the floats that quantized inputs become") {
  CHECK(
      graphs::print(reference_v<net, x86, everywhere, skip, quantized>.view()).find("dequantize") !=
      std::string::npos);
}

}  // namespace
