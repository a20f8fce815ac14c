// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/code_options.hpp"

#include <doctest/doctest.h>

#include <concepts>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

struct everywhere
    : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {};

/// A sum alone, a sum with a relu, a sum that is fused into the layer before it, a float sum.
inline constexpr auto sums = model(
    "x"_n = nn::placeholder({1, 8}), "a"_n = op::add("x"_n, "x"_n), "b"_n = op::add("a"_n, "x"_n),
    "relu"_n = nn::relu("b"_n), "fc"_n = nn::linear("relu"_n, {.out_features = 8}),
    "c"_n = op::add("fc"_n, "a"_n), "d"_n = op::add("c"_n, "a"_n), "out"_n = nn::output("d"_n));
struct but_d : everywhere::set<allow_float<"d">> {};

using exact = plan<sums, x86, but_d>;
using cheaper = plan_within_one_step<exact>;

static_assert(std::same_as<converted_plan<exact>, exact>);
static_assert(std::same_as<converted_plan<exact, dispatch_option>, exact>);
static_assert(std::same_as<converted_plan<exact, add_within_one_step_option>, cheaper>);
static_assert(!code_option<int>);
static_assert(&cheaper::lowered == &exact::lowered);

using specialized = converted_plan<exact, specialized_kernels_option>;
using shared = converted_plan<exact, shared_kernels_option>;
static_assert(std::same_as<specialized, plan_with_code<exact, kernel_code_kind::specialized>>);
static_assert(std::same_as<converted_plan<exact, shared_kernels_option, add_within_one_step_option>,
                           plan_with_code<cheaper, kernel_code_kind::shared>>);

/// Whether all steps have this code, and else are those of the exact plan.
template <class Plan>
constexpr bool has_code(kernel_code_kind wanted) {
  bool all = Plan::int8_schedule.count == exact::int8_schedule.count;
  for (int i = 0; i < exact::int8_schedule.count; ++i)
    all = all && Plan::int8_schedule.steps[i].code == wanted &&
          Plan::int8_schedule.steps[i].signature == exact::int8_schedule.steps[i].signature;
  return all;
}
static_assert(has_code<specialized>(kernel_code_kind::specialized) &&
              has_code<shared>(kernel_code_kind::shared));
static_assert(!has_code<exact>(kernel_code_kind::specialized) &&
              !has_code<exact>(kernel_code_kind::shared));

/// The keys of all steps are as in the exact plan, but for `wanted` of them.
constexpr bool differs_in(int wanted) {
  for (int i = 0; i < exact::int8_schedule.count; ++i)
    wanted -= exact::int8_schedule.steps[i].signature == cheaper::int8_schedule.steps[i].signature
                  ? 0
                  : 1;
  return wanted == 0;
}
static_assert(differs_in(2));

}  // namespace

TEST_CASE("sums of integers become cheaper, with their relu, but those of floats and of layers") {
  int plain = 0, with_relu = 0, fused_into_layer = 0, in_float = 0;
  for (int i = 0; i < cheaper::int8_schedule.count; ++i) {
    const kernel_signature& signature = cheaper::int8_schedule.steps[i].signature;
    if (signature.kernel == kernel::binary_add_within_one_step)
      ++(signature.relu ? with_relu : plain);
    fused_into_layer += signature.then == fused_op::add ? 1 : 0;
    in_float += signature.kernel == kernel::binary_add && signature.in == f32 ? 1 : 0;
  }
  CHECK(plain == 1);
  CHECK(with_relu == 1);
  CHECK(fused_into_layer == 1);
  CHECK(in_float == 1);
}
