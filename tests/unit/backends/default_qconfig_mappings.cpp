// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/default_qconfig_mappings.hpp"

#include <doctest/doctest.h>

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

namespace {

/// The qconfig of an op in a mapping; the global one if it is not listed.
template <class Mapping, auto Op>
constexpr qconfig_record of() {
  qconfig_record found;
  for (const mapping_entry& e : Mapping::entries)
    if (e.level == mapping_level::global || e.op == Op.id()) found = e.qconfig;
  return found;
}

template <class Mapping>
constexpr qconfig_record everywhere = Mapping::entries[0].qconfig;

template <class Mapping>
constexpr bool is_well_formed = mapping_v<Mapping>.count == 24 &&
                                mapping_v<Mapping>.entries[0].level ==
                                    mapping_level::global&& validate(mapping_v<Mapping>).size() ==
                                    0;

static_assert(is_well_formed<default_qconfig_mapping<fbgemm>>);
static_assert(is_well_formed<default_qconfig_mapping<x86>>);
static_assert(is_well_formed<default_qconfig_mapping<qnnpack>>);
static_assert(is_well_formed<default_qconfig_mapping<onednn>>);
static_assert(is_well_formed<default_qat_qconfig_mapping<x86>>);
static_assert(is_well_formed<default_qat_qconfig_mapping<onednn, 0>>);
static_assert(is_well_formed<symmetric_qnnpack_qconfig_mapping>);
static_assert(is_well_formed<symmetric_qnnpack_qat_qconfig_mapping>);

static_assert(everywhere<default_qconfig_mapping<x86>> == default_qconfig_of<x86>::value);
static_assert(everywhere<default_qat_qconfig_mapping<qnnpack, 0>> ==
              default_qat_qconfig_of<qnnpack, 0>::value);

TEST_CASE("the ops stand in PyTorch's order") {
  const auto& e = default_qconfig_mapping<x86>::entries;
  CHECK(e[1].op == method::reshape.id());
  CHECK(e[2].op == nn::conv_transpose1d.id());
  CHECK(e[5].op == fn::conv_transpose1d.id());
  CHECK(e[8].op == fn::layer_norm.id());
  CHECK(e[9].op == nn::layer_norm.id());
  CHECK(e[10].op == nn::prelu.id());
  CHECK(e[11].op == nn::hardsigmoid.id());
  CHECK(e[16].op == fn::sigmoid.id());
  CHECK(e[19].op == nn::softmax.id());
  CHECK(e[23].op == method::tanh_.id());
}

TEST_CASE("a transposed convolution has one scale for its weight in fbgemm and x86 only") {
  using x = default_qconfig_mapping<x86>;
  CHECK(of<x, nn::conv_transpose2d>().weight == default_weight_observer::value);
  CHECK(of<x, fn::conv_transpose3d>().activation == everywhere<x>.activation);
  using trained = default_qat_qconfig_mapping<fbgemm>;
  CHECK(of<trained, nn::conv_transpose1d>().weight == default_weight_fake_quant::value);
  using o = default_qat_qconfig_mapping<onednn>;
  CHECK(of<o, nn::conv_transpose2d>() == everywhere<o>);
}

TEST_CASE("a reshape has the observer of its input, a layer norm its weight in float") {
  using m = default_qat_qconfig_mapping<x86>;
  CHECK(of<m, method::reshape>() == default_reuse_input_qconfig::value);
  CHECK(of<m, nn::layer_norm>().activation == everywhere<m>.activation);
  CHECK(of<m, nn::layer_norm>().weight == default_placeholder_observer::value);
  CHECK(of<m, nn::prelu>() == default_quint8_weight_qconfig::value);
}

TEST_CASE("what has a fixed range is not observed, in training it is rounded") {
  using m = default_qconfig_mapping<qnnpack>;
  CHECK(of<m, nn::softmax>().activation == default_fixed_qparams_range_0to1_observer::value);
  CHECK(of<m, method::tanh>().activation == default_fixed_qparams_range_neg1to1_observer::value);
  CHECK(of<m, method::tanh>().weight == default_weight_observer::value);
  using trained = default_qat_qconfig_mapping<qnnpack>;
  CHECK(of<trained, fn::hardsigmoid>().activation ==
        default_fixed_qparams_range_0to1_fake_quant::value);
  CHECK(of<trained, fn::hardsigmoid>().weight == default_weight_fake_quant::value);
}

TEST_CASE("XNNPACK's mapping is uniform but for fixed ranges") {
  using m = symmetric_qnnpack_qconfig_mapping;
  CHECK(of<m, method::reshape>() == default_symmetric_qnnpack_qconfig::value);
  CHECK(of<m, nn::prelu>() == default_symmetric_qnnpack_qconfig::value);
  CHECK(of<m, nn::sigmoid>() == of<default_qconfig_mapping<qnnpack>, nn::sigmoid>());
}

TEST_CASE("a default mapping can be changed") {
  struct mine : default_qconfig_mapping<x86>::set<module_name<"head", qconfig_none>> {};
  CHECK(mapping_v<mine>.count == 25);
  CHECK(!mapping_v<mine>.entries[24].quantizes);
}

}  // namespace
