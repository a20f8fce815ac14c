// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/plan_options.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "ctq/graph/model.hpp"
#include "ctq/passes/fuse.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

struct leave_all : qconfig_mapping<global<qconfig_none>> {};
struct told : plan_options {
  static constexpr auto semantics = ctq::semantics::torch_1_13;
  static constexpr bool is_qat = true;
  using convert_mapping = leave_all;
  static constexpr backend_view its{"its"};
  static constexpr const backend_view* convert_backend = &its;
};
constexpr auto skip = unsupported::skip;
static_assert(prepare_options_v<told, skip>.semantics == semantics::torch_1_13);
static_assert(prepare_options_v<told, skip>.is_qat && prepare_options_v<told, skip>.policy == skip);
static_assert(convert_options_v<told, skip>.mapping == &mapping_v<leave_all>);
static_assert(convert_options_v<told, skip>.prepared.is_qat);
static_assert(convert_options_v<told, skip>.backend == &told::its);
static_assert(convert_options_v<plan_options, skip>.backend == nullptr);
static_assert(convert_options_v<plan_options, skip>.mapping == nullptr);
static_assert(!prepare_options_v<plan_options, unsupported::error>.is_qat);
static_assert(std::is_same_v<qat_plan_options<told>, told>);
struct old : plan_options {
  static constexpr auto semantics = ctq::semantics::torch_1_13;
};
static_assert(qat_plan_options<old>::is_qat && !old::is_qat);
static_assert(qat_plan_options<old>::semantics == semantics::torch_1_13);

constexpr auto net = model("x"_n = nn::placeholder({1, 4}), "block"_n = nn::relu("x"_n),
                           "out"_n = nn::output("block"_n));
const auto fused = fuse(net.view(), {});

std::string why(const prepare_options& o, const view<std::string_view>& listed = {}) {
  return std::string(check_compiled_code(fused.view(), o, listed).message());
}

TEST_CASE("what compiled code does not run is said by name, with what to do") {
  constexpr int first[] = {0};
  const standalone_module alone[] = {{.name = "block"}};
  const standalone_module other[] = {{.name = "head"}};
  const custom_module custom[] = {{}};
  CHECK(why({}).empty());
  CHECK(why({.semantics = semantics::torch_1_13, .policy = skip}).empty());
  CHECK(why({.is_qat = true}).empty());
  CHECK(why({.custom = {.input_quantized_indexes = {first, 1},
                        .output_quantized_indexes = {first, 1}}})
            .empty());
  CHECK(why({.custom = {.custom_modules = {custom, 1}}}).empty());
  CHECK(why({.custom = {.standalone = {other, 1}}}).empty());
  CHECK(why({.custom = {.standalone = {alone, 1}}}) ==
        "compiled code needs the model of a\nstandalone module\nnode: block\nin the plan_options:\n"
        "using standalone_models =\nctq::standalone_models<\n"
        "ctq::standalone_model<\"block\", model>>");
  const std::string_view paths[] = {"head", "block", "tail"};
  CHECK(why({.custom = {.standalone = {alone, 1}}}, {paths, 3}).empty());
  CHECK(!why({.custom = {.standalone = {alone, 1}}}, {paths, 1}).empty());
}

}  // namespace
