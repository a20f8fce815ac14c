// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear layers with weights that are quantized per group, to 4 bits, through both executors and
// the evaluator.

#include <doctest/doctest.h>

#include "compare_evaluator.hpp"
#include "ctq/backends/dtype_configs.hpp"
#include "ctq/backends/executorch.hpp"
#include "ctq/backends/onednn_configs.hpp"
#include "ctq/backends/op_configs.hpp"
#include "ctq/backends/qconfigs.hpp"
#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

// Rows of an odd number of weights; the last group is shorter, and may be the only one.
inline constexpr auto net =
    model("x"_n = nn::placeholder({3, 71}), "up"_n = nn::linear("x"_n, {.out_features = 45}),
          "gelu"_n = nn::gelu("up"_n),
          "down"_n = nn::linear("gelu"_n, {.out_features = 5, .bias = false}),
          "out"_n = nn::output("down"_n));

inline constexpr auto functional =
    model("x"_n = nn::placeholder({3, 7}), "weight"_n = nn::get_attr({5, 7}),
          "bias"_n = nn::get_attr({5}), "y"_n = fn::linear("x"_n, "weight"_n, "bias"_n),
          "relu"_n = fn::relu("y"_n), "out"_n = nn::output("relu"_n));

inline constexpr auto followed =
    model("x"_n = nn::placeholder({2, 3, 20}), "a"_n = nn::linear("x"_n, {.out_features = 9}),
          "leaky"_n = nn::leaky_relu("a"_n), "b"_n = nn::linear("leaky"_n, {.out_features = 4}),
          "tanh"_n = nn::tanh("b"_n), "out"_n = nn::output("tanh"_n));

template <int GroupSize>
struct linear_per_group
    : qconfig_mapping<
          object_type<nn::linear, int8_dynamic_activation_int4_weight_qconfig<GroupSize>>> {};

/// A backend that also fuses a relu into them, and a leaky relu.
struct npu : backend_config<"npu", linear_configs<symmetric_dynamic_int8>,
                            linear_activation_configs<symmetric_dynamic_int8>> {};
template <int GroupSize>
struct all_per_group
    : qconfig_mapping<global<int8_dynamic_activation_int4_weight_qconfig<GroupSize>>> {};

template <const auto& Model, class Backend, class Mapping>
constexpr int count_of_int4() {
  constexpr auto& schedule = plan<Model, Backend, Mapping>::int8_schedule;
  int count = 0;
  for (int i = 0; i < schedule.count; ++i)
    count += schedule.steps[i].signature.kernel == kernel::linear_dynamic_int4 ? 1 : 0;
  return count;
}

/// All outputs have the same bytes, and an error below this part of the float outputs.
template <const auto& Model, class Backend, class Mapping>
void check(float most) {
  const auto d = small::compare_executors<Model, Backend, Mapping, unsupported::error>(
      5, small::and_evaluator{});
  CHECK(d.other_bytes == 0);
  CHECK(d.error > 0);
  CHECK(d.error < most * d.size);
}

template <int GroupSize>
void check_linear(float most) {
  using mapping = linear_per_group<GroupSize>;
  static_assert(count_of_int4<net, executorch, mapping>() == 2);
  check<net, executorch, mapping>(most);
}

}  // namespace

TEST_CASE("weights per group have the same bytes in the executors and in the evaluator") {
  check_linear<16>(0.3F);
  check_linear<2>(0.3F);
  check_linear<1000>(0.4F);
}

TEST_CASE("a relu is fused into a layer with weights per group, a module or a function") {
  using mapping = all_per_group<32>;
  constexpr auto& steps = plan<small::mlp, npu, mapping>::int8_schedule;
  static_assert(count_of_int4<small::mlp, npu, mapping>() == 2);
  static_assert(steps.count == 2 && steps.steps[0].signature.relu &&
                !steps.steps[1].signature.relu);
  check<small::mlp, npu, mapping>(0.3F);

  static_assert(plan<functional, npu, all_per_group<4>>::int8_schedule.count == 1);
  check<functional, npu, all_per_group<4>>(0.3F);
}

TEST_CASE("ops that follow a layer quantized per group are computed in float, of any rank") {
  static_assert(count_of_int4<followed, npu, all_per_group<8>>() == 2);
  check<followed, npu, all_per_group<8>>(0.3F);
}

TEST_CASE("given qparams of another size of group are an error with the node") {
  using lowered = plan<net, executorch, linear_per_group<16>>;
  const module_state modules = small::state_of(small::checked_weights<net>(3).get());
  model_qparams qparams;
  qparams.weights["up.weight"] = {.dtype = qint8,
                                  .axis = 0,
                                  .scale = std::vector<double>(45, 0.1),
                                  .zero_point = std::vector<std::int32_t>(45)};
  evaluator<stage::lowered> run(lowered::lowered.view(), modules, {.qparams = &qparams});
  const auto values = run.run({node_value(float_ops::tensor{{3, 71}, std::vector<float>(213)})});
  REQUIRE_FALSE(values);
  CHECK(
      values.error().message() ==
      "node up: weight: the given qparams have groups of 0 elements, the observer asks for groups "
      "of 16");
}
