// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/qconfigs.hpp"

#include <doctest/doctest.h>

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

namespace {

static_assert(default_qconfig::value.activation == default_observer::value);
static_assert(default_qconfig::value.weight == default_weight_observer::value);
static_assert(default_quint8_weight_qconfig::value.weight.args.dtype == quint8);
static_assert(default_reuse_input_qconfig::value.weight.args.dtype == f16);
static_assert(default_embedding_qat_qconfig::value.activation.args.dtype == f32);

TEST_CASE("a dynamic qconfig says so in its activation") {
  CHECK(default_dynamic_qconfig::value.activation.args.is_dynamic);
  CHECK(per_channel_dynamic_qconfig::value.activation.args.is_dynamic);
  CHECK(float16_dynamic_qconfig::value.activation.args.is_dynamic);
  CHECK(float16_dynamic_qconfig::value.weight == float16_static_qconfig::value.weight);
  CHECK(!float16_static_qconfig::value.activation.args.is_dynamic);
  CHECK(!default_dynamic_qat_qconfig::value.activation.args.is_dynamic);
}

TEST_CASE("embeddings quantize the weight alone") {
  CHECK(float_qparams_weight_only_qconfig::value.activation.args.dtype == f32);
  CHECK(float_qparams_weight_only_qconfig::value.weight.args.dtype == quint8);
  CHECK(float_qparams_weight_only_qconfig_4bit::value.weight.args.dtype == quint4x2);
  CHECK(default_embedding_qat_qconfig_4bit::value.weight.args.qscheme ==
        qscheme::per_channel_affine_float_qparams);
}

TEST_CASE("XNNPACK's activations are signed, with a smallest scale") {
  for (const qconfig_record& q : {default_symmetric_qnnpack_qconfig::value,
                                  default_per_channel_symmetric_qnnpack_qconfig::value,
                                  default_symmetric_qnnpack_qat_qconfig::value,
                                  default_per_channel_symmetric_qnnpack_qat_qconfig::value}) {
    CHECK(q.activation.args.dtype == qint8);
    CHECK(q.activation.args.eps == 0x1p-12F);
    CHECK(range_of(q.weight.args) == quant_range{-127, 127});
  }
}

}  // namespace

namespace {

constexpr qconfig_record named(std::string_view name, semantics s) {
  qconfig_record found;
  return find_qconfig(name, s, found) ? found : qconfig_record{};
}

static_assert(named("default_qat_qconfig", semantics::torch_2_1) == default_qat_qconfig::value);
static_assert(named("default_dynamic_qconfig", semantics::torch_2_1) ==
              default_dynamic_qconfig::value);

}  // namespace

TEST_CASE("PyTorch 1.13's dynamic observer says no range") {
  const qconfig_record q = named("per_channel_dynamic_qconfig", semantics::torch_1_13);
  CHECK(q.activation == dtype_only_dynamic_quant_observer::value);
  CHECK(q.weight == default_per_channel_weight_observer::value);
}

TEST_CASE("PyTorch's qconfigs are well-formed") {
  for (const qconfig_parts::named_record& known : qconfig_parts::named_records) {
    const mapping_entry entry{
        .level = mapping_level::global, .quantizes = true, .qconfig = known.value};
    INFO(known.name);
    CHECK(validate(mapping_view{&entry, 1}).size() == 0);
  }
}

TEST_CASE("an unknown name is no qconfig") {
  qconfig_record q;
  CHECK(!find_qconfig("default_qconfg", semantics::torch_2_1, q));
}
