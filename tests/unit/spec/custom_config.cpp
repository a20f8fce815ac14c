// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/custom_config.hpp"

#include <doctest/doctest.h>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

constexpr op_info block{op_kind::module, "my.Block"};
constexpr op_info same_block{op_kind::module, "my.Block"};
constexpr op_info function{op_kind::function, "my.Block"};

static_assert(is_same_op(&block, &block) && is_same_op(&block, &same_block));
static_assert(!is_same_op(&block, &function) && !is_same_op(&block, nullptr));
static_assert(is_same_op(nullptr, nullptr) && !is_same_op(nn::linear.id(), nn::relu.id()));

constexpr standalone_module alone[] = {{.type = &block}};
constexpr custom_module custom[] = {{.float_class = &block}};
static_assert(!prepare_custom_config{}.has_leaves());
static_assert(prepare_custom_config{.standalone = {alone, 1}}.has_leaves());
static_assert(prepare_custom_config{.custom_modules = {custom, 1}}.has_leaves());

TEST_CASE("an op of ctq's is only itself, whatever it is called") {
  const op_info named_alike{op_kind::module, nn::linear.id()->name};
  CHECK_FALSE(is_same_op(&named_alike, nn::linear.id()));
}

}  // namespace
