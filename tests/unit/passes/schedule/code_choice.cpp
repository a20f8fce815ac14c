// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/code_choice.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/plan.hpp"
#include "kernels/square_shape.hpp"

using namespace ctq;
using namespace ctq::literals;
using scheduling::chosen_code;
using scheduling::layer_size_of;

namespace {

constexpr kernel_signature conv(int size, int in, int out, int kernel, int groups = 1) {
  return signature_of(kernel::conv2d, quint8, quint8,
                      samples::square_shape(kernel, 1, in, out, size, groups));
}
static_assert(layer_size_of(conv(10, 8, 16, 3)).products == 10 * 10 * 16 * 9 * 8);
static_assert(layer_size_of(conv(10, 8, 8, 3, 8)).products == 10 * 10 * 8 * 9);
static_assert(layer_size_of(signature_of(kernel::linear, quint8, quint8, linear_shape{2, 3, 4}))
                  .products == 24);
static_assert(
    layer_size_of(signature_of(kernel::relu, quint8, quint8, elementwise_shape{9})).products == 0);

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 64, 28, 28}),
          "large"_n = nn::conv2d("x"_n, {.out_channels = 64, .kernel_size = 3, .padding = 1}),
          "pool"_n = nn::adaptive_avg_pool2d("large"_n, {.output_size = 1}),
          "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
          "small"_n = nn::linear("flat"_n, {.out_features = 10}), "out"_n = nn::output("small"_n));
struct everywhere
    : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {};
using net_plan = plan<net, x86, everywhere>;

/// Whether a schedule has a step of this code, by a kernel with weights or by another.
template <class Schedule>
constexpr bool has(const Schedule& s, kernel_code_kind code, bool layer) {
  for (int i = 0; i < s.count; ++i)
    if (s.steps[i].code == code &&
        kernels::facts_of(s.steps[i].signature.kernel).has_weights == layer)
      return true;
  return false;
}
constexpr auto& int8 = net_plan::int8_schedule;
static_assert(has(int8, kernel_code_kind::specialized, true) &&
              has(int8, kernel_code_kind::shared, true));
static_assert(has(int8, kernel_code_kind::shared, false) &&
              !has(int8, kernel_code_kind::specialized, false));
// Models of floats are not specialized.
static_assert(!has(net_plan::observed_schedule, kernel_code_kind::specialized, true));

}  // namespace

TEST_CASE("small layers are compiled for their extents, large ones and other kernels are not") {
  CHECK(chosen_code(layer_size_of(conv(14, 8, 16, 3))) == kernel_code_kind::specialized);
  CHECK(chosen_code(layer_size_of(conv(56, 64, 64, 3))) == kernel_code_kind::shared);
  CHECK(chosen_code(layer_size_of(conv(14, 240, 240, 5, 240))) == kernel_code_kind::specialized);
  CHECK(chosen_code(layer_size_of(conv(28, 192, 192, 3, 192))) == kernel_code_kind::specialized);
  CHECK(chosen_code(layer_size_of(conv(112, 32, 32, 3, 32))) == kernel_code_kind::shared);
  CHECK(chosen_code(layer_size_of(conv(56, 128, 128, 3, 32))) == kernel_code_kind::specialized);
  const auto linear = [](int rows, int in, int out) {
    return chosen_code(
        layer_size_of(signature_of(kernel::linear, quint8, quint8, linear_shape{rows, in, out})));
  };
  CHECK(linear(64, 64, 64) == kernel_code_kind::specialized);
  CHECK(linear(64, 128, 128) == kernel_code_kind::shared);
  CHECK(linear(33, 127, 130) == kernel_code_kind::specialized);
  CHECK(linear(330, 127, 130) == kernel_code_kind::shared);
  CHECK(chosen_code(layer_size_of(signature_of(
            kernel::relu, quint8, quint8, elementwise_shape{64}))) == kernel_code_kind::shared);
}
