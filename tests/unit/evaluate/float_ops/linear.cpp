// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/linear.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::check_near;
using run_op::floats;
using run_op::some;

namespace {

template <class Op>
result<value> run(const Op& op, std::vector<value> given, std::vector<named_value> keywords = {}) {
  return run_op::run(implementation::products, op,
                     {.positional = std::move(given), .keywords = std::move(keywords)});
}

/// Σ_k a[y, k] * b[k, x] of the matrices that begin there.
std::vector<double> product(const tensor& a, std::size_t at_a, const tensor& b, std::size_t at_b,
                            std::size_t m, std::size_t k, std::size_t n) {
  std::vector<double> out(m * n);
  for (std::size_t y = 0; y < m; ++y)
    for (std::size_t x = 0; x < n; ++x)
      for (std::size_t i = 0; i < k; ++i)
        out[y * n + x] += static_cast<double>(a.data[at_a + y * k + i]) *
                          static_cast<double>(b.data[at_b + i * n + x]);
  return out;
}

}  // namespace

TEST_CASE("linear multiplies by the transposed weight, at every length of a row") {
  for (const std::size_t k : {0U, 1U, 7U, 8U, 9U, 16U, 31U}) {
    const tensor in = some({2, 3, static_cast<int>(k)}, 1),
                 weight = some({4, static_cast<int>(k)}, 2);
    const tensor bias = some({4}, 3);
    std::vector<double> wanted;
    for (std::size_t row = 0; row < 6; ++row)
      for (std::size_t o = 0; o < 4; ++o) {
        double sum = static_cast<double>(bias.data[o]);
        for (std::size_t i = 0; i < k; ++i)
          sum += static_cast<double>(in.data[row * k + i]) *
                 static_cast<double>(weight.data[o * k + i]);
        wanted.push_back(sum);
      }
    check_near(floats(run(fn::linear, {in, weight, bias})), {2, 3, 4}, wanted);
  }
}

TEST_CASE("a weight of one axis leaves the last one out, and a bias of one element is for all") {
  const tensor in{{2, 2}, {1, 2, 3, 4}}, weight{{2}, {10, 1}};
  CHECK(floats(run(fn::linear, {in, weight})).shape == extents{2});
  CHECK(floats(run(fn::linear, {in, weight, tensor{{1}, {0.5F}}})).data ==
        std::vector<float>{12.5F, 34.5F});
  CHECK(floats(run(fn::linear, {tensor{{2}, {1, 2}}, tensor{{1, 2}, {10, 1}}})).shape ==
        extents{1});
  CHECK(cause(run(fn::linear, {in, some({2, 3})})) ==
        "the input's last axis is not that of the weight");
  CHECK(cause(run(fn::linear, {in, some({3, 2}), some({2})})) ==
        "the bias does not have one element per output");
}

TEST_CASE("matmul broadcasts the axes before those of the matrices") {
  const tensor a = some({2, 1, 3, 4}, 1), b = some({5, 4, 2}, 2);
  std::vector<double> wanted;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      for (const double x : product(a, i * 12, b, j * 8, 3, 4, 2)) wanted.push_back(x);
  check_near(floats(run(fn::matmul, {a, b})), {2, 5, 3, 2}, wanted);
  CHECK(cause(run(fn::matmul, {a, some({3, 4, 2})})) == "");
  CHECK_FALSE(run(fn::matmul, {some({2, 3, 4}), some({3, 4, 2})}).has_value());
}

TEST_CASE("a vector is a row on the left, a column on the right, and gone from the result") {
  const tensor m = some({3, 4}, 1), v = some({4}, 2), u = some({3}, 3);
  check_near(floats(run(fn::matmul, {m, v})), {3}, product(m, 0, v, 0, 3, 4, 1));
  check_near(floats(run(fn::matmul, {u, m})), {4}, product(u, 0, m, 0, 1, 3, 4));
  check_near(floats(run(fn::matmul, {v, v})), {}, product(v, 0, v, 0, 1, 4, 1));
  CHECK(cause(run(fn::matmul, {v, m})) == "the matrices have 4 columns and 3 rows");
  CHECK(cause(run(fn::matmul, {some({}), v})) == "a scalar is not a matrix");
}

