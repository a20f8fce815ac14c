// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/default_qconfig_records.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

constexpr qconfig_record named(std::string_view name, semantics s) {
  qconfig_record found;
  return find_qconfig(name, s, found) ? found : qconfig_record{};
}

static_assert(default_qconfig_record("x86") == default_qconfig_of<x86>::value);
static_assert(default_qconfig_record("qnnpack") == default_qconfig_of<qnnpack>::value);
static_assert(default_qat_qconfig_record("fbgemm") == default_qat_qconfig_of<fbgemm>::value);
static_assert(default_qat_qconfig_record("onednn", 0) == default_qat_qconfig_of<onednn, 0>::value);
static_assert(default_qat_qconfig_record("qnnpack", 0) ==
              default_qat_qconfig_of<qnnpack, 0>::value);
static_assert(named("default_qat_qconfig", semantics::torch_2_1) == default_qat_qconfig::value);
static_assert(named("default_dynamic_qconfig", semantics::torch_2_1) ==
              default_dynamic_qconfig::value);

}  // namespace

TEST_CASE("PyTorch 1.13 has default_qconfig for a backend that it does not know, 2.1 an error") {
  CHECK(has_default_qconfig("mine", false, semantics::torch_1_13, 0));
  CHECK(!has_default_qconfig("mine", false, semantics::torch_2_1, 0));
  CHECK(default_qconfig_record("mine") == default_qconfig::value);
  CHECK(default_qat_qconfig_record("mine") == default_qat_qconfig_v2::value);
  CHECK(default_qat_qconfig_record("mine", 0) == default_qat_qconfig::value);
}

TEST_CASE("versions are 0 after training, 0 and 1 in training") {
  CHECK(has_default_qconfig("x86", true, semantics::torch_2_1, 1));
  CHECK(!has_default_qconfig("x86", false, semantics::torch_2_1, 1));
  CHECK(!has_default_qconfig("x86", true, semantics::torch_1_13, 2));
}

TEST_CASE("PyTorch 1.13's dynamic observer says no range") {
  const qconfig_record q = named("per_channel_dynamic_qconfig", semantics::torch_1_13);
  CHECK(q.activation == dtype_only_dynamic_quant_observer::value);
  CHECK(q.weight == default_per_channel_weight_observer::value);
}

TEST_CASE("an unknown name is no qconfig") {
  qconfig_record q;
  CHECK(!find_qconfig("default_qconfg", semantics::torch_2_1, q));
}
