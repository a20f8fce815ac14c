// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear layers that are quantized dynamically, or of which only the weight is, through both
// executors.

#include <doctest/doctest.h>

#include "compare_executors.hpp"
#include "ctq/backends/default_observers.hpp"
#include "ctq/backends/dtype_configs.hpp"
#include "ctq/backends/native.hpp"
#include "ctq/backends/onednn.hpp"
#include "ctq/backends/qconfigs.hpp"
#include "ctq/backends/rows.hpp"
#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

inline constexpr auto net =
    model("x"_n = nn::placeholder({3, 21}), "up"_n = nn::linear("x"_n, {.out_features = 40}),
          "gelu"_n = nn::gelu("up"_n),
          "down"_n = nn::linear("gelu"_n, {.out_features = 5, .bias = false}),
          "out"_n = nn::output("down"_n));

inline constexpr auto pair =
    model("x"_n = nn::placeholder({3, 21}), "fc1"_n = nn::linear("x"_n, {.out_features = 9}),
          "fc2"_n = nn::linear("fc1"_n, {.out_features = 5}), "out"_n = nn::output("fc2"_n));

struct small_weights
    : backend_config<"small_weights", rows::rooted<dtype_configs<weight_only_qint8>, nn::linear,
                                                   nn::linear, nnqr::linear>> {};
struct mapping
    : qconfig_mapping<object_type<
          nn::linear, qconfig<default_placeholder_observer, default_per_channel_weight_observer>>> {
};

template <class QConfig>
struct everywhere : qconfig_mapping<global<QConfig>> {};

/// The kernels of a linear layer with a relu, and of one without.
template <class Mapping>
constexpr bool computes_by(kernel_id k) {
  constexpr auto& steps = plan<small::mlp, native, Mapping>::int8_schedule;
  return steps.count == 2 && steps.steps[0].signature.kernel == k &&
         steps.steps[0].signature.relu && steps.steps[1].signature.kernel == k &&
         !steps.steps[1].signature.relu;
}

}  // namespace

TEST_CASE("dynamic linear layers, with a relu or without, have the same bytes in both executors") {
  using int8 = everywhere<default_dynamic_qconfig>;
  static_assert(computes_by<int8>(kernel::linear_dynamic));
  const auto d = small::compare_executors<small::mlp, native, int8>(5);
  CHECK(d.other_bytes == 0);
  CHECK(d.error < 0.05F * d.size);
}

TEST_CASE("dynamic linear layers of float16 weights compute in float") {
  using half = everywhere<float16_dynamic_qconfig>;
  static_assert(computes_by<half>(kernel::linear));
  const auto d = small::compare_executors<small::mlp, native, half>(5);
  // Without fma, sums of floats differ from the reference in the last bits.
  if (kernels::simd::has_fma<isa::native>) CHECK(d.other_bytes == 0);
  CHECK(d.apart < 1e-5F * d.size);
  CHECK(d.error > 0);
  CHECK(d.error < 0.001F * d.size);
}

TEST_CASE("what a dynamic layer returns is quantized for static ones") {
  struct dynamic_first : qconfig_mapping<global<default_per_channel_qconfig>,
                                         module_name<"fc1", default_dynamic_qconfig>> {};
  struct half_first : qconfig_mapping<global<default_per_channel_qconfig>,
                                      module_name<"fc1", float16_dynamic_qconfig>> {};
  constexpr auto& steps = plan<pair, native, dynamic_first>::int8_schedule;
  static_assert(steps.count == 4 && steps.steps[0].signature.kernel == kernel::linear_dynamic &&
                steps.steps[1].signature.kernel == kernel::quantize &&
                steps.steps[2].signature.kernel == kernel::linear);
  const auto dynamic = small::compare_executors<pair, native, dynamic_first>(5);
  CHECK(dynamic.other_bytes == 0);
  CHECK(dynamic.error < 0.05F * dynamic.size);
  const auto half = small::compare_executors<pair, native, half_first>(5);
  if (kernels::simd::has_fma<isa::native>) CHECK(half.other_bytes == 0);
  CHECK(half.error < 0.05F * half.size);
}

/// What oneDNN fuses into linear layers, which is computed in float after them.
inline constexpr auto followed =
    model("x"_n = nn::placeholder({2, 20}), "a"_n = nn::linear("x"_n, {.out_features = 9}),
          "leaky"_n = nn::leaky_relu("a"_n, {.negative_slope = 0.25F}),
          "b"_n = nn::linear("leaky"_n, {.out_features = 4}), "tanh"_n = nn::tanh("b"_n),
          "out"_n = nn::output("tanh"_n));

template <class QConfig>
void check_followed(kernel_id layer) {
  using mapping = everywhere<QConfig>;
  constexpr auto& schedule = plan<followed, onednn, mapping>::int8_schedule;
  int layers = 0;
  int followers = 0;
  for (int i = 0; i < schedule.count; ++i) {
    const kernel_signature& signature = schedule.steps[i].signature;
    layers += signature.kernel == layer && signature.out == f32 ? 1 : 0;
    followers +=
        signature.kernel == kernel::tanh || signature.called_op == nn::leaky_relu.id() ? 1 : 0;
  }
  CHECK(layers == 2);
  CHECK(followers == 2);
  const auto d = small::compare_executors<followed, onednn, mapping>(5);
  CHECK(d.other_bytes == 0);
  CHECK(d.error > 0);
  CHECK(d.error < 0.06F * d.size);
}

TEST_CASE("a leaky relu or tanh in one node with a layer has the options of the model") {
  check_followed<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>(kernel::linear);
  check_followed<default_dynamic_qconfig>(kernel::linear_dynamic);
}

TEST_CASE("weight-only linear layers have the same bytes in both executors") {
  constexpr auto& steps = plan<net, small_weights, mapping>::int8_schedule;
  static_assert(steps.count == 3 && steps.steps[0].signature.kernel == kernel::linear_weight_int8 &&
                steps.steps[2].signature.kernel == kernel::linear_weight_int8);
  const auto d = small::compare_executors<net, small_weights, mapping>(5);
  CHECK(d.other_bytes == 0);
  CHECK(d.error > 0);
  CHECK(d.error < 0.02F * d.size);
}
