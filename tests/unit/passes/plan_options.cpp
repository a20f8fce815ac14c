// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/plan_options.hpp"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

using namespace ctq;

namespace {

struct leave_all : qconfig_mapping<global<qconfig_none>> {};
struct told : plan_options {
  static constexpr auto semantics = ctq::semantics::torch_1_13;
  static constexpr bool is_qat = true;
  using convert_mapping = leave_all;
};
constexpr auto skip = unsupported::skip;
static_assert(prepare_options_v<told, skip>.semantics == semantics::torch_1_13);
static_assert(prepare_options_v<told, skip>.is_qat && prepare_options_v<told, skip>.policy == skip);
static_assert(convert_options_v<told, skip>.mapping == &mapping_v<leave_all>);
static_assert(convert_options_v<told, skip>.prepared.is_qat);
static_assert(convert_options_v<plan_options, skip>.mapping == nullptr);
static_assert(!prepare_options_v<plan_options, unsupported::error>.is_qat);
static_assert(std::is_same_v<qat_plan_options<told>, told>);
struct old : plan_options {
  static constexpr auto semantics = ctq::semantics::torch_1_13;
};
static_assert(qat_plan_options<old>::is_qat && !old::is_qat);
static_assert(qat_plan_options<old>::semantics == semantics::torch_1_13);

std::string why(const prepare_options& o) { return std::string(check_compiled_code(o).message()); }

TEST_CASE("what compiled code does not run is said by name, with what to do") {
  constexpr int first[] = {0};
  const standalone_module alone[] = {{}};
  const custom_module custom[] = {{}};
  CHECK(why({}).empty());
  CHECK(why({.semantics = semantics::torch_1_13, .policy = skip}).empty());
  CHECK(why({.is_qat = true}).empty());
  const auto about = [](const std::string& option) {
    return "compiled code does not run a plan with\n" + option +
           "\nits graphs are those of graph_plan<...>,\nan evaluator runs them";
  };
  CHECK(why({.custom = {.input_quantized_indexes = {first, 1},
                        .output_quantized_indexes = {first, 1}}})
            .empty());
  CHECK(why({.custom = {.standalone = {alone, 1}}}) ==
        about("standalone modules\na plan is one model"));
  CHECK(why({.custom = {.custom_modules = {custom, 1}}}) ==
        about("custom modules\ntheir classes are functions of the user"));
}

}  // namespace
