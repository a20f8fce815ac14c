// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/pool_window.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ctq;
using namespace ctq::kernels;

namespace {

constexpr bool spans(pool_span s, int first, int taps, int padded) {
  return s.first == first && s.taps == taps && s.padded == padded;
}

}  // namespace

// kernel 3, stride 2, padding 1 on 4: [-1,2) [1,4) and, with ceil_mode, [3,6) cut at 5.
static_assert(spans(pool_span_of(0, 4, 3, 2, 1, 1), 0, 2, 3));
static_assert(spans(pool_span_of(1, 4, 3, 2, 1, 1), 1, 3, 3));
static_assert(spans(pool_span_of(2, 4, 3, 2, 1, 1), 3, 1, 2));
// Dilation 2, padding 1 on 1: taps at -1 and 1, none within.
static_assert(pool_span_of(0, 1, 2, 1, 1, 2).taps == 0);
// Dilation 2, padding 2 on 5: taps at -2, 0, 2 and at 0, 2, 4.
static_assert(pool_span_of(0, 5, 3, 2, 2, 2).first == 0);
static_assert(pool_span_of(0, 5, 3, 2, 2, 2).taps == 2);
static_assert(pool_span_of(1, 5, 3, 2, 2, 2).taps == 3);
// Adaptive: 7 to 3 is [0,3) [2,5) [4,7).
static_assert(spans(adaptive_span_of(0, 7, 3), 0, 3, 3));
static_assert(spans(adaptive_span_of(1, 7, 3), 2, 3, 3));
static_assert(spans(adaptive_span_of(2, 7, 3), 4, 3, 3));

static_assert(
    without_adaptive({.in_h = 8, .in_w = 6, .out_h = 2, .out_w = 3, .adaptive = 1}).stride_h == 4);
constexpr pool_shape alike =
    without_adaptive({.in_h = 8, .in_w = 6, .out_h = 2, .out_w = 3, .adaptive = 1});
static_assert(alike.kernel_h == 4 && alike.kernel_w == 2 && alike.stride_w == 2);
static_assert(alike.adaptive == 0);
static_assert(
    without_adaptive({.in_h = 8, .in_w = 7, .out_h = 2, .out_w = 3, .adaptive = 1}).adaptive == 1);

TEST_CASE("windows are visited in memory order, each inside the input") {
  const pool_shape shape{.batch = 2,
                         .in_h = 5,
                         .in_w = 4,
                         .channels = 3,
                         .out_h = 3,
                         .out_w = 3,
                         .kernel_h = 3,
                         .kernel_w = 3,
                         .stride_h = 2,
                         .stride_w = 2,
                         .padding_h = 1,
                         .padding_w = 1};
  std::ptrdiff_t next = 0;
  for_each_window(shape, [&](const pool_window& w) {
    CHECK(w.out == next);
    next += shape.channels;
    CHECK(w.in >= 0);
    CHECK(w.in + w.reach() + shape.channels <= 2 * 5 * 4 * 3);
    CHECK(w.taps() > 0);
    CHECK(w.taps() <= w.padded);
  });
  CHECK(next == 2 * 3 * 3 * 3);
}

TEST_CASE("windows of a row with the same columns are one run") {
  // Kernel 3, stride 2, padding 1 on a row of 8: [-1,2) [1,4) [3,6) [5,8).
  const pool_shape shape{.batch = 1,
                         .in_h = 1,
                         .in_w = 8,
                         .channels = 3,
                         .out_h = 1,
                         .out_w = 4,
                         .kernel_h = 1,
                         .kernel_w = 3,
                         .stride_w = 2,
                         .padding_w = 1};
  std::vector<int> counts;
  for_each_run(shape, [&](const pool_window& w, int count) {
    counts.push_back(count);
    CHECK(w.columns == (counts.size() == 1 ? 2 : 3));
  });
  CHECK(counts == std::vector{1, 3});
  CHECK(stride_of_windows(shape) == 6);
  std::vector<std::ptrdiff_t> starts;
  for_each_window(shape, [&](const pool_window& w) { starts.push_back(w.in); });
  CHECK(starts == std::vector<std::ptrdiff_t>{0, 3, 9, 15});
}

// Runs of one window: none has all columns inside the input; the window is not the first that has.
static_assert(whole_windows_of({.in_w = 2, .out_w = 2, .kernel_w = 5, .padding_w = 2}).from(0) ==
              1);
static_assert(whole_windows_of({.in_w = 9, .out_w = 1, .kernel_w = 3, .padding_w = 1}).from(1) ==
              1);
// Adaptive windows of equal size are as far apart as they are wide.
static_assert(stride_of_windows(
                  {.in_h = 6, .in_w = 8, .channels = 5, .out_h = 3, .out_w = 4, .adaptive = 1}) ==
              10);
// Adaptive windows of different sizes: each is a run.
static_assert(whole_windows_of({.in_w = 7, .out_w = 3, .adaptive = 1}).from(0) == 1);
