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

static_assert(
    says<allow_float<"a">,
         object_type<nn::relu, with_activation<observer_args{.quant_min = 1, .quant_max = 9}>>>(
        1,
        "error: activation.quant_min: the range 1 to 9 does not contain 0 [observer-quant-range]"));
static_assert(says<module_name_regex<"layer(1", qconfig_none>>(
    0, "error: module_name_regex: layer(1 is not a supported regular expression [regex-syntax]"));
using in_row = placeholder_observer<{.dtype = qint8, .is_dynamic = true}>;
template <auto Weight, class Activation = in_row>
using in_groups = global<qconfig<Activation, per_channel_min_max_observer<Weight>>>;
constexpr per_channel_observer_args groups{.quant_min = -8, .quant_max = 7, .group_size = 32};
constexpr per_channel_observer_args with(auto change) {
  per_channel_observer_args a = groups;
  change(a);
  return a;
}
constexpr std::string_view four_bits =
    "error: weight.group_size: per-group quantization needs qint8, per_channel_symmetric, ch_axis "
    "0 and a range in "
    "-8 to 7 [observer-group-size]";
static_assert(is_fine<in_groups<groups>>);
static_assert(is_fine<in_groups<with([](auto& a) { a.group_size = 1 << 20; })>>);
static_assert(says<in_groups<with([](auto& a) { a.group_size = (1 << 20) + 1; })>>(
    0, "error: weight.group_size: a group has 1 to 2^20 elements [observer-group-size]"));
static_assert(says<in_groups<with([](auto& a) { a.group_size = -1; })>>(
    0, "error: weight.group_size: a group has 1 to 2^20 elements [observer-group-size]"));
static_assert(says<in_groups<with([](auto& a) { a.quant_max = 8; })>>(0, four_bits));
static_assert(says<in_groups<with([](auto& a) { a.quant_min = -9; })>>(0, four_bits));
static_assert(says<in_groups<with([](auto& a) { a.ch_axis = 1; })>>(0, four_bits));
static_assert(says<in_groups<with([](auto& a) { a.dtype = quint8, a.quant_min = 0; })>>(0,
                                                                                        four_bits));
static_assert(
    says<in_groups<with([](auto& a) { a.qscheme = qscheme::per_channel_affine; })>>(0, four_bits));
static_assert(says<in_groups<groups, placeholder_observer<{.dtype = quint8, .is_dynamic = true}>>>(
    0,
    "error: weight.group_size: weights quantized per group need a dynamic qint8 activation "
    "[observer-group-size]"));
static_assert(says<in_groups<groups, placeholder_observer<{.dtype = qint8}>>>(
    0,
    "error: weight.group_size: weights quantized per group need a dynamic qint8 activation "
    "[observer-group-size]"));
static_assert(
    says<global<
        qconfig<in_row, fake_quantize<moving_average_per_channel_min_max_observer<groups>>>>>(
        0,
        "error: weight.group_size: only a PerChannelMinMaxObserver takes group_size "
        "[observer-group-size]"));
static_assert(says<global<with_activation<observer_args{.group_size = 4}>>>(
    0, "error: activation.group_size: only weights are quantized per group [observer-group-size]"));
static_assert(says<global<qconfig<in_row, per_channel_min_max_observer<groups>,
                                  per_channel_min_max_observer<groups>>>>(
    0, "error: output.group_size: only weights are quantized per group [observer-group-size]"));

// Template arguments of a wrong kind.
using usual = with_activation<observer_args{}>;
static_assert(says<allow_float<"a">, usual>(
    1,
    "error: not an entry of a qconfig_mapping, such as global<...>, object_type<...> or "
    "module_name<...> [wrong-type]"));
static_assert(says<global<min_max_observer<>>>(
    0,
    "error: qconfig: not a qconfig<activation observer, weight observer>, and not qconfig_none "
    "[wrong-type]"));
static_assert(says<global<qconfig<usual, min_max_observer<>>>>(
    0,
    "error: activation: not an observer, such as min_max_observer<> or placeholder_observer<> "
    "[wrong-type]"));
static_assert(says<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>, usual>>>(
    0,
    "error: output: not an observer, such as min_max_observer<> or placeholder_observer<> "
    "[wrong-type]"));
static_assert(says<module_name_object_type_order<"a", 5, 0, usual>>(
    0, "error: module_name_object_type_order: not an op, such as nn::linear [wrong-type]"));
static_assert(says<module_name_object_type_order<"a", nn::relu, -1, usual>>(
    0, "error: module_name_object_type_order: -1 is not the index of a node: from 0 [wrong-type]"));
static_assert(mapping_check<usual>::bad());

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
