// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/window_attention.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "../calls.hpp"

using namespace ctq;

namespace {

using options = window_attention_options;

constexpr rule_answer answer(const shape& x, const shape& bias, const options& o) {
  const shape in[] = {x, bias};
  return answer_of(nn::shifted_window_attention, {in, 2}, o);
}
constexpr bool complains(std::string_view what, const rule_answer& a) {
  return a.problem.message().starts_with(what);
}
constexpr options of_two{.num_heads = 2, .window_size = {2, 3}, .shift_size = {1, 1}};

static_assert(answer({1, 5, 5, 8}, {1, 2, 6, 6}, of_two).out == shape{1, 5, 5, 8});
static_assert(complains("requires an image, (N, H, W, C)\n",
                        answer({5, 5, 8}, {1, 2, 6, 6}, of_two)));
static_assert(complains("num_heads is 2;\nit divides the channels, 9\n",
                        answer({1, 5, 5, 9}, {1, 2, 6, 6}, of_two)));
static_assert(complains("the bias of relative positions does not\nfit heads and windows\n",
                        answer({1, 5, 5, 8}, {1, 2, 5, 5}, of_two)));
static_assert(complains("window_size and shift_size do not fit\n",
                        answer({1, 5, 5, 8}, {1, 2, 0, 0}, {.num_heads = 2})));
static_assert(complains("window_size and shift_size do not fit\n",
                        answer({1, 5, 5, 8}, {1, 1, 1, 1},
                               {.num_heads = 1, .window_size = 1, .shift_size = 1})));
static_assert(complains("more than 2^31 - 1 elements in\nthe output and a window\n",
                        answer({1, 5, 5, 8}, {1, 1, 65536, 65536},
                               {.num_heads = 1, .window_size = 256})));
static_assert(answer({1, 5, 5, 8}, {1, 2, 6, 6},
                     {.num_heads = 2, .window_size = {2, 3}, .channels = 4})
                  .problem.any());

// Windows are whole; a shift of one window is none.
constexpr auto sizes_of = [](const shape& x, const options& o) {
  return descriptors::window_sizes_of(attributes{o}, x);
};
static_assert(sizes_of({1, 5, 5, 8}, of_two).padded == extent2d{6, 6});
static_assert(sizes_of({1, 5, 5, 8}, of_two).shift == extent2d{1, 1});
static_assert(sizes_of({1, 2, 5, 8}, of_two).shift == extent2d{0, 1});
static_assert(sizes_of({1, 5, 3, 8}, of_two).shift == extent2d{1, 0});

constexpr op_parameters all_of = descriptors::window_attention_parameters(
    attributes{options{.num_heads = 2, .cosine = true, .channels = 8}});
static_assert(all_of.count == 5 && all_of.item[0].shape == shape{24, 8});
static_assert(all_of.item[2].name == "qkv.bias" && all_of.item[4].shape == shape{2, 1, 1});
static_assert(descriptors::window_attention_parameters(attributes{options{.qkv_bias = false,
                                                                          .channels = 8}})
                  .item[2]
                  .name == "proj.bias");

/// Parameters in the order of the op.
std::vector<float> run(const shape& in, const std::vector<float>& x, const shape& bias_shape,
                       const std::vector<float>& bias, const options& o,
                       const std::vector<std::vector<float>>& parameters) {
  const rule_answer a = answer(in, bias_shape, o);
  REQUIRE(!a.problem.any());
  const op_descriptor& d = *nn::shifted_window_attention.id()->descriptor;
  const op_parameters wanted = d.parameters(a.options);
  REQUIRE(static_cast<std::size_t>(wanted.count) == parameters.size());
  std::vector<float> all(static_cast<std::size_t>(d.schedule.sizes(a.options, in, a.out)[0]),
                         -7.0F);
  op_arguments<float> arguments{.in = {{x.data(), in}, {bias.data(), bias_shape}},
                                .out = {all.data(), a.out}};
  for (std::size_t p = 0; p < parameters.size(); ++p)
    arguments.parameters.item[p] = {wanted.item[p].shape, parameters[p].data()};
  d.functions.apply(arguments, a.options);
  all.resize(x.size());
  return all;
}

/// Of one channel: the query and the key are 0, so that all of a window have a share.
const std::vector<std::vector<float>> means{{0, 0, 1}, {1}};
constexpr options one_by_two{
    .num_heads = 1, .window_size = {1, 2}, .qkv_bias = false, .proj_bias = false};
const std::vector<float> no_bias(4, 0.0F);

}  // namespace

