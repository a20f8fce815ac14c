// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/transformer_layers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "../calls.hpp"

using namespace ctq;

namespace {

using options = transformer_layer_options;

constexpr rule_answer of_encoder(const shape& x, const options& o) {
  return answer_of(nn::transformer_encoder_layer, {&x, 1}, o);
}
constexpr rule_answer of_decoder(const shape& x, const shape& memory, const options& o) {
  const shape in[] = {x, memory};
  return answer_of(nn::transformer_decoder_layer, {in, 2}, o);
}

// (L, N, E), (N, L, E) and (L, E).
constexpr rule_answer in_time = of_encoder({5, 2, 8}, {.nhead = 4});
static_assert(in_time.out == shape{5, 2, 8});
static_assert(in_time.options.as<options>().d_model == 8);
static_assert(of_encoder({2, 5, 8}, {.nhead = 2, .batch_first = true}).out == shape{2, 5, 8});
static_assert(of_encoder({5, 8}, {.d_model = 8, .nhead = 2}).out == shape{5, 8});
static_assert(of_decoder({5, 2, 8}, {3, 2, 8}, {.nhead = 4}).out == shape{5, 2, 8});
static_assert(of_decoder({5, 2, 8}, {3, 2, 8}, {.nhead = 4}).options.as<options>().source_length ==
              3);
static_assert(of_encoder({5, 8}, {.nhead = 3}).problem.message() ==
              "num_heads is 3;\nit divides embed_dim, 8");
static_assert(of_encoder({5, 8}, {.d_model = 4, .nhead = 2}).problem.any());
static_assert(of_encoder({5, 8}, {.nhead = 2, .dim_feedforward = 0}).problem.message() ==
              "dim_feedforward is 0");
static_assert(of_encoder({30000, 4}, {.nhead = 1, .dim_feedforward = 100000}).problem.message() ==
              "more than 2^31 - 1 elements in\nwhat the layer computes");
static_assert(of_encoder({4, 8}, {.nhead = 2, .dim_feedforward = 1 << 30}).problem.any());
static_assert(of_encoder({8}, {.nhead = 2}).problem.any());
static_assert(of_decoder({5, 2, 8}, {3, 1, 8}, {.nhead = 2}).problem.any());

// The parameters are those of PyTorch's modules, in their order.
constexpr op_parameters with_biases =
    descriptors::transformer_layer_parameters<2>(of_decoder({5, 8}, {3, 8}, {.nhead = 2}).options);
static_assert(with_biases.count == 18);
static_assert(with_biases.item[0].shape == shape{24, 8} && with_biases.item[1].shape == shape{24});
static_assert(with_biases.item[4].name == "multihead_attn.in_proj_weight");
static_assert(with_biases.item[8].name == "linear1.weight" &&
              with_biases.item[8].shape == shape{2048, 8});
static_assert(with_biases.item[17].name == "norm3.bias" && with_biases.item[17].shape == shape{8});
constexpr op_parameters without = descriptors::transformer_layer_parameters<1>(
    attributes{options{.d_model = 8, .nhead = 2, .bias = false}});
static_assert(without.count == 6 && without.item[1].name == "self_attn.out_proj.weight");
static_assert(without.item[5].name == "norm2.weight");

constexpr op_parameters with_masks = descriptors::transformer_layer_parameters<2>(
    of_decoder({5, 8}, {3, 8}, {.nhead = 2, .mask = true, .cross_mask = true}).options);
static_assert(with_masks.count == parameter_refs::max_count);
static_assert(with_masks.item[18].name == "mask" && with_masks.item[18].shape == shape{5, 5});
static_assert(with_masks.item[19].name == "cross_mask" && with_masks.item[19].shape == shape{5, 3});

/// The output, by tensors with these values for the parameters.
std::vector<float> run(op_id op, std::vector<shape> in, const std::vector<std::vector<float>>& x,
                       const options& o, const std::vector<std::vector<float>>& parameters) {
  const op_descriptor& d = *op->descriptor;
  attributes a{o};
  diagnostic problem;
  const shape y = d.infer_shape({in.data(), static_cast<int>(in.size())}, a, problem);
  REQUIRE(!problem.any());
  const op_parameters wanted = d.parameters(a);
  REQUIRE(static_cast<std::size_t>(wanted.count) == parameters.size());
  op_arguments<float> arguments;
  for (std::size_t i = 0; i < in.size(); ++i) arguments.in[i] = {x[i].data(), in[i]};
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    REQUIRE(numel(wanted.item[p].shape) == parameters[p].size());
    arguments.parameters.item[p] = {wanted.item[p].shape, parameters[p].data()};
  }
  std::vector<float> all(static_cast<std::size_t>(d.schedule.sizes(a, in[0], y)[0]), -7.0F);
  arguments.out = {all.data(), y};
  d.functions.apply(arguments, a);
  all.resize(numel(y));
  return all;
}

