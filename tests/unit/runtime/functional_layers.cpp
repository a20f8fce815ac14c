// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions whose weights are arguments, F.conv2d(x, weight, bias), through both executors.

#include <doctest/doctest.h>

#include "compare_executors.hpp"
#include "ctq/backends/default_observers.hpp"
#include "ctq/backends/native.hpp"
#include "ctq/backends/qconfigs.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

inline constexpr auto net = model(
    "x"_n = nn::placeholder({1, 4, 6, 6}), "wide.weight"_n = nn::get_attr({8, 2, 3, 3}),
    "wide.bias"_n = nn::get_attr({8}), "up.weight"_n = nn::get_attr({8, 4, 2, 2}),
    "gamma"_n = nn::get_attr({4}), "beta"_n = nn::get_attr({4}), "slopes"_n = nn::get_attr({8}),
    "fc.weight"_n = nn::get_attr({5, 4}), "fc.bias"_n = nn::get_attr({5}),
    "wide"_n = fn::conv2d("x"_n, "wide.weight"_n, "wide.bias"_n, {.padding = 1, .groups = 2}),
    "relu"_n = fn::prelu("wide"_n, "slopes"_n),
    "up"_n = fn::conv_transpose2d("relu"_n, "up.weight"_n, {.stride = 2}),
    "norm"_n = fn::group_norm("up"_n, "gamma"_n, "beta"_n, {.num_groups = 2}),
    "permute"_n = method::permute("norm"_n, {.dims = {0, 2, 3, 1}}),
    "norm2"_n = fn::layer_norm("permute"_n, {.normalized_shape = {4}}),
    "fc"_n = fn::linear("norm2"_n, "fc.weight"_n, "fc.bias"_n), "out"_n = nn::output("fc"_n));

inline constexpr auto lines =
    model("x"_n = nn::placeholder({3, 21}), "weight1"_n = nn::get_attr({17, 21}),
          "bias1"_n = nn::get_attr({17}), "weight2"_n = nn::get_attr({5, 17}),
          "linear1"_n = fn::linear("x"_n, "weight1"_n, "bias1"_n), "relu"_n = fn::relu("linear1"_n),
          "linear2"_n = fn::linear("relu"_n, "weight2"_n), "out"_n = nn::output("linear2"_n));

inline constexpr auto shared =
    model("x"_n = nn::placeholder({4, 4}), "weight"_n = nn::get_attr({4, 4}),
          "linear"_n = fn::linear("x"_n, "weight"_n), "sum"_n = op::add("linear"_n, "weight"_n),
          "out"_n = nn::output("sum"_n));

template <class QConfig>
struct everywhere : qconfig_mapping<global<QConfig>> {};

template <const auto& Model, class Mapping>
constexpr int count_of(kernel_id k, dtype in) {
  constexpr auto& steps = plan<Model, native, Mapping, unsupported::skip>::int8_schedule;
  int found = 0;
  for (int s = 0; s < steps.count; ++s)
    found += steps.steps[s].signature.kernel == k && steps.steps[s].signature.in == in ? 1 : 0;
  return found;
}

constexpr std::string_view problem_of(auto&& m) { return m.problem.message(); }

static_assert(problem_of(model("x"_n = nn::placeholder({1, 4, 6, 6}),
                               "w"_n = nn::get_attr({8, 4, 3}), "c"_n = fn::conv2d("x"_n, "w"_n),
                               "out"_n = nn::output("c"_n))) ==
              "node c:\nrequires a weight of 4 axes;\nit is [8, 4, 3]");
static_assert(problem_of(model("x"_n = nn::placeholder({2, 4}), "w"_n = nn::get_attr({8, 4}),
                               "b"_n = nn::get_attr({4}), "fc"_n = fn::linear("x"_n, "w"_n, "b"_n),
                               "out"_n = nn::output("fc"_n))) ==
              "node fc:\nrequires a bias of 8 elements;\nit is [4]");
static_assert(problem_of(model("x"_n = nn::placeholder({2, 4}), "fc"_n = fn::linear("x"_n),
                               "out"_n = nn::output("fc"_n))) ==
              "node fc:\ntakes an input, a weight and a bias or\nnone, not 1 tensors");
static_assert(problem_of(model("x"_n = nn::placeholder({2, 4}), "w"_n = nn::get_attr({4}),
                               "n"_n = fn::layer_norm("x"_n, "w"_n, {.normalized_shape = {4}}),
                               "out"_n = nn::output("n"_n))) ==
              "node n:\ntakes an input, or an input, a weight and\na bias, not 2 tensors");
static_assert(problem_of(model("x"_n = nn::placeholder({2, 4}), "w"_n = nn::get_attr({2}),
                               "n"_n = fn::layer_norm("x"_n, "w"_n, "w"_n,
                                                      {.normalized_shape = {4}}),
                               "out"_n = nn::output("n"_n))) ==
              "node n:\nrequires a weight and a bias of 4 elements;\nit is [2]");

static_assert(problem_of(model("x"_n = nn::placeholder({2, 4}), "y"_n = fn::prelu("x"_n),
                               "out"_n = nn::output("y"_n))) ==
              "node y:\ntakes an input and a weight, not 1 tensors");
static_assert(problem_of(model("x"_n = nn::placeholder({2, 4}), "w"_n = nn::get_attr({2, 2}),
                               "y"_n = fn::prelu("x"_n, "w"_n), "out"_n = nn::output("y"_n))) ==
              "node y:\nrequires a weight of 1 axis;\nit is [2, 2]");

using qconfig_int8 = qconfig<min_max_observer<>, default_weight_observer>;

}  // namespace

TEST_CASE("functions with weights compute on integers, with the bytes of the interpreter") {
  using int8 = everywhere<qconfig_int8>;
  static_assert(count_of<net, int8>(kernel::conv2d, quint8) == 1);
  static_assert(count_of<net, int8>(kernel::conv_transpose2d, quint8) == 1);
  static_assert(count_of<net, int8>(kernel::linear, quint8) == 1);
  static_assert(count_of<net, int8>(kernel::layer_norm, quint8) == 2);
  static_assert(count_of<net, int8>(kernel::prelu, f32) == 1);
  static_assert(count_of<net, int8>(kernel::quantize, f32) == 2);  // none of a weight
  const auto d = small::compare_executors<net, native, int8, unsupported::skip>(5);
  CHECK(d.other_bytes == 0);
  CHECK(d.error > 0);
  CHECK(d.error < 0.05F * d.size);
}

TEST_CASE("linear functions are quantized dynamically, their weights beforehand") {
  using dynamic = everywhere<default_dynamic_qconfig>;
  static_assert(count_of<lines, dynamic>(kernel::linear_dynamic, f32) == 2);
  const auto d = small::compare_executors<lines, native, dynamic>(5);
  CHECK(d.other_bytes == 0);
  CHECK(d.error > 0);
  CHECK(d.error < 0.05F * d.size);
}

TEST_CASE("linear functions with weights of float16 compute in float") {
  using half = everywhere<float16_dynamic_qconfig>;
  static_assert(count_of<lines, half>(kernel::linear, f32) == 2);
  const auto d = small::compare_executors<lines, native, half>(5);
  CHECK(d.apart < 1e-5F * d.size);
  CHECK(d.error > 0);
  CHECK(d.error < 0.001F * d.size);
}

TEST_CASE("a weight that is an operand, too, is packed and kept") {
  const auto d = small::compare_executors<shared, native, everywhere<qconfig_int8>>(5);
  CHECK(d.other_bytes == 0);
  CHECK(d.error > 0);
  CHECK(d.error < 0.05F * d.size);
}
