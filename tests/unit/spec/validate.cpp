// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/validate.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ctq;

namespace {

template <auto... Op>
using row = backend_pattern_config<pattern<Op...>>;
template <class... Config>
struct npu : backend_config<"npu", Config...> {};

template <class... Config>
constexpr int count_of = validate(backend_v<npu<Config...>>).size();

/// The rule of the only finding, and which config it is about.
template <class... Config>
constexpr bool finds(rule r, int config) {
  const findings found = validate(backend_v<npu<Config...>>);
  return found.size() == 1 && found[0].rule == r && found[0].place.config == config;
}

// Two configs for one pattern, in whatever form they are written.
static_assert(count_of<> == 0 && count_of<row<nn::linear>, row<fn::linear>> == 0);
static_assert(finds<row<nn::linear>, row<nn::relu>, row<nn::linear>>(rule::duplicate_pattern, 2));
static_assert(finds<row<nn::conv2d, nn::relu>, row<nested<nn::relu, nn::conv2d>>>(
    rule::duplicate_pattern, 1));

// A general pattern takes all from a special one that comes later; longer ones come first anyway.
static_assert(finds<row<nested<nn::relu, match_all>>, row<nn::conv2d, nn::relu>>(
    rule::unreachable_pattern, 1));
static_assert(count_of<row<nn::conv2d, nn::relu>, row<nested<nn::relu, match_all>>> == 0);
static_assert(count_of<row<nn::relu>, row<nn::conv2d, nn::relu>> == 0);

// Both can match add(conv, linear): all the same if they lead to the same.
template <class... Part>
using conv_left = backend_pattern_config<pattern<nested<op::add, nn::conv2d, match_all>>, Part...>;
template <class... Part>
using linear_right =
    backend_pattern_config<pattern<nested<op::add, match_all, nn::linear>>, Part...>;
static_assert(count_of<conv_left<>, linear_right<>> == 0);
static_assert(finds<conv_left<>, linear_right<not_observed>>(rule::ambiguous_pattern, 1));
static_assert(
    finds<conv_left<dtype_configs<dtype_config<input_dtype<dtype_with_constraints<f32>>>>>,
          linear_right<>>(rule::ambiguous_pattern, 1));

// The reference module of a root may stand in any config.
template <auto Op, class... Part>
using rooted = backend_pattern_config<pattern<Op>, root_module<nn::linear>, Part...>;
using reference = reference_quantized_module<nnqr::linear>;
static_assert(count_of<rooted<nn::linear, reference>, rooted<nni::linear_relu>> == 0);
static_assert(finds<rooted<nn::linear, reference>,
                    backend_pattern_config<pattern<nn::conv2d>, root_module<nn::conv2d>>>(
    rule::root_without_reference, 1));

// A backend without reference modules does not go through PyTorch's convert: a warning.
constexpr findings no_references() { return validate(backend_v<npu<rooted<nn::linear>>>); }
static_assert(no_references().size() == 1 && no_references()[0].severity == severity::warning);
static_assert(no_references().first_error() == nullptr);
static_assert(!backend_check<npu<rooted<nn::linear>>>::bad());
static_assert(backend_check<npu<rooted<nn::linear>>, strictness::warnings>::bad());

// The words of a compile error.
static_assert(
    backend_check<npu<row<nn::relu>, row<nn::conv2d, nn::relu>, row<nn::conv2d, nn::relu>>>::found
        .message() ==
    "backend: npu\n"
    "pattern: (torch.nn.Conv2d, torch.nn.ReLU)\n"
    "error: pattern: is also that of configs[1] [duplicate-pattern]");

TEST_CASE("all findings are reported, config by config, then between configs") {
  using bad = dtype_config<input_dtype<dtype_with_constraints<quint8, quant_max<256>>>>;
  const findings found = validate(
      backend_v<npu<backend_pattern_config<pattern<nn::relu>, dtype_configs<bad, bad>>,
                    backend_pattern_config<pattern<nn::relu>, share_observer_with_input>,
                    backend_pattern_config<pattern<nn::tanh>, share_observer_with_input>>>);
  REQUIRE(found.size() == 4);
  CHECK(found[0].place.dtype_config == 0);
  CHECK(found[1].place.dtype_config == 1);
  CHECK(found[2].rule == rule::share_observer_range);
  CHECK(found[3].rule == rule::duplicate_pattern);
  CHECK(found.count(severity::error) == 4);
}

TEST_CASE("a spec that is all wrong gives no more findings than one can read") {
  list<backend_pattern_config_record> rows(1000, row<nn::relu>::value);
  const findings found = validate(backend_view{"npu", {rows.data(), 1000}});
  CHECK(found.size() == max_findings);
  CHECK(found.full());
}

TEST_CASE("a row without dtype configs does not vouch for the next one") {
  using bad = dtype_config<input_dtype<dtype_with_constraints<quint8, quant_min<300>>>>;
  const dtype_config_record& list = dtype_configs<bad>::list[0];
  backend_pattern_config_record rows[] = {row<nn::relu>::value, row<nn::linear>::value};
  rows[0].dtype_configs = {&list, 0};
  rows[1].dtype_configs = {&list, 1};
  CHECK(validate(backend_view{"npu", {rows, 2}}).size() == 1);
}

}  // namespace
