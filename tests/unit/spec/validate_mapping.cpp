// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/validate_mapping.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

template <auto Args>
using with_activation = qconfig<min_max_observer<Args>, per_channel_min_max_observer<>>;
template <class... Entry>
struct mapping : qconfig_mapping<Entry...> {};

template <class... Entry>
constexpr bool says(int entry, std::string_view words) {
  const findings found = validate(mapping_v<mapping<Entry...>>);
  static_text<300> text;
  if (found.size() == 1 && found[0].place.config == entry) append_finding(text, found[0]);
  return text.view() == words;
}
template <class... Entry>
constexpr bool is_fine = validate(mapping_v<mapping<Entry...>>).size() == 0;

static_assert(is_fine<>);
static_assert(is_fine<global<qconfig_none>, allow_float<"fc">,
                      module_name_regex<R"(layer\d\..*)", with_activation<observer_args{}>>>);
static_assert(is_fine<global<qconfig<placeholder_observer<>, noop_observer<>>>>);

static_assert(says<global<with_activation<observer_args{.quant_min = 0, .quant_max = 256}>>>(
    0,
    "error: activation.quant_max: 256 is outside quint8, which holds 0 to 255 "
    "[observer-quant-range]"));
static_assert(
    says<allow_float<"a">,
         object_type<nn::relu, with_activation<observer_args{.quant_min = 1, .quant_max = 9}>>>(
        1,
        "error: activation.quant_min: the range 1 to 9 does not contain 0 [observer-quant-range]"));
static_assert(says<global<with_activation<observer_args{.quant_max = 127}>>>(
    0,
    "error: activation.quant_min: quant_min and quant_max must be given together "
    "[observer-quant-range]"));
static_assert(says<global<with_activation<observer_args{.quant_min = 7, .quant_max = 7}>>>(
    0, "error: activation.quant_min: 7 is not below quant_max, 7 [observer-quant-range]"));
static_assert(says<global<with_activation<observer_args{.eps = 0.0F}>>>(
    0, "error: activation.eps: 0 is not positive and finite [observer-eps]"));
static_assert(says<global<with_activation<observer_args{.dtype = f16}>>>(
    0,
    "error: activation.dtype: float16 has no integers, MinMaxObserver needs a quantized dtype "
    "[observer-dtype]"));
static_assert(
    says<global<qconfig<min_max_observer<>,
                        per_channel_min_max_observer<{.qscheme = qscheme::per_tensor_affine}>>>>(
        0,
        "error: weight.qscheme: PerChannelMinMaxObserver cannot be per_tensor_affine "
        "[observer-qscheme]"));
static_assert(says<global<with_activation<observer_args{.qscheme = qscheme::per_channel_affine}>>>(
    0,
    "error: activation.qscheme: MinMaxObserver cannot be per_channel_affine [observer-qscheme]"));
static_assert(says<module_name_regex<"layer(1", qconfig_none>>(
    0, "error: module_name_regex: layer(1 is not a supported regular expression [regex-syntax]"));
// A regular expression is only one where one is wanted.
static_assert(is_fine<module_name<"layer(1", qconfig_none>>);

// The words of a compile error.
struct bad : qconfig_mapping<allow_float<"a">, module_name_regex<"(", qconfig_none>> {};
static_assert(mapping_check<bad>::bad());
static_assert(mapping_check<bad>::found.message() ==
              "QConfigMapping entry: #1 of 2, module_name_regex\n"
              "error: module_name_regex: ( is not a supported regular expression [regex-syntax]");

TEST_CASE("records from a file are checked by the same rules") {
  mapping_entry entries[2]{};
  entries[0] = global<with_activation<observer_args{}>>::value;
  entries[1] = entries[0];
  CHECK(validate(mapping_view{entries, 2}).size() == 0);
  entries[1].qconfig.weight.args.quant_min = -128;
  const findings found = validate(mapping_view{entries, 2});
  REQUIRE(found.size() == 1);
  CHECK(found[0].place.config == 1);
  CHECK(found[0].place.field == "weight");
}

}  // namespace