/// Of one vector of two elements, whose attention gives what it gets: in projections, out
/// projection.
const std::vector<std::vector<float>> attends{{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1}, {1, 0, 0, 1}};
/// One hidden element, the difference; then it and its opposite.
const std::vector<std::vector<float>> linears{{1, -1}, {1, -1}};
const std::vector<float> ones{1, 1};

std::vector<std::vector<float>> joined(std::vector<std::vector<std::vector<float>>> parts) {
  std::vector<std::vector<float>> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

constexpr options plain{.nhead = 1, .dim_feedforward = 1, .layer_norm_eps = 0, .bias = false};

}  // namespace

TEST_CASE("norms come after the sums") {
  // (3, 1) + (3, 1) becomes (1, -1), whose difference, 2, is added: (3, -3), which becomes (1, -1).
  const auto parameters = joined({attends, linears, {{1, 1}, {5, 7}}});
  check_values(run(nn::transformer_encoder_layer.id(), {{1, 2}}, {{3, 1}}, plain, parameters),
               {5, -7});
}

TEST_CASE("or before what they feed") {
  options o = plain;
  o.norm_first = true;
  // (3, 1) + (1, -1) = (4, 0); twice the norm of it has the difference 4.
  check_values(run(nn::transformer_encoder_layer.id(), {{1, 2}}, {{3, 1}}, o,
                   joined({attends, linears, {{1, 1}, {2, 2}}})),
               {8, -4});
  // The difference is negative, and relu gives 0.
  check_values(run(nn::transformer_encoder_layer.id(), {{1, 2}}, {{1, 3}}, o,
                   joined({attends, linears, {{1, 1}, {2, 2}}})),
               {0, 4});
  o.activation = transformer_activation::gelu;
  const double gelu = -4 * 0.5 * (1 + std::erf(-4 / std::sqrt(2.0)));
  check_values(run(nn::transformer_encoder_layer.id(), {{1, 2}}, {{1, 3}}, o,
                   joined({attends, linears, {{1, 1}, {2, 2}}})),
               {gelu, 4 - gelu});
}

TEST_CASE("biases are those of the state_dict") {
  options o = plain;
  o.bias = true;
  // (3, 1) + (3, 1) + (0.5, 0) + (0, 2) = (6.5, 4), then (1, -1) + (0, 1) = (1, 0); hidden 1 + 3;
  // (1, 0) + (4, -4) + (0, 1) = (5, -3), then (1, -1) + (10, 20).
  check_values(run(nn::transformer_encoder_layer.id(), {{1, 2}}, {{3, 1}}, o,
                   {attends[0],
                    {0, 0, 0, 0, 0.5F, 0},
                    attends[1],
                    {0, 2},
                    linears[0],
                    {3},
                    linears[1],
                    {0, 1},
                    ones,
                    {0, 1},
                    ones,
                    {10, 20}}),
               {11, 19});
}

