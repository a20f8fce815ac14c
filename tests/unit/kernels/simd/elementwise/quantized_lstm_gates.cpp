// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/quantized_lstm_gates.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "ctq/core/isa.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

using bytes = std::vector<std::uint8_t>;

/// Tables of any content: the kernel does not know what they are of.
quantized_lstm_cell random_cell(samples::generator& random, unsigned seed) {
  quantized_lstm_cell cell;
  for (qparams* q : {&cell.igates, &cell.hgates, &cell.gates, &cell.fgate_cx, &cell.igate_cgate,
                     &cell.c, &cell.h})
    *q = samples::random_qparams<std::uint8_t>(random);
  const bytes all = samples::integers<std::uint8_t>(3 * 256, seed);
  for (std::size_t i = 0; i < 256; ++i) {
    cell.sigmoid[i] = all[i];
    cell.tanh[i] = all[256 + i];
    cell.tanh_of_c[i] = all[512 + i];
  }
  return cell;
}

void check(samples::generator& random, unsigned seed) {
  const quantized_lstm_cell cell = random_cell(random, seed);
  quantized_lstm_step s{.rows = random.between(0, 4), .hidden = random.between(1, 140)};
  CAPTURE(s.hidden);
  s.x_stride = 4 * s.hidden + random.between(0, 5);
  s.past_stride = random.between(0, 2) == 0 ? 0 : 4 * s.hidden;
  s.to_stride = s.hidden + random.between(0, 3);
  s.last_c = random.between(0, 1) == 0 ? cell.c : samples::random_qparams<std::uint8_t>(random);
  const auto rows = static_cast<std::size_t>(s.rows);
  const auto hidden = static_cast<std::size_t>(s.hidden);
  const auto some = [&](std::size_t n, unsigned k) {
    return samples::integers<std::uint8_t>(n, seed + k);
  };
  const samples::fenced x(some(rows * static_cast<std::size_t>(s.x_stride), 1));
  const samples::fenced past(some(s.past_stride == 0 ? 4 * hidden : rows * 4 * hidden, 2));
  const bytes table = some(256, 3);
  const std::uint8_t* const output_table = random.between(0, 1) == 0 ? nullptr : table.data();
  bytes h(some(rows * hidden, 4)), c(some(rows * hidden, 5));
  bytes to(rows * static_cast<std::size_t>(s.to_stride));
  const samples::guarded<std::uint8_t> our_h(h), our_c(c), our_to(to);
  reference::quantized_lstm_gates(s, cell, x.data(), past.data(), h.data(), c.data(), to.data(),
                                  output_table);
  simd::quantized_lstm_gates<isa::native>(s, cell, x.data(), past.data(), our_h.data(),
                                          our_c.data(), our_to.data(), output_table);
  CHECK(our_h.holds(h));
  CHECK(our_c.holds(c));
  CHECK(our_to.holds(to));
}

}  // namespace

TEST_CASE("a step of a cell is computed op by op, as PyTorch says") {
  quantized_lstm_cell cell;
  cell.igates = cell.hgates = {0.25F, 128};
  cell.gates = {0.5F, 128};
  cell.fgate_cx = {0.125F, 64};
  cell.igate_cgate = {0.0625F, 32};
  cell.c = {0.25F, 16};
  cell.h = {0.03125F, 8};
  cell.sigmoid[129] = 128;   // i: 1/2
  cell.sigmoid[130] = 64;    // f: 1/4
  cell.tanh[126] = 64;       // g: -1/2
  cell.sigmoid[132] = 192;   // o: 3/4
  cell.tanh_of_c[19] = 160;  // 1/4
  // Sums: 2 + 0, 1 + 3, -3 - 1, 4 + 4 quarters, so 1, 2, -2, 4 steps of a half.
  const std::uint8_t x[] = {130, 129, 125, 132}, past[] = {128, 131, 127, 132};
  const quantized_lstm_step s{.rows = 1,
                              .hidden = 1,
                              .x_stride = 4,
                              .past_stride = 4,
                              .to_stride = 1,
                              .last_c = {0.5F, 10}};
  std::uint8_t h = 0, c = 18, to = 0, output_table[256]{};
  // fgate_cx = 1/4 * 4 = 1, igate_cgate = -1/4, c = 3/4, h = 3/4 * 1/4 = 6 steps.
  output_table[8 + 6] = 99;
  reference::quantized_lstm_gates(s, cell, x, past, &h, &c, &to, nullptr);
  CHECK(c == 16 + 3);
  CHECK(h == 8 + 6);
  CHECK(to == h);
  c = 18;
  reference::quantized_lstm_gates(s, cell, x, past, &h, &c, &to, output_table);
  CHECK(h == 8 + 6);
  CHECK(to == 99);
}

TEST_CASE("simd quantized_lstm_gates gives the bytes of the reference") {
  samples::for_each_seed(samples::seeds(400), check);
}

TEST_CASE("a cell whose scales are far apart is computed by the reference") {
  quantized_lstm_cell cell;
  const qparams tiny{0x1p-60F, 128};
  CHECK(simd::lstm_fits_int32(cell, {}));
  CHECK_FALSE(simd::lstm_fits_int32(cell, {0x1p60F, 0}));
  for (qparams quantized_lstm_cell::*q :
       {&quantized_lstm_cell::gates, &quantized_lstm_cell::fgate_cx,
        &quantized_lstm_cell::igate_cgate, &quantized_lstm_cell::c, &quantized_lstm_cell::h}) {
    quantized_lstm_cell far = cell;
    far.*q = tiny;
    CHECK_FALSE(simd::lstm_fits_int32(far, {}));
  }
}
