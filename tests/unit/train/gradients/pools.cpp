// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/gradients/pools.hpp"

#include <doctest/doctest.h>

#include "../differences.hpp"

using namespace ctq;
using differences::vector;

namespace {

void compare_max(const max_pool2d_options& o, const shape& in_shape, const shape& out_shape) {
  vector in = differences::random(numel(in_shape), 1);
  const vector grad_out = differences::random(numel(out_shape), 2);
  vector out(numel(out_shape));
  std::vector<std::uint32_t> chosen;
  const auto run = [&] {
    training::apply_max_pool(o, in_shape, out_shape, in.data(), out.data(), chosen);
    return differences::loss(out, grad_out);
  };
  run();
  vector grad_in(in.size());
  training::add_max_pool_gradient(chosen, grad_out.data(), grad_in.data());
  differences::check(in, grad_in, run, 1e-7);
}

template <class Options>
void compare_average(const Options& o, const shape& in_shape, const shape& out_shape) {
  vector in = differences::random(numel(in_shape), 1);
  const vector grad_out = differences::random(numel(out_shape), 2);
  vector out(numel(out_shape));
  const auto run = [&] {
    training::apply_average_pool(o, in_shape, out_shape, in.data(), out.data());
    return differences::loss(out, grad_out);
  };
  run();
  vector grad_in(in.size());
  training::add_average_pool_gradient(o, in_shape, out_shape, grad_out.data(), grad_in.data());
  differences::check(in, grad_in, run);
}

TEST_CASE("gradients of pools equal central differences") {
  compare_max({.kernel_size = 2, .stride = 2}, {2, 2, 4, 6}, {2, 2, 2, 3});
  compare_max({.kernel_size = 3, .stride = 2, .padding = 1}, {2, 2, 5, 5}, {2, 2, 3, 3});
  compare_max({.kernel_size = 2, .stride = 1, .dilation = 2}, {1, 1, 4, 4}, {1, 1, 2, 2});
  compare_average(avg_pool2d_options{.kernel_size = 2, .stride = 2}, {2, 3, 4, 4}, {2, 3, 2, 2});
  compare_average(avg_pool2d_options{.kernel_size = {2, 3}, .stride = {2, 1}, .padding = 1},
                  {1, 2, 5, 4}, {1, 2, 3, 4});
  compare_average(adaptive_avg_pool2d_options{.output_size = 1}, {2, 3, 4, 5}, {2, 3, 1, 1});
  compare_average(adaptive_avg_pool2d_options{.output_size = {2, 3}}, {1, 2, 5, 7}, {1, 2, 2, 3});
}

TEST_CASE("pools have PyTorch's values") {
  const vector x{1, 2, 3, 4, 5, 6, 7, 8, 9};
  vector out(4);
  std::vector<std::uint32_t> chosen;
  training::apply_max_pool({.kernel_size = 2, .stride = 2, .padding = 1, .ceil_mode = false},
                           {1, 1, 3, 3}, {1, 1, 2, 2}, x.data(), out.data(), chosen);
  CHECK(out == vector{1, 3, 7, 9});
  // Padding counts, except where a window in ceil mode reaches beyond it.
  training::apply_average_pool(avg_pool2d_options{.kernel_size = 2, .stride = 2, .ceil_mode = true},
                               {1, 1, 3, 3}, {1, 1, 2, 2}, x.data(), out.data());
  CHECK(out == vector{3, 4.5, 7.5, 9});
  training::apply_average_pool(avg_pool2d_options{.kernel_size = 2, .stride = 2, .padding = 1},
                               {1, 1, 3, 3}, {1, 1, 2, 2}, x.data(), out.data());
  CHECK(out == vector{0.25, 1.25, 2.75, 7});
  training::apply_average_pool(
      avg_pool2d_options{.kernel_size = 2, .stride = 2, .padding = 1, .count_include_pad = false},
      {1, 1, 3, 3}, {1, 1, 2, 2}, x.data(), out.data());
  CHECK(out == vector{1, 2.5, 5.5, 7});
}

}  // namespace
