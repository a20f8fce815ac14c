// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/quant_type.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/qconfigs.hpp"

using namespace ctq;

namespace {

template <class QConfig>
constexpr quant_type now = quant_type_of(QConfig::value, semantics::torch_2_1);
template <class QConfig>
constexpr quant_type before = quant_type_of(QConfig::value, semantics::torch_1_13);

static_assert(now<default_qconfig> == quant_type::static_);
static_assert(now<default_dynamic_qconfig> == quant_type::dynamic);
static_assert(now<float_qparams_weight_only_qconfig_4bit> == quant_type::weight_only);
static_assert(now<float16_static_qconfig> == quant_type::static_);
static_assert(now<default_reuse_input_qconfig> == quant_type::unknown);
static_assert(name_of(quant_type::weight_only) == "weight_only");

}  // namespace

TEST_CASE("float16 rounded as it comes is dynamic quantization, but in PyTorch 1.13 static") {
  CHECK(now<float16_dynamic_qconfig> == quant_type::dynamic);
  CHECK(before<float16_dynamic_qconfig> == quant_type::static_);
}

TEST_CASE("with a module in the place of an observer no kind is known") {
  CHECK(now<default_weight_only_qconfig> == quant_type::unknown);
  CHECK(before<default_activation_only_qconfig> == quant_type::unknown);
}