TEST_CASE("a decoder attends to its memory, too") {
  options o = plain;
  o.norm_first = true;
  // (3, 1) + (1, -1) = (4, 0), + the mean of the memory, (2, 5) = (6, 5), + (2, -2).
  check_values(run(nn::transformer_decoder_layer.id(), {{1, 2}, {2, 2}}, {{3, 1}, {1, 4, 3, 6}}, o,
                   joined({attends, attends, linears, {ones, ones, ones}})),
               {8, 3});
  // (6, 2) becomes (1, -1), + (2, 5) = (3, 4), which becomes (-1, 1), and hidden is 0.
  check_values(run(nn::transformer_decoder_layer.id(), {{1, 2}, {2, 2}}, {{3, 1}, {1, 4, 3, 6}},
                   plain, joined({attends, attends, linears, {ones, ones, {3, 4}}})),
               {-3, 4});
}

TEST_CASE("masks are added to the scores of the attention that they belong to") {
  options o = plain;
  o.norm_first = true;
  o.mask = true;
  const auto parameters = joined({attends, attends, linears, {{1, 1}, {1, 1}, {0, 0}}});
  // Queries and keys are 0, so that shares follow from the masks. Normal rows are (1, -1), (-1, 1).
  const std::vector<std::vector<float>> x{{3, 1, 1, 3}, {1, 4, 3, 6}};
  const auto run_with = [&](const std::vector<std::vector<float>>& masks) {
    return run(nn::transformer_decoder_layer.id(), {{2, 2}, {2, 2}}, x, o,
               joined({parameters, masks}));
  };
  // The first sees itself alone, the second both, the mean of which is 0; then the mean of the
  // memory, (2, 5).
  check_values(run_with({{0, -1e30F, 0, 0}}), {6, 5, 3, 8});
  o.cross_mask = true;
  // The first sees the first vector of the memory, the second the second one.
  check_values(run_with({{0, -1e30F, 0, 0}, {0, -1e30F, -1e30F, 0}}), {5, 4, 4, 9});
  o.mask = false;
  check_values(run_with({{0, -1e30F, -1e30F, 0}}), {4, 5, 4, 9});
}

TEST_CASE("sequences of a batch lie contiguously, or side by side") {
  const auto parameters = joined({attends, linears, {ones, ones}});
  options o = plain;
  o.norm_first = true;
  // Two sequences of three vectors.
  const std::vector<float> together{1, 5, 2, 0, 3, 1, 0, 4, 7, 1, 2, 8};
  std::vector<float> side(12);
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t t = 0; t < 3; ++t)
      for (std::size_t k = 0; k < 2; ++k) side[t * 4 + n * 2 + k] = together[n * 6 + t * 2 + k];
  const op_id op = nn::transformer_encoder_layer.id();
  const auto beside = run(op, {{3, 2, 2}}, {side}, o, parameters);
  o.batch_first = true;
  const auto contiguous = run(op, {{2, 3, 2}}, {together}, o, parameters);
  const auto second = run(op, {{3, 2}}, {{together.begin() + 6, together.end()}}, o, parameters);
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(contiguous[6 + t * 2 + k] == second[t * 2 + k]);
      CHECK(beside[t * 4 + 2 + k] == second[t * 2 + k]);
      CHECK(beside[t * 4 + k] == contiguous[t * 2 + k]);
    }
  o.batch_first = false;
  const auto memory =
      run(nn::transformer_decoder_layer.id(), {{3, 2, 2}, {1, 2, 2}}, {side, {1, 2, 3, 5}}, o,
          joined({attends, attends, linears, {ones, ones, ones}}));
  const auto alone = run(nn::transformer_decoder_layer.id(), {{3, 2}, {1, 2}},
                         {{together.begin() + 6, together.end()}, {3, 5}}, o,
                         joined({attends, attends, linears, {ones, ones, ones}}));
  for (std::size_t t = 0; t < 3; ++t) CHECK(memory[t * 4 + 2] == alone[t * 2]);
}
