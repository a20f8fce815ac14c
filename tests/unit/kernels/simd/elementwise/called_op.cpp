// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/called_op.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/samples.hpp"
#include "user_ops.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

constexpr qparams coarse{0.5F, 10, -128, 127};
constexpr qparams fine{0.03F, -3, -128, 127};

/// log(x): NaN below zero, -inf at zero.
struct op_log : function_op<op_log> {
  static constexpr std::string_view name = "own.log";
  static float apply(float x) { return std::log(x); }
};

template <class Q>
qparams moved(qparams p) {
  if constexpr (std::same_as<Q, std::uint8_t>) return {p.scale, p.zero_point + 128, 0, 255};
  return p;
}

template <class Q>
void tables_are_definitions(const op_functions& op, const attributes& options) {
  const qparams from = moved<Q>(coarse);
  const qparams to = moved<Q>(fine);
  std::vector<Q> table(256);
  reference::make_table(op, options, from, to, table.data());
  for (const int n : samples::lengths()) {
    CAPTURE(n);
    const auto count = static_cast<std::size_t>(n);
    const auto in = samples::integers<Q>(count, 3U + static_cast<unsigned>(n));
    std::vector<Q> expected(count);
    reference::elementwise<Q>(op, options,
                              {.in = {{in.data(), {n}, from}}, .out = {expected.data(), {n}, to}});
    samples::guarded<Q> out(count);
    simd::look_up<isa::native>({n}, in.data(), table.data(), out.data());
    CHECK(out.holds(expected));
    samples::guarded<Q> by_blocks(count);
    simd::elementwise<isa::native, Q>(
        op, options, {.in = {{in.data(), {n}, from}}, .out = {by_blocks.data(), {n}, to}});
    CHECK(by_blocks.holds(expected));
  }
}

template <class Q>
void two_tensors_agree() {
  const op_functions& op = own::add_swish.id()->descriptor->functions;
  const attributes options{own::swish_options{1.5F}};
  const qparams a = moved<Q>(fine);
  const qparams b = moved<Q>(coarse);
  for (const int n : samples::lengths()) {
    CAPTURE(n);
    const auto count = static_cast<std::size_t>(n);
    const auto x = samples::integers<Q>(count, 5U + static_cast<unsigned>(n));
    const auto y = samples::integers<Q>(count, 6U + static_cast<unsigned>(n));
    const tensor_ref<const Q> in[] = {{x.data(), {n}, a}, {y.data(), {n}, b}};
    std::vector<Q> expected(count);
    reference::elementwise<Q>(op, options, {{in[0], in[1]}, {expected.data(), {n}, b}});
    samples::guarded<Q> out(count);
    simd::elementwise<isa::native, Q>(op, options, {{in[0], in[1]}, {out.data(), {n}, b}});
    CHECK(out.holds(expected));
  }
}

}  // namespace

TEST_CASE("an op on integers is dequantize, apply, quantize") {
  const std::vector<std::uint8_t> x = {128, 130, 200};  // -1 / 4, 0, 70 / 8
  std::vector<std::uint8_t> y(3);
  reference::elementwise<std::uint8_t>(
      own::square.id()->descriptor->functions, {},
      {.in = {{x.data(), {3}, {0.125F, 130, 0, 255}}}, .out = {y.data(), {3}, {0.5F, 2, 0, 255}}});
  CHECK(y == std::vector<std::uint8_t>{2, 2, 155});
}

TEST_CASE("a table gives the bytes of the definition, for each integer and tensor length") {
  const attributes beta{own::swish_options{1.5F}};
  tables_are_definitions<std::uint8_t>(own::swish.id()->descriptor->functions, beta);
  tables_are_definitions<std::int8_t>(own::swish.id()->descriptor->functions, beta);
  tables_are_definitions<std::uint8_t>(op_log::id()->descriptor->functions, {});
  tables_are_definitions<std::int8_t>(op_log::id()->descriptor->functions, {});
}

TEST_CASE("a table is looked up backwards where loads would wait for stores, and in place") {
  std::vector<std::uint8_t> table(256);
  for (std::size_t q = 0; q < 256; ++q) table[q] = static_cast<std::uint8_t>(255 - q);
  constexpr int count = 1000;
  const auto in = samples::integers<std::uint8_t>(count, 9);
  std::vector<std::uint8_t> expected;
  for (const std::uint8_t x : in) expected.push_back(table[x]);
  for (const std::ptrdiff_t ahead : {0, 4096, 4096 + 48, 8192 - 48}) {
    CAPTURE(ahead);
    std::vector<std::uint8_t> memory(8192 + count);
    std::ranges::copy(in, memory.begin());
    simd::look_up<isa::native>({count}, memory.data(), table.data(), memory.data() + ahead);
    CHECK(std::equal(expected.begin(), expected.end(), memory.begin() + ahead));
  }
}

TEST_CASE("an op of two tensors gives the bytes of the definition") {
  two_tensors_agree<std::uint8_t>();
  two_tensors_agree<std::int8_t>();
}

TEST_CASE("an op on whole tensors gets dequantized values and shapes") {
  const std::vector<std::int8_t> x = {1, 2, 3, 4, 5, 6};
  std::vector<std::int8_t> y(2);
  std::vector<float> floats(8);
  reference::function<std::int8_t>(own::sum.id()->descriptor->functions, {},
                                   {.in = {{x.data(), {2, 3}, {0.5F, 1, -128, 127}}},
                                    .out = {y.data(), {2}, {0.25F, -1, -128, 127}}},
                                   floats.data());
  CHECK(y == std::vector<std::int8_t>{5, 23});  // 1.5, 6
}
