// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/shape_checks.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace ctq;

namespace {

constexpr int most = std::numeric_limits<int>::max();

static_assert(shape_rules::countable(most) && shape_rules::countable(1 << 15, 1 << 15));
static_assert(!shape_rules::countable(1 << 16, 1 << 15));
static_assert(!shape_rules::countable(most, most, most, most));
static_assert(!shape_rules::countable(std::int64_t{most} + 1));

// What does not fit into int is not counted wrongly.
static_assert(shape_rules::windows(1, 1, 1, most, 1, false) == most);
static_assert(shape_rules::windows(8, most, 1, 0, most, false) == 0);

/// What a pool does, step by step: windows start at -padding, each stride further; in ceil_mode one
/// that is cut at the end counts too, if it starts before the right padding.
int windows_one_by_one(int in, int kernel, int stride, int padding, int dilation, bool ceil_mode) {
  int n = 0;
  for (int start = -padding;; start += stride, ++n) {
    const int end = start + dilation * (kernel - 1) + 1;
    if (end <= in + padding) continue;
    const bool rest = n == 0 || end - stride < in + padding;  // something is not covered yet
    return n + (ceil_mode && rest && start < in ? 1 : 0);
  }
}

TEST_CASE("windows are counted as PyTorch counts them, with and without ceil_mode") {
  for (int in = 1; in < 12; ++in)
    for (int kernel = 1; kernel < 6; ++kernel)
      for (int stride = 1; stride < 7; ++stride)
        for (int padding = 0; 2 * padding <= kernel; ++padding)
          for (int dilation = 1; dilation < 3; ++dilation)
            for (const bool ceil_mode : {false, true}) {
              if (in + 2 * padding < dilation * (kernel - 1) + 1) continue;  // refused before
              CAPTURE(in);
              CAPTURE(kernel);
              CAPTURE(stride);
              CAPTURE(padding);
              CAPTURE(dilation);
              CAPTURE(ceil_mode);
              CHECK(shape_rules::windows(in, kernel, stride, padding, dilation, ceil_mode) ==
                    windows_one_by_one(in, kernel, stride, padding, dilation, ceil_mode));
            }
}

TEST_CASE("an option that is 0 is that of the input; another one must equal it") {
  diagnostic d;
  int channels = 0;
  CHECK(shape_rules::settle(d, "in_channels", channels, 3, {1, 3, 8, 8}));
  CHECK(channels == 3);
  CHECK(shape_rules::settle(d, "in_channels", channels, 3, {1, 3, 8, 8}));
  CHECK(!d.any());
  CHECK(!shape_rules::settle(d, "in_channels", channels, 4, {1, 4, 8, 8}));
  CHECK(d.message() == "in_channels is 3\nthe input is [1, 4, 8, 8]");
}

TEST_CASE("a shape prints as Python's list") {
  std::string out;
  append_shape(out, {1, 3, 28, 28});
  append_shape(out, {});
  CHECK(out == "[1, 3, 28, 28][]");
}

}  // namespace
