// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "ctq/kernels/reference/conv2d.hpp"

namespace bench {

namespace {

template <class Bytes>
Bytes random_bytes(std::size_t n, int low, int high, std::mt19937& random) {
  Bytes out(n);
  for (auto& x : out) {
    x = static_cast<typename Bytes::value_type>(
        low + static_cast<int>(random() % unsigned(high - low + 1)));
  }
  return out;
}

}  // namespace

layer::layer(const ctq::conv2d_shape& s, bool is_linear) : shape(s), linear(is_linear) {
  std::mt19937 random(1);
  const int terms = s.kernel_h * s.kernel_w * s.in_group();
  in = random_bytes<decltype(in)>(static_cast<std::size_t>(s.in_h * s.in_w * s.in_channels), 0, 255,
                                  random);
  weight = random_bytes<decltype(weight)>(static_cast<std::size_t>(s.out_channels * terms), -127,
                                          127, random);
  // Spreads the accumulators over the whole output range, some beyond it.
  const float spread = 1.0F / (73.0F * std::sqrt(static_cast<float>(terms)));
  for (int o = 0; o < s.out_channels; ++o) {
    bias.push_back(static_cast<std::int32_t>(random() % 20001) - 10000);
    multiplier.push_back(spread * (0.5F + static_cast<float>(random() % 1024) / 1024.0F));
    std::int32_t sum = 0;
    for (int k = 0; k < terms; ++k) sum += weight[static_cast<std::size_t>(o * terms + k)];
    folded.push_back(bias.back() - zero_point_in * sum);
  }
  const ctq::kernels::output_range to{zero_point_out, 0, 255};
  if (!linear) {
    row all{0, std::vector<std::uint8_t>(outputs())};
    ctq::kernels::reference::conv2d(s, in.data(), weight.data(), folded.data(), multiplier.data(),
                                    to, zero_point_in, all.values.data());
    expected_.push_back(std::move(all));
    return;
  }
  const auto width = static_cast<std::size_t>(s.out_channels);
  const auto rows = static_cast<std::size_t>(s.in_w);
  const double enough = 1 << 27;  // products
  const auto every = static_cast<std::size_t>(std::ceil(operations() / 2 / enough));
  for (std::size_t m = 0; m < rows; m += m + every < rows ? every : std::max(rows - 1 - m, 1UL)) {
    row r{m * width, std::vector<std::uint8_t>(width)};
    ctq::kernels::reference::conv2d(ctq::as_conv2d({1, s.in_channels, s.out_channels}),
                                    in.data() + m * static_cast<std::size_t>(s.in_channels),
                                    weight.data(), folded.data(), multiplier.data(), to, 0,
                                    r.values.data());
    expected_.push_back(std::move(r));
  }
}

int layer::distance(const std::uint8_t* out) const {
  int worst = 0;
  for (const row& r : expected_) {
    for (std::size_t i = 0; i < r.values.size(); ++i) {
      worst = std::max(worst, std::abs(int{out[r.at + i]} - int{r.values[i]}));
    }
  }
  return worst;
}

std::string name_of_gemm(const ctq::conv2d_shape& s) {
  return std::to_string(s.in_w) + "x" + std::to_string(s.out_channels) + "x" +
         std::to_string(s.in_channels);
}

std::string name_of_conv(const ctq::conv2d_shape& s) {
  char name[64];
  char stride[16] = "";
  if (s.stride_h > 1) std::snprintf(stride, sizeof stride, "/%d", s.stride_h);
  char groups[32] = "";
  if (s.groups > 1) std::snprintf(groups, sizeof groups, " in %d groups", s.groups);
  if (s.groups > 1 && s.depthwise()) {
    std::snprintf(name, sizeof name, "%dx%d%s depthwise %d @%d", s.kernel_h, s.kernel_w, stride,
                  s.in_channels, s.in_h);
  } else {
    std::snprintf(name, sizeof name, "%dx%d%s %d->%d%s @%d", s.kernel_h, s.kernel_w, stride,
                  s.in_channels, s.out_channels, groups, s.in_h);
  }
  return name;
}

}  // namespace bench