TEST_CASE("each window has the mean of its values, with zeros outside of the image") {
  check_values(run({1, 1, 3, 1}, {2, 4, 10}, {1, 1, 2, 2}, no_bias, one_by_two, means), {3, 3, 5});
  // A pixel right of a row is not the first one of the next row.
  check_values(run({1, 2, 3, 1}, {2, 4, 10, 6, 8, 20}, {1, 1, 2, 2}, no_bias, one_by_two, means),
               {3, 3, 5, 7, 7, 10});
  // Two images of two rows.
  check_values(
      run({2, 2, 2, 1}, {2, 4, 6, 8, 1, 3, 5, 7}, {1, 1, 2, 2}, no_bias, one_by_two, means),
      {3, 3, 7, 7, 2, 2, 6, 6});
}

TEST_CASE("the bias of relative positions is added to scores") {
  // The first attends to the second, e² : 1, the second to itself, e² : 1.
  const double share = std::exp(2) / (1 + std::exp(2));
  check_values(run({1, 1, 2, 1}, {0, 10}, {1, 1, 2, 2}, {0, 2, 0, 2}, one_by_two, means),
               {10 * share, 10 * share});
}

TEST_CASE("windows of a shifted image do not mix what was apart") {
  options o = one_by_two;
  o.shift_size = {0, 1};
  // Windows (2, 3), and (4, 1), the parts of which have no share of each other.
  check_values(run({1, 1, 4, 1}, {1, 2, 3, 4}, {1, 1, 2, 2}, no_bias, o, means), {1, 2.5, 2.5, 4});
  // Of three, the last window has 0 for what is outside, then 1.
  check_values(run({1, 1, 3, 1}, {1, 2, 3}, {1, 1, 2, 2}, no_bias, o, means), {1, 2.5, 2.5});
  o.window_size = {2, 1};
  o.shift_size = {1, 0};
  check_values(run({1, 4, 1, 1}, {1, 2, 3, 4}, {1, 1, 2, 2}, no_bias, o, means), {1, 2.5, 2.5, 4});
}

TEST_CASE("heads have channels, scores and biases of their own") {
  options o = one_by_two;
  o.num_heads = 2;
  o.qkv_bias = true;
  o.proj_bias = true;
  // Values are what is read, plus (1, 2); the output is (second, first) plus (100, 200). The second
  // head attends to the first vector alone.
  const std::vector<std::vector<float>> parameters{
      {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1}, {0, 1, 1, 0}, {0, 0, 0, 0, 1, 2}, {100, 200}};
  check_values(
      run({1, 1, 2, 2}, {10, 20, 30, 40}, {1, 2, 2, 2}, {0, 0, 0, 0, 90, 0, 90, 0}, o, parameters),
      {122, 221, 122, 221});
}

TEST_CASE("scores are scaled by the depth of a head, or are cosines with a factor") {
  options o = one_by_two;
  // Queries are 2 x + 3, keys x + 5, values x.
  o.qkv_bias = true;
  const std::vector<std::vector<float>> parameters{{2, 1, 1}, {1}, {3, 5, 0}};
  const auto shares = [](double first, double second) {
    return std::exp(second) / (std::exp(first) + std::exp(second));
  };
  check_values(run({1, 1, 2, 1}, {0, 1}, {1, 1, 2, 2}, no_bias, o, parameters),
               {shares(15, 18), shares(25, 30)});
  // Of one channel a cosine is a sign; keys have no bias, and 0 has none.
  o.cosine = true;
  auto with_factor = parameters;
  with_factor.push_back({std::log(2.0F)});
  check_values(run({1, 1, 2, 1}, {0, 1}, {1, 1, 2, 2}, no_bias, o, with_factor),
               {shares(0, 2), shares(0, 2)});
  // At most log(100).
  const auto with_log = [&](float logit) {
    with_factor[3] = {logit};
    return run({1, 1, 2, 1}, {-0.125F, 1}, {1, 1, 2, 2}, {0, -199, 0, -199}, o, with_factor);
  };
  CHECK(with_log(10) == with_log(4.6051702F));
  CHECK(with_log(4.6051702F) != with_log(4.5F));
}
