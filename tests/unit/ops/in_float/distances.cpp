// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/distances.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

namespace {

constexpr shape vectors[] = {{2, 1, 4}, {3, 4}};
constexpr shape unlike[] = {{2, 4}, {3, 5}};
constexpr shape scalars[] = {{}, {}};
constexpr shape rows[] = {{2, 1, 3, 4}, {5, 6, 4}};
constexpr shape many_axes[] = {{1, 1, 1, 1, 3, 4}, {5, 4}};
constexpr shape batches[] = {{2, 3, 4}, {3, 5, 4}};

template <class Op>
constexpr shape shape_of(const Op& op, const shape (&in)[2], const typename Op::options& o = {}) {
  return answer_of(op, {in, 2}, o).out;
}
template <class Op>
constexpr bool is_wrong(const Op& op, const shape (&in)[2], const typename Op::options& o = {}) {
  return answer_of(op, {in, 2}, o).problem.any();
}

static_assert(shape_of(fn::cosine_similarity, vectors, {.dim = -1}) == shape{2, 3});
static_assert(shape_of(nn::cosine_similarity, vectors) == shape{2, 4});
static_assert(is_wrong(fn::cosine_similarity, vectors, {.dim = 3}));
static_assert(is_wrong(fn::cosine_similarity, unlike));
static_assert(refuses(nn::cosine_similarity, {2, 4}));
static_assert(shape_of(nn::pairwise_distance, vectors) == shape{2, 3});
static_assert(shape_of(fn::pairwise_distance, vectors, {.keepdim = true}) == shape{2, 3, 1});
static_assert(is_wrong(fn::pairwise_distance, vectors, {.p = 3.0F}));
static_assert(is_wrong(fn::pairwise_distance, scalars) && is_wrong(nn::pairwise_distance, unlike));
static_assert(shape_of(fn::cdist, rows) == shape{2, 5, 3, 6});
static_assert(is_wrong(fn::cdist, unlike) && is_wrong(fn::cdist, many_axes));
static_assert(is_wrong(fn::cdist, batches) && is_wrong(fn::cdist, rows, {.p = 0.0F}));

}  // namespace

TEST_CASE("the cosine of an angle is a product of vectors of length 1") {
  const test_tensor a{{2, 2}, {3, 4, 0, -2}}, b{{2}, {0, 5}};
  check_values(values_of(nn::cosine_similarity, {a, b}), {0.8, -1.0});
  // A length below eps is eps.
  check_values(values_of(fn::cosine_similarity, {a, b}, {.eps = 10.0F}), {0.2, -0.1});
  check_values(values_of(fn::cosine_similarity, {a, b}, {.dim = 0}), {0.0, 0.31622777});
  // Vectors broadcast, too.
  check_values(values_of(fn::cosine_similarity, {a, {{2, 1}, {1, 2}}}), {0.98994949, -0.70710678});
}

TEST_CASE("the distance of vectors is the norm of their difference") {
  const test_tensor a{{2, 2}, {4, 6, 1, 2}}, b{{1, 2}, {1, 2}};
  check_values(values_of(fn::pairwise_distance, {a, b}, {.eps = 0.0F}), {5.0, 0.0});
  check_values(values_of(nn::pairwise_distance, {a, b}, {.p = 1.0F, .eps = 0.5F, .keepdim = true}),
               {8.0, 1.0});
}

TEST_CASE("cdist has the distances of all rows") {
  const test_tensor a{{1, 2, 2}, {0, 0, 1, 1}}, b{{2, 1, 2}, {3, 4, -2, 5}};
  check_values(values_of(fn::cdist, {a, b}), {5.0, 3.60555128, 5.38516481, 5.0});
  check_values(values_of(fn::cdist, {a, b}, {.p = 1.0F}), {7.0, 5.0, 7.0, 7.0});
}