TEST_CASE("bmm wants as many matrices, addmm adds a multiple of a product") {
  const tensor a = some({2, 3, 4}, 1), b = some({2, 4, 2}, 2);
  std::vector<double> wanted = product(a, 0, b, 0, 3, 4, 2);
  for (const double x : product(a, 12, b, 8, 3, 4, 2)) wanted.push_back(x);
  check_near(floats(run(fn::bmm, {a, b})), {2, 3, 2}, wanted);
  CHECK(cause(run(fn::bmm, {a, some({1, 4, 2})})) == "needs two batches of as many matrices");
  const tensor c = some({2}, 5), d = some({3, 4}, 1), e = some({4, 2}, 2);
  std::vector<double> sum = product(d, 0, e, 0, 3, 4, 2);
  for (std::size_t i = 0; i < sum.size(); ++i)
    sum[i] = 2 * sum[i] + 0.5 * static_cast<double>(c.data[i % 2]);
  check_near(floats(run(fn::addmm, {c, d, e}, {{"beta", 0.5}, {"alpha", 2}})), {3, 2}, sum);
}

TEST_CASE("einsum reads an equation, or axes by their numbers") {
  const tensor a{{2, 3}, {1, 2, 3, 4, 5, 6}}, b{{3}, {1, 0, 2}};
  CHECK(floats(run(fn::einsum, {std::string("ij,j->i"), a, b})).data == std::vector<float>{7, 16});
  const list other{1}, out{0};
  CHECK(floats(run(fn::einsum, {a, b}, {{"other_axes", other}, {"out_axes", out}})).data ==
        std::vector<float>{7, 16});
  CHECK(floats(run(fn::einsum, {std::string("...j,j->j"), a, b})).data ==
        std::vector<float>{5, 0, 18});
  CHECK(cause(run(fn::einsum, {std::string("jj,j->j"), a, b})) ==
        "has no such equation of two tensors");
}

TEST_CASE("attention is a softmax of products of queries and keys, times the values") {
  const tensor q = some({2, 3, 4}, 1), k = some({2, 5, 4}, 2), v = some({2, 5, 2}, 3);
  for (const bool causal : {false, true}) {
    std::vector<double> wanted;
    for (std::size_t row = 0; row < 6; ++row) {
      const std::size_t image = row / 3, keys = causal ? row % 3 + 1 : 5;
      std::vector<double> shares;
      double total = 0;
      for (std::size_t key = 0; key < keys; ++key) {
        double score = 0;
        for (std::size_t e = 0; e < 4; ++e)
          score += static_cast<double>(q.data[row * 4 + e]) *
                   static_cast<double>(k.data[(image * 5 + key) * 4 + e]);
        shares.push_back(std::exp(score * 0.5));
        total += shares.back();
      }
      for (std::size_t e = 0; e < 2; ++e) {
        double sum = 0;
        for (std::size_t key = 0; key < keys; ++key)
          sum += shares[key] / total * static_cast<double>(v.data[(image * 5 + key) * 2 + e]);
        wanted.push_back(sum);
      }
    }
    check_near(floats(run(fn::scaled_dot_product_attention, {q, k, v}, {{"is_causal", causal}})),
               {2, 3, 2}, wanted);
  }
  CHECK(floats(run(fn::scaled_dot_product_attention, {q, k, v}, {{"scale", 0.5}})).data ==
        floats(run(fn::scaled_dot_product_attention, {q, k, v})).data);
}

TEST_CASE("attention without queries, with a mask or with dropout is an error") {
  const tensor q = some({3, 4}, 1);
  const auto attend = [&](const tensor& k, std::vector<named_value> keywords) {
    return cause(run(fn::scaled_dot_product_attention, {q, k, k}, std::move(keywords)));
  };
  CHECK(attend(q, {{"attn_mask", filled({3, 3})}}) == "has no attn_mask");
  CHECK(attend(q, {{"dropout_p", 0.5}}) == "dropout_p is 0 in inference");
  CHECK(attend(filled({0, 4}), {}) == "needs queries and keys");
}
