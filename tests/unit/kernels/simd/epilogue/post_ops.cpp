// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/epilogue/post_ops.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "ctq/kernels/reference/epilogue.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;
using isa_t = isa::native;

namespace {

/// Rows of outputs, `stride` apart, with `count` outputs each. Post-ops read the corresponding
/// elements of another tensor.
struct rows_of_outputs {
  int rows, count;
  std::ptrdiff_t index, stride;

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(index + (rows - 1) * stride + count);
  }
};

/// Whether the post-ops on rows of Width values equal the reference, and nothing else is written.
template <int Width, class Q, class... PostOp>
bool equals_reference(const rows_of_outputs& o, const post_op_chain<PostOp...>& post_ops,
                      const std::vector<Q>& values) {
  const samples::fenced<Q> from(values);
  std::vector<Q> expected = samples::integers<Q>(o.size(), 99);
  const samples::guarded<Q> out(expected);
  for (int row = 0; row < o.rows; ++row)
    for (int i = 0; i < o.count; ++i) {
      const std::ptrdiff_t at = o.index + row * o.stride + i;
      expected[static_cast<std::size_t>(at)] =
          reference::apply(post_ops, values[static_cast<std::size_t>(row * Width + i)], at);
    }
  const simd::prepared_post_ops<PostOp...> ready(post_ops);
  simd::apply_and_store_rows<isa_t, Width>(ready, from.data(), o.rows, o.index, out.data(),
                                           o.stride, o.count);
  return out.holds(expected);
}

/// Scales of similar magnitude, as in a network, or any, including those whose results exceed
/// int32.
template <class Q>
qparams some_qparams(samples::generator& random) {
  qparams p = samples::random_qparams<Q>(random);
  if (random() % 4 > 0) p.scale = 0.01F + static_cast<float>(random() % 1000) * 0x1p-12F;
  if (random() % 8 == 0) p.scale = 0.25F;  // sums on ties
  return p;
}

template <class Q, int Width>
void check_all_post_ops() {
  samples::for_each_seed(samples::seeds(60), [](samples::generator& random, unsigned seed) {
    rows_of_outputs o{random.between(1, 6), random.between(1, Width), random.between(0, 9), 0};
    o.stride = o.count + random.between(0, 20);
    const samples::fenced<Q> other(samples::integers<Q>(o.size(), seed));
    const samples::fenced<Q> table(samples::integers<Q>(256, ~seed));
    const residual_add<Q> add{other.data(), some_qparams<Q>(random), some_qparams<Q>(random),
                              some_qparams<Q>(random), seed % 2 == 0};
    const auto values = samples::integers<Q>(static_cast<std::size_t>(o.rows * Width), seed + 1);
    CAPTURE(o.rows);
    CAPTURE(o.count);
    CHECK(equals_reference<Width>(
        o, post_op_chain<residual_add<Q>, lookup_table<Q>>(add, {table.data()}), values));
    // With the table first, since it hides differences between values that it maps to the same one.
    CHECK(equals_reference<Width>(
        o, post_op_chain<lookup_table<Q>, residual_add<Q>>({table.data()}, add), values));
  });
}

/// All pairs of values, with equal scales, where half of the sums are ties, or any scales.
template <class Q>
void check_all_sums(const qparams& from, const qparams& other_q, const qparams& to, bool relu) {
  constexpr int width = 64;
  for (int x = 0; x < 256; x += width) {
    std::vector<Q> values, other;
    for (int y = 0; y < 256; ++y)
      for (int i = 0; i < width; ++i) {
        values.push_back(static_cast<Q>(x + i));
        other.push_back(static_cast<Q>(y));
      }
    const samples::fenced<Q> others(other);
    const residual_add<Q> add{others.data(), from, other_q, to, relu};
    CHECK(equals_reference<width>({256, width, 0, width}, post_op_chain<residual_add<Q>>(add),
                                  values));
  }
}

}  // namespace

TEST_CASE("post-ops on registers equal the reference") {
  check_all_post_ops<std::uint8_t, 16>();
  check_all_post_ops<std::int8_t, 16>();
  check_all_post_ops<std::uint8_t, 64>();
  check_all_post_ops<std::int8_t, 64>();
}

TEST_CASE(
    "all sums of two values are rounded as in the reference, including ties and scales that are "
    "far apart") {
  check_all_sums<std::uint8_t>({0.25F, 3, 0, 255}, {0.25F, 200, 0, 255}, {0.5F, 7, 0, 255}, false);
  check_all_sums<std::uint8_t>({0.05F, 117, 0, 255}, {0.03F, 100, 0, 255}, {0.07F, 128, 0, 255},
                               true);
  check_all_sums<std::int8_t>({0.5F, 0, -128, 127}, {1.0F, -5, -128, 127}, {1.0F, 9, -128, 127},
                              false);
  // Results that exceed int32.
  check_all_sums<std::int8_t>({0x1p40F, 0, -128, 127}, {1.0F, 0, -128, 127},
                              {0x1p-3F, 0, -128, 127}, false);
  check_all_sums<std::uint8_t>({1.0F, 0, 0, 255}, {0x1p-60F, 0, 0, 255}, {0x1p-60F, 9, 0, 255},
                               true);
}

TEST_CASE("post-ops are applied in order to a single value") {
  std::uint8_t plus_one[256], twice[256];
  for (int i = 0; i < 256; ++i) {
    plus_one[i] = static_cast<std::uint8_t>(i + 1);
    twice[i] = static_cast<std::uint8_t>(2 * i);
  }
  using table = lookup_table<std::uint8_t>;
  const simd::prepared_post_ops<table, table> added_first(
      post_op_chain<table, table>({plus_one}, {twice}));
  const simd::prepared_post_ops<table, table> doubled_first(
      post_op_chain<table, table>({twice}, {plus_one}));
  CHECK(simd::apply_one(added_first, std::uint8_t{20}, 0) == 42);
  CHECK(simd::apply_one(doubled_first, std::uint8_t{20}, 0) == 41);
  CHECK(simd::apply_one(added_first, std::uint8_t{255}, 0) == 0);  // 255 + 1 is 0
  CHECK(simd::apply_one(simd::prepared_post_ops<>(), std::uint8_t{42}, 0) == 42);
}
