// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/multihead_attention.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "../calls.hpp"

using namespace ctq;

namespace {

using options = multihead_attention_options;

constexpr rule_answer answer(const shape& q, const shape& kv, const options& o) {
  const shape in[] = {q, kv, kv};
  return answer_of(nn::multihead_attention, {in, 3}, o);
}
constexpr bool is_refused(const shape& q, const shape& kv, const options& o) {
  return answer(q, kv, o).problem.any();
}
/// The shape of a tensor of the tuple.
constexpr strided_view item_of(const rule_answer& a, int item) {
  return nn::multihead_attention.id()->descriptor->tuple_item(
      a.options, contiguous_view(a.out, layout::nchw), item);
}

// (L, N, E), (N, L, E) and (L, E).
constexpr rule_answer in_time = answer({5, 2, 8}, {3, 2, 8}, {.num_heads = 4});
static_assert(in_time.out == shape{5, 2, 8} && item_of(in_time, 0).shape == shape{5, 2, 8});
static_assert(item_of(in_time, 1).shape == shape{2, 5, 3} && item_of(in_time, 1).offset == 80);
static_assert(item_of(in_time, -1).offset == 80 && item_of(in_time, -2).offset == 0);
static_assert(item_of(in_time, 2).shape.rank == 0);
constexpr rule_answer heads = answer(
    {2, 5, 8}, {2, 3, 8}, {.num_heads = 4, .batch_first = true, .average_attn_weights = false});
static_assert(item_of(heads, 1).shape == shape{2, 4, 5, 3});
constexpr rule_answer alone = answer({5, 8}, {3, 8}, {.num_heads = 2, .batch_first = true});
static_assert(alone.out == shape{5, 8} && item_of(alone, 1).shape == shape{5, 3});
constexpr rule_answer without = answer({5, 8}, {3, 8}, {.num_heads = 2, .need_weights = false});
static_assert(item_of(without, 0).shape == shape{5, 8} && item_of(without, 1).shape.rank == 0);

static_assert(is_refused({5, 8}, {3, 8}, {.num_heads = 3}));
static_assert(is_refused({5, 8}, {3, 8}, {.num_heads = 0}));
static_assert(is_refused({5, 8}, {3, 8}, {.embed_dim = 16, .num_heads = 2}));
static_assert(is_refused({5, 8}, {3, 8}, {.num_heads = 2, .kdim = 4}));
static_assert(is_refused({5, 8}, {3, 8}, {.num_heads = 2, .vdim = 4}));
static_assert(is_refused({5, 8}, {3, 4}, {.num_heads = 2}));
static_assert(is_refused({5, 2, 8}, {3, 1, 8}, {.num_heads = 2}));
static_assert(is_refused({2, 5, 8}, {3, 5, 8}, {.num_heads = 2, .batch_first = true}));
static_assert(is_refused({8}, {8}, {.num_heads = 2}));
static_assert(is_refused({1, 2, 5, 8}, {1, 2, 5, 8}, {.num_heads = 2}));
static_assert(answer({200000, 8}, {200000, 8}, {.num_heads = 1}).problem.message() ==
              "more than 2^31 - 1 elements in\nqueries, keys, values and scores");

static_assert(descriptors::multihead_parameters(in_time.options).count == 4);
static_assert(descriptors::multihead_parameters(attributes{options{.embed_dim = 8, .bias = false}})
                  .item[1]
                  .name == "out_proj.weight");

/// Projections that give what they get, so that weights follow from the inputs alone.
constexpr std::array<float, 12> three_identities{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
constexpr std::array<float, 4> twice{2, 0, 0, 2};
constexpr std::array<float, 6> in_bias{0, 0, 0, 0, 1, 2};
constexpr std::array<float, 2> out_bias{100, 200};
/// The first query sees the first key less, the second not the second one.
constexpr std::array<float, 4> added_to_scores{-2, 0, 0, -1e30F};

/// The value: the output, the weights, and what the function needed.
std::vector<float> run(const shape& q, const shape& kv, const options& o,
                       const std::vector<float>& x) {
  const rule_answer a = answer(q, kv, o);
  REQUIRE(!a.problem.any());
  const op_descriptor& d = *nn::multihead_attention.id()->descriptor;
  std::vector<float> all(static_cast<std::size_t>(d.schedule.sizes(a.options, q, a.out)[0]), -7.0F);
  op_arguments<float> arguments{.in = {{x.data(), q}, {x.data(), kv}, {x.data(), kv}},
                                .out = {all.data(), a.out}};
  if (o.bias)
    arguments.parameters = {{{{6, 2}, three_identities.data()},
                             {{6}, in_bias.data()},
                             {{2, 2}, twice.data()},
                             {{2}, out_bias.data()},
                             {{2, 2}, added_to_scores.data()}}};
  else
    arguments.parameters = {{{{6, 2}, three_identities.data()},
                             {{2, 2}, twice.data()},
                             {{2, 2}, added_to_scores.data()}}};
  d.functions.apply(arguments, a.options);
  return all;
}

/// Of two scores that are this far apart, before they are divided by sqrt(depth).
double larger_share(double apart, double depth) {
  return 1 / (1 + std::exp(-apart / std::sqrt(depth)));
}

}  // namespace

TEST_CASE("a query gets the values of the keys that are like it") {
  // Two vectors of one head, (1, 0) and (0, 3): scores 1 and 0, 0 and 9.
  const std::vector<float> x{1, 0, 0, 3};
  const double a = larger_share(1, 2), b = larger_share(9, 2);
  const auto all = run({2, 2}, {2, 2}, {.num_heads = 1, .bias = false}, x);
  check_values({all.begin(), all.begin() + 8},
               {2 * a, 6 * (1 - a), 2 * (1 - b), 6 * b, a, 1 - a, 1 - b, b});
  // The bias of values reaches the output, twice, with that of the output.
  const auto biased = run({2, 2}, {2, 2}, {.num_heads = 1, .need_weights = false}, x);
  check_values({biased.begin(), biased.begin() + 4},
               {2 * a + 102, 6 * (1 - a) + 204, 2 * (1 - b) + 102, 6 * b + 204});
}

TEST_CASE("a mask is added to the scores of all heads, after they are scaled") {
  const rule_answer with_mask = answer({5, 8}, {3, 8}, {.num_heads = 2, .mask = true});
  const op_parameters owned = descriptors::multihead_parameters(with_mask.options);
  CHECK((owned.count == 5 && owned.item[4].name == "mask" && owned.item[4].shape == shape{5, 3}));
  // Scores 1 and 0, 0 and 9.
  const double a = larger_share(1, 2) / (1 - larger_share(1, 2)) * std::exp(-2);
  const auto all = run({2, 2}, {2, 2}, {.num_heads = 1, .bias = false, .mask = true}, {1, 0, 0, 3});
  check_values({all.begin() + 4, all.begin() + 8}, {a / (1 + a), 1 / (1 + a), 1, 0});
  const auto biased = run({2, 2}, {2, 2}, {.num_heads = 1, .mask = true}, {1, 0, 0, 3});
  check_values({biased.begin() + 4, biased.begin() + 8}, {a / (1 + a), 1 / (1 + a), 1, 0});
}

TEST_CASE("large scores do not overflow") {
  const auto all = run({2, 2}, {2, 2}, {.num_heads = 1, .bias = false}, {300, 0, 0, 300});
  check_values({all.begin(), all.begin() + 8}, {600, 0, 0, 600, 1, 0, 0, 1});
}

TEST_CASE("each head has weights of its own, of which the mean is given") {
  // Heads of one element: scores 1, 0 and 0, 0 of the first, 0, 0 and 0, 9 of the second.
  const std::vector<float> x{1, 0, 0, 3};
  const double a = larger_share(1, 1), b = larger_share(9, 1);
  const auto heads =
      run({2, 2}, {2, 2}, {.num_heads = 2, .bias = false, .average_attn_weights = false}, x);
  check_values({heads.begin() + 4, heads.begin() + 12}, {a, 1 - a, 0.5, 0.5, 0.5, 0.5, 1 - b, b});
  const auto mean = run({2, 2}, {2, 2}, {.num_heads = 2, .bias = false}, x);
  check_values(
      {mean.begin(), mean.begin() + 8},
      {2 * a, 3, 1, 6 * b, (a + 0.5) / 2, (1 - a + 0.5) / 2, (0.5 + 1 - b) / 2, (0.5 + b) / 2});
}

TEST_CASE("sequences of a batch lie one after the other, or side by side") {
  // The sequences (1, 0), (0, 3) and (0, 3), (1, 0), which read the same both ways.
  const std::vector<float> two{1, 0, 0, 3, 0, 3, 1, 0};
  const auto a =
      run({2, 2, 2}, {2, 2, 2}, {.num_heads = 1, .bias = false, .batch_first = true}, two);
  const auto b = run({2, 2, 2}, {2, 2, 2}, {.num_heads = 1, .bias = false}, two);
  // The weights of one sequence are the mirror image of the other's.
  for (std::size_t i = 0; i < 16; ++i) CHECK(a[i] == b[i]);
  CHECK(a[8] == a[15]);
  CHECK(a[9] == a[14]);
  const auto longer = run({1, 2, 2}, {3, 2, 2}, {.num_heads = 1, .bias = false},
                          {1, 0, 0, 3, 1, 0, 0, 3, 1, 0, 0, 3});
  // All keys of a sequence are equal.
  check_values({longer.begin(), longer.begin() + 4}, {2, 0, 0, 6});
  check_values({longer.begin() + 4, longer.begin() + 10},
               {1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3});
}
