// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ctq/core/padded.hpp"

// The arguments of each op, with PyTorch's names and defaults, and attributes: the one form in
// which a node keeps them, so that the set of ops stays open.

namespace ctq {

/// A height and a width: .kernel_size = 3 or .kernel_size = {3, 5}.
struct extent2d {
  int h{}, w{};

  constexpr extent2d() = default;
  constexpr extent2d(int both) : h(both), w(both) {}  // NOLINT(google-explicit-constructor)
  constexpr extent2d(int height, int width) : h(height), w(width) {}

  friend constexpr bool operator==(const extent2d&, const extent2d&) = default;
};

/// A bool without padding bytes around it, so that options can be copied bit by bit.
struct flag {
  int value{};

  constexpr flag() = default;
  constexpr flag(bool v) : value(v) {}                    // NOLINT(google-explicit-constructor)
  constexpr operator bool() const { return value != 0; }  // NOLINT(google-explicit-constructor)
};

struct no_options {
  int nothing{};
};

struct conv2d_options {
  int in_channels = 0;  // 0: as many as the input has
  int out_channels{};
  extent2d kernel_size{};
  extent2d stride = 1;
  extent2d padding = 0;
  extent2d dilation = 1;
  int groups = 1;
  flag bias = true;
};

struct linear_options {
  int in_features = 0;  // 0: as many as the input has
  int out_features{};
  flag bias = true;
};

struct batch_norm2d_options {
  int num_features = 0;  // 0: as many as the input has
  float eps = 1e-5F;
};

struct relu_options {
  flag inplace = false;  // without effect: values are never changed under another reader
};

struct leaky_relu_options {
  float negative_slope = 0.01F;
  flag inplace = false;
};

struct elu_options {
  float alpha = 1.0F;
  flag inplace = false;
};

struct hardtanh_options {
  float min_val = -1.0F;
  float max_val = 1.0F;
  flag inplace = false;
};

struct clamp_options {
  float min = -__builtin_huge_valf();
  float max = __builtin_huge_valf();
};

struct dropout_options {
  float p = 0.5F;        // without effect: what is quantized is not trained
  flag inplace = false;  // without effect
};

struct max_pool2d_options {
  extent2d kernel_size{};
  extent2d stride = 0;  // 0: kernel_size
  extent2d padding = 0;
  extent2d dilation = 1;
  flag ceil_mode = false;
};

struct avg_pool2d_options {
  extent2d kernel_size{};
  extent2d stride = 0;  // 0: kernel_size
  extent2d padding = 0;
  flag ceil_mode = false;
  flag count_include_pad = true;
};

struct adaptive_avg_pool2d_options {
  extent2d output_size = 1;
};

/// torch.flatten's defaults; nn.Flatten starts at 1.
struct flatten_options {
  int start_dim = 0;
  int end_dim = -1;
};

struct nn_flatten_options {
  int start_dim = 1;
  int end_dim = -1;
};

struct cat_options {
  int dim = 0;
};

/// The options of any op, as words. Options are trivially copyable structs of 4-byte members.
struct attributes {
  static constexpr std::size_t max_words = 8;
  using words = std::array<std::uint64_t, max_words>;

  words word{};

  constexpr attributes() = default;

  template <fits_in<sizeof(words)> Options>
  constexpr explicit attributes(const Options& options) : word(to_block<words>(options)) {}

  template <class Options>
  [[nodiscard]] constexpr Options as() const {
    return from_block<Options>(word);
  }

  friend constexpr bool operator==(const attributes&, const attributes&) = default;
};

}  // namespace ctq
