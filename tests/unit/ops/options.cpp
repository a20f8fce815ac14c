// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of ctq's ops.

#include <doctest/doctest.h>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

// PyTorch's defaults.
static_assert(bag_mode_words.find("max") == 2 && rnn_nonlinearity_words.find("relu") == 1);
static_assert(conv2d_options{}.stride == extent2d{1} && conv2d_options{}.padding == extent2d{0});
static_assert(conv2d_options{}.dilation == extent2d{1} && conv2d_options{}.groups == 1);
static_assert(conv2d_options{}.bias && linear_options{}.bias);
static_assert(batch_norm2d_options{}.eps == 1e-5F);
static_assert(avg_pool2d_options{}.count_include_pad && !avg_pool2d_options{}.ceil_mode);
static_assert(flatten_options{}.start_dim == 0 && nn_flatten_options{}.start_dim == 1);
static_assert(flatten_options{}.end_dim == -1 && nn_flatten_options{}.end_dim == -1);
static_assert(cat_options{}.dim == 0);

constexpr conv2d_options conv{.in_channels = 3,
                              .out_channels = 6,
                              .kernel_size = {3, 5},
                              .stride = 2,
                              .padding = {1, 0},
                              .groups = 3,
                              .bias = false};
constexpr auto back = attributes{conv}.as<conv2d_options>();
static_assert(back.in_channels == 3 && back.out_channels == 6 && back.groups == 3 && !back.bias);
static_assert(back.kernel_size == extent2d{3, 5} && back.padding == extent2d{1, 0});

static_assert(attributes{conv} == attributes{back});
static_assert(attributes{conv} != attributes{conv2d_options{}});

TEST_CASE("every option of every op survives being kept as words") {
  const auto bn = attributes{batch_norm2d_options{7, 1e-3F}}.as<batch_norm2d_options>();
  CHECK(bn.num_features == 7);
  CHECK(bn.eps == 1e-3F);
  const auto pool =
      attributes{
          max_pool2d_options{
              .kernel_size = 3, .stride = {1, 2}, .padding = 1, .dilation = 2, .ceil_mode = true}}
          .as<max_pool2d_options>();
  CHECK(pool.stride == extent2d{1, 2});
  CHECK(pool.dilation == extent2d{2});
  CHECK(pool.ceil_mode);
  const auto average = attributes{avg_pool2d_options{.kernel_size = 2, .count_include_pad = false}}
                           .as<avg_pool2d_options>();
  CHECK(!average.count_include_pad);
  CHECK(average.kernel_size == extent2d{2});
  CHECK(attributes{cat_options{-1}}.as<cat_options>().dim == -1);
}

}  // namespace
