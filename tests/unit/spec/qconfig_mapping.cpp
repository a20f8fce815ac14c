// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/qconfig_mapping.hpp"

#include <doctest/doctest.h>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

using usual = qconfig<min_max_observer<>, per_channel_min_max_observer<>>;
using narrow = qconfig<min_max_observer<{.reduce_range = true}>, per_channel_min_max_observer<>>;

using mapping =
    qconfig_mapping<global<usual>, object_type<nn::conv2d, narrow>,
                    module_name_regex<"layer1.*", qconfig_none>, module_name<"layer1.0", usual>,
                    module_name_object_type_order<"layer2", nn::relu, 1, narrow>,
                    allow_float<"fc">>;
constexpr mapping_view m = mapping_v<mapping>;
static_assert(m.count == 6);
static_assert(m.entries[0].level == mapping_level::global && m.entries[0].quantizes);
static_assert(m.entries[0].qconfig == usual::value);
static_assert(m.entries[1].level == mapping_level::object_type);
static_assert(m.entries[1].op == nn::conv2d.id() && m.entries[1].qconfig == narrow::value);
static_assert(m.entries[2].level == mapping_level::module_name_regex);
static_assert(m.entries[2].module == "layer1.*" && !m.entries[2].quantizes);
static_assert(m.entries[3].level == mapping_level::module_name &&
              m.entries[3].module == "layer1.0");
static_assert(m.entries[4].level == mapping_level::module_name_object_type_order);
static_assert(m.entries[4].module == "layer2" && m.entries[4].op == nn::relu.id() &&
              m.entries[4].order == 1);
static_assert(m.entries[5].level == mapping_level::module_name && !m.entries[5].quantizes);

// set appends: the later of two entries wins when they are looked up.
using more = mapping::set<global<narrow>>;
static_assert(mapping_v<more>.count == 7 && mapping_v<more>.entries[6].qconfig == narrow::value);
static_assert(mapping_v<qconfig_mapping<>>.count == 0);

// The levels, from weak to strong, are PyTorch's.
static_assert(mapping_level::global < mapping_level::object_type);
static_assert(mapping_level::object_type < mapping_level::module_name_regex);
static_assert(mapping_level::module_name_regex < mapping_level::module_name);
static_assert(mapping_level::module_name < mapping_level::module_name_object_type_order);

// Arguments of a wrong kind are entries that validate reports.
struct odd : qconfig_mapping<usual, global<min_max_observer<>>, object_type<5, usual>> {};
static_assert(mapping_v<odd>.count == 3 && mapping_v<odd>.entries[0].level == mapping_level::none);
static_assert(mapping_v<odd>.entries[1].quantizes &&
              mapping_v<odd>.entries[1].qconfig.weight == not_an_observer);
static_assert(mapping_v<odd>.entries[2].op == nullptr);

static_assert(mapping_parts::is_mapping<odd> && !mapping_parts::is_mapping<usual>);
static_assert(mapping_v<usual>.count == 0);

struct tag : qconfig_mapping<global<usual>> {};
static_assert(mapping_v<tag>.count == 1);  // a short name for a long type

TEST_CASE("levels have the names of PyTorch's keys") {
  CHECK(name_of(mapping_level::none) == "none");
  CHECK(name_of(mapping_level::global) == "global");
  CHECK(name_of(mapping_level::object_type) == "object_type");
  CHECK(name_of(mapping_level::module_name_regex) == "module_name_regex");
  CHECK(name_of(mapping_level::module_name) == "module_name");
  CHECK(name_of(mapping_level::module_name_object_type_order) == "module_name_object_type_order");
}

}  // namespace
