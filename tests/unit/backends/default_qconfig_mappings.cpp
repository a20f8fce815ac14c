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

constexpr auto now = semantics::torch_2_1;
constexpr auto before = semantics::torch_1_13;

TEST_CASE("a name gives the entries of the type") {
  const list<mapping_entry> found = default_qconfig_mapping_entries("onednn", true, now, 0);
  const auto& of_type = default_qat_qconfig_mapping<onednn, 0>::entries;
  REQUIRE(found.size() == of_type.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].level == of_type[i].level);
    CHECK(found[i].op == of_type[i].op);
    CHECK(found[i].quantizes);
    CHECK(found[i].qconfig == of_type[i].qconfig);
  }
}

TEST_CASE("PyTorch 1.13 lists the ops that fusion puts together, and not PReLU") {
  const list<mapping_entry> found = default_qconfig_mapping_entries("fbgemm", false, before);
  REQUIRE(found.size() == 37);
  CHECK(found[1].op == method::reshape.id());
  CHECK(found[2].op == nn::conv1d.id());
  CHECK(found[2].qconfig == found[0].qconfig);
  CHECK(found[21].op == nn::batch_norm3d.id());
  for (const mapping_entry& e : found) CHECK(e.op != nn::prelu.id());
}

TEST_CASE("where PyTorch raises an error there are no entries") {
  CHECK(default_qconfig_mapping_entries("mine", false, now).empty());
  CHECK(default_qconfig_mapping_entries("x86", true, now, 2).empty());
  CHECK(default_qconfig_mapping_entries("mine", true, before).size() == 37);
}

}  // namespace
