// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/pools.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::check_near;
using run_op::counted;
using run_op::floats;
using run_op::some;

namespace {

template <class Op>
result<value> run(const Op& op, const tensor& in, std::vector<named_value> keywords) {
  return run_op::run(implementation::pools, op,
                     {.positional = {in}, .keywords = std::move(keywords)});
}

struct window {
  int kernel, stride, padding;
  bool ceil_mode;
};

/// Where windows begin: PyTorch drops the last one of ceil mode if it begins in the padding behind.
std::vector<int> starts(int n, const window& w) {
  std::vector<int> all;
  for (int at = -w.padding; at + (w.ceil_mode ? 1 : w.kernel) <= n + w.padding; at += w.stride) {
    if (at >= n) break;
    all.push_back(at);
    if (at + w.kernel >= n + w.padding) break;
  }
  return all;
}

const window windows[] = {{2, 2, 0, false}, {3, 2, 1, false}, {3, 2, 1, true}, {2, 3, 1, true},
                          {3, 1, 1, false}, {4, 3, 2, true},  {1, 2, 0, true}, {2, 3, 0, true}};

}  // namespace

TEST_CASE("a pool covers what its window covers, also where the last one reaches beyond the end") {
  for (const window& w : windows)
    for (int n = 4; n <= 9; ++n) {
      CAPTURE(w.kernel);
      CAPTURE(w.stride);
      CAPTURE(n);
      const tensor in = some({1, 1, n}, n);
      std::vector<double> largest, with_padding, without;
      for (const int at : starts(n, w)) {
        double most = -std::numeric_limits<double>::infinity(), sum = 0;
        const int first = std::max(at, 0), end = std::min(at + w.kernel, n);
        for (int i = first; i < end; ++i) {
          most = std::max(most, static_cast<double>(in.data[static_cast<std::size_t>(i)]));
          sum += static_cast<double>(in.data[static_cast<std::size_t>(i)]);
        }
        largest.push_back(most);
        with_padding.push_back(sum / (std::min(at + w.kernel, n + w.padding) - at));
        without.push_back(sum / (end - first));
      }
      const std::vector<named_value> of{{"kernel_size", w.kernel},
                                        {"stride", w.stride},
                                        {"padding", w.padding},
                                        {"ceil_mode", w.ceil_mode}};
      const extents shape{1, 1, static_cast<int>(largest.size())};
      check_near(floats(run(fn::max_pool1d, in, of)), shape, largest);
      check_near(floats(run(fn::avg_pool1d, in, of)), shape, with_padding);
      auto not_padding = of;
      not_padding.push_back({"count_include_pad", false});
      check_near(floats(run(fn::avg_pool1d, in, not_padding)), shape, without);
    }
}

TEST_CASE("windows move along two axes by their own sizes") {
  const tensor in = counted({1, 3, 4});
  CHECK(floats(run(fn::max_pool2d, in, {{"kernel_size", list{2, 3}}, {"stride", 1}})).data ==
        std::vector<float>{6, 7, 10, 11});
  CHECK(floats(run(fn::avg_pool2d, in, {{"kernel_size", list{3, 2}}, {"stride", 2}})).data ==
        std::vector<float>{4.5F, 6.5F});
  CHECK(floats(run(fn::avg_pool2d, in, {{"kernel_size", 2}, {"divisor_override", 2}})).data ==
        std::vector<float>{(0 + 1 + 4 + 5) / 2.0F, (2 + 3 + 6 + 7) / 2.0F});
  CHECK(
      floats(run(fn::max_pool2d, in, {{"kernel_size", 2}, {"stride", 1}, {"dilation", 2}})).data ==
      std::vector<float>{10, 11});
}

TEST_CASE("the stride is the kernel's size if the call does not say") {
  CHECK(floats(run(fn::max_pool1d, counted({1, 1, 7}), {{"kernel_size", 3}})).data ==
        std::vector<float>{2, 5});
}

TEST_CASE("NaN is the largest of its window alone") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const tensor out =
      floats(run(fn::max_pool1d, tensor{{1, 1, 4}, {1, nan, 3, 2}}, {{"kernel_size", 2}}));
  CHECK(std::isnan(out.data[0]));
  CHECK(out.data[1] == 3.0F);
}

TEST_CASE("adaptive pools cut an axis into windows that overlap where it does not divide") {
  for (int n = 1; n <= 7; ++n)
    for (int out = 1; out <= 9; ++out) {
      const tensor in = some({1, 1, n}, n);
      std::vector<double> largest, mean;
      for (int i = 0; i < out; ++i) {
        const int first = i * n / out, end = ((i + 1) * n + out - 1) / out;
        double most = -std::numeric_limits<double>::infinity(), sum = 0;
        for (int k = first; k < end; ++k) {
          most = std::max(most, static_cast<double>(in.data[static_cast<std::size_t>(k)]));
          sum += static_cast<double>(in.data[static_cast<std::size_t>(k)]);
        }
        largest.push_back(most);
        mean.push_back(sum / (end - first));
      }
      check_near(floats(run(fn::adaptive_max_pool1d, in, {{"output_size", out}})), {1, 1, out},
                 largest);
      check_near(floats(run(fn::adaptive_avg_pool1d, in, {{"output_size", out}})), {1, 1, out},
                 mean);
    }
  CHECK(floats(run(fn::adaptive_avg_pool2d, some({2, 3, 5}), {{"output_size", list{none{}, 1}}}))
            .shape == extents{2, 3, 1});
}

TEST_CASE("what cannot be pooled is an error") {
  const tensor in = counted({1, 1, 4});
  CHECK(cause(run(fn::max_pool1d, in, {{"kernel_size", 5}})) ==
        "the kernel is larger than the padded input");
  CHECK(cause(run(fn::max_pool1d, in, {{"kernel_size", 2}, {"padding", 2}})) ==
        "padding is at most half the kernel");
  CHECK_FALSE(run(fn::max_pool1d, in, {{"kernel_size", 0}}).has_value());
  CHECK_FALSE(run(fn::max_pool1d, in, {{"kernel_size", 2}, {"stride", -1}}).has_value());
  CHECK(cause(run(fn::max_pool1d, in, {{"kernel_size", 2}, {"return_indices", true}})) ==
        "has no indices to return");
  CHECK(cause(run(fn::avg_pool2d, in, {{"kernel_size", 1}, {"divisor_override", 0}})) ==
        "the divisor is 0");
  CHECK(cause(run(fn::max_pool2d, counted({4}), {{"kernel_size", 2}})) ==
        "the input has too few or many axes");
}
