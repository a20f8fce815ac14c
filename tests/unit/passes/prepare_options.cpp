// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/prepare_options.hpp"

#include <doctest/doctest.h>

#include "ctq/graph/node.hpp"

using namespace ctq;

namespace {

constexpr node linear{.name = "block.fc", .op = nn::linear.id()};
constexpr node function{.name = "block.fc", .op = fn::relu.id()};

constexpr standalone_module by_type[] = {
    {.type = nn::linear.id()}, {.name = "block.fc"}, {.type = nn::linear.id()}};
constexpr prepare_options options{.custom = {.standalone = {by_type, 3}}};

static_assert(standalone_of(options, linear) == &by_type[1]);  // the name goes first
static_assert(standalone_of(options, node{.name = "other", .op = nn::linear.id()}) == &by_type[0]);
static_assert(standalone_of(options, node{.name = "other", .op = nn::relu.id()}) == nullptr);
static_assert(standalone_of(options, function) == nullptr);  // only modules stand alone
static_assert(standalone_of(prepare_options{}, linear) == nullptr);

// A module that is traced has the path that it is called by, not the name of its node.
constexpr fx_row row{.target = "block.fc"};
static_assert(standalone_of(options,
                            node{.name = "block_fc_1", .op = nn::linear.id(), .row = &row}) ==
              &by_type[1]);

constexpr custom_module custom[] = {
    {.float_class = nn::lstm.id(), .observed = nn::gru.id(), .type = quant_type::dynamic},
    {.float_class = nn::lstm.id(), .observed = nn::gru_cell.id()}};
constexpr prepare_options with_custom{.custom = {.custom_modules = {custom, 2}}};
static_assert(custom_of(with_custom, nn::lstm.id()) == &custom[0]);
constexpr qconfig_record integers =
    qconfig<min_max_observer<>, min_max_observer<{.dtype = qint8}>>::value;
static_assert(custom_of(with_custom, nn::lstm.id(), integers) == &custom[1]);
static_assert(custom_of(with_custom, nn::lstm.id(), qconfig_record{}) == nullptr);
static_assert(custom_of(with_custom, nn::gru.id()) == &custom[0]);  // in its observed form
static_assert(custom_of(with_custom, nn::linear.id()) == nullptr);
static_assert(custom_of({}, nn::lstm.id()) == nullptr);

constexpr int indexes[] = {0, 2};
static_assert(contains({indexes, 2}, 0) && contains({indexes, 2}, 2));
static_assert(!contains({indexes, 2}, 1) && !contains({}, 0));

}  // namespace

TEST_CASE("an entry without a name and a type is for nobody") {
  const standalone_module nobody[] = {{}};
  const prepare_options o{.custom = {.standalone = {nobody, 1}}};
  CHECK(standalone_of(o, linear) == nullptr);
  CHECK(standalone_of(o, node{.name = "", .op = nn::linear.id()}) == nullptr);
}
