// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/contradictions.hpp"

#include <doctest/doctest.h>

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;
using backend_parts::contradicts;

namespace {

using u8 = dtype_with_constraints<quint8>;
using i8 = dtype_with_constraints<qint8>;
template <class... Constraint>
using odd = dtype_with_constraints<qint8, Constraint...>;
template <class... Part>
using config = backend_pattern_config<pattern<nn::linear>, Part...>;

// The order of arguments has no meaning, unless two set one field to different values.
static_assert(!contradicts<dtype_config<>>);
static_assert(!contradicts<dtype_config<input_dtype<u8>, weight_dtype<i8>, is_dynamic>>);
static_assert(!contradicts<dtype_config<input_dtype<u8>, input_dtype<u8>>>);
static_assert(contradicts<dtype_config<input_dtype<u8>, input_dtype<i8>>>);
static_assert(contradicts<dtype_config<input_dtype<i8>, output_dtype<u8>, input_dtype<u8>>>);
static_assert(contradicts<odd<quant_min<-127>, quant_min<-128>>>);
static_assert(contradicts<dtype_config<weight_dtype<odd<scale_min<1.0>, scale_min<0.5>>>>>);
static_assert(!contradicts<odd<quant_min<-127>, quant_max<127>>>);

static_assert(!contradicts<config<root_module<nn::linear>, share_observer_with_input>>);
static_assert(!contradicts<config<fused_module<nni::linear_relu>, fuser_method<fuse_linear_bn>>>);
static_assert(contradicts<config<root_module<nn::linear>, root_module<nn::conv2d>>>);
static_assert(contradicts<config<not_observed, share_observer_with_input>>);
static_assert(contradicts<config<dtype_configs<dtype_config<input_dtype<u8>, input_dtype<i8>>>>>);

struct derived : config<not_observed, share_observer_with_input> {};
struct npu : backend_config<"npu", configs<config<not_observed>>, config<>, derived> {};
struct fine : backend_config<"fine", config<not_observed>> {};

TEST_CASE("a backend has no config that contradicts itself") {
  CHECK(backend_parts::first_contradiction<fine>() == -1);
  CHECK(backend_parts::first_contradiction<npu>() == 2);
  CHECK(backend_check<npu>::found.message() ==
        "backend: npu\nconfig: #2\nan argument, such as input_dtype or\n"
        "quant_min, is given twice with\ndifferent values: remove one");
}

}  // namespace
