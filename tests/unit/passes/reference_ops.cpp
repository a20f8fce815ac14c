// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/reference_ops.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/x86.hpp"
#include "ctq/spec/qconfig.hpp"

using namespace ctq;

namespace {

using namespace converting;

constexpr observer_record observer(ctq::dtype d, bool is_dynamic = false,
                                   observer_class c = observer_class::min_max) {
  observer_record r;
  r.type = c;
  r.args.dtype = d;
  r.args.is_dynamic = is_dynamic;
  return r;
}
constexpr op_id becomes(const observer_record& r, semantics s = {}) { return quantize_op(r, s); }

static_assert(becomes(observer(quint8)) == q::quantize_per_tensor.id());
static_assert(becomes(observer(f32)) == nullptr);

TEST_CASE("an observer becomes the quantize of its dtype") {
  CHECK(becomes(observer(qint8)) == q::quantize_per_tensor.id());
  CHECK(becomes(observer(qint8, false, observer_class::per_channel_min_max)) ==
        q::quantize_per_channel.id());
  CHECK(becomes(observer(f16)) == q::to_float16.id());
  CHECK(becomes(observer(quint8, true)) == q::quantize_per_tensor_dynamic.id());
  CHECK(becomes(observer(f32, true)) == nullptr);
}

TEST_CASE("PyTorch 1.13 takes observers of 32 bits away") {
  CHECK(becomes(observer(qint32)) == q::quantize_per_tensor.id());
  CHECK(becomes(observer(qint32), semantics::torch_1_13) == nullptr);
}

TEST_CASE("the decomposed form of quantizing as it comes is that of a known range") {
  const decomposed_row* const dynamic = decomposed_form(q::quantize_per_tensor_dynamic.id());
  REQUIRE(dynamic != nullptr);
  CHECK(dynamic->decomposed == q::decomposed_quantize_per_tensor.id());
  CHECK(decomposed_form(q::to_float16.id()) == nullptr);
}

TEST_CASE("modules with a weight have a reference form, fused ones by the name of their pattern") {
  CHECK(has_reference(backend_v<x86>, nn::linear.id()));
  CHECK(!has_reference(backend_v<x86>, nn::relu.id()));
  CHECK(is_fused_module(backend_v<x86>, nni::linear_relu.id()));
  CHECK(!is_fused_module(backend_v<x86>, nn::linear.id()));
}

TEST_CASE("a norm keeps its parameters in float") {
  CHECK(nn::conv2d.id()->descriptor->weights == op_weights::quantizable);
  CHECK(nn::layer_norm.id()->descriptor->weights == op_weights::in_float);
  CHECK(nn::relu.id()->descriptor->weights == op_weights::none);
}

TEST_CASE("a module is converted if one of its dtype configs has the dtypes of the qconfig") {
  using usual = qconfig<min_max_observer<{.dtype = quint8}>, min_max_observer<{.dtype = qint8}>>;
  using other = qconfig<min_max_observer<{.dtype = qint8}>, min_max_observer<{.dtype = quint8}>>;
  CHECK(has_dtypes(backend_v<x86>, nn::linear.id(), usual::value));
  CHECK(!has_dtypes(backend_v<x86>, nn::linear.id(), other::value));
}

}  // namespace
