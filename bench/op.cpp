// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "op.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>

#include "ctq/runtime/recurrent/recurrent_products.hpp"

namespace bench {

namespace {

constexpr std::size_t line = 64;

[[nodiscard]] std::size_t size(int n) { return static_cast<std::size_t>(n); }

/// The weight of a layer as a matrix: rows that share a scale.
struct matrix {
  int rows{}, columns{};
};

[[nodiscard]] std::vector<matrix> matrices_of(const ctq::kernel_signature& signature) {
  if (signature.kernel == ctq::kernel::conv_transpose2d) {
    const auto s = signature.as<ctq::conv_transpose2d_shape>();
    return {{s.out_channels, s.kernel_h * s.kernel_w * s.in_channels}};
  }
  if (signature.kernel == ctq::kernel::conv_transpose3d) {
    const auto s = signature.as<ctq::conv_transpose3d_shape>();
    return {{s.out_channels, s.kernel_h * s.kernel_w * s.kernel_d * s.in_channels}};
  }
  if (signature.kernel == ctq::kernel::linear_dynamic) {
    const auto s = signature.as<ctq::linear_shape>();
    return {{s.out_features, s.in_features}};
  }
  if (signature.kernel == ctq::kernel::rnn_dynamic) {
    const auto s = signature.as<ctq::recurrent_shape>();
    const ctq::linear_shape in = ctq::input_product(s, 0), state = ctq::state_product(s);
    return {{in.out_features, in.in_features}, {state.out_features, state.in_features}};
  }
  return {};
}

/// The pairs of an input and a tap along one axis of a transposed convolution whose product is part
/// of an output.
[[nodiscard]] double pairs(int in, int kernel, int stride, int dilation, int padding, int out) {
  double count = 0;
  for (int i = 0; i < in; ++i)
    for (int k = 0; k < kernel; ++k) {
      const int to = i * stride + k * dilation - padding;
      count += to >= 0 && to < out ? 1 : 0;
    }
  return count;
}

template <class Shape>
[[nodiscard]] double products_of(const Shape& s) {
  double count = static_cast<double>(s.batch) * s.in_channels * s.out_channels / s.groups;
  count *= pairs(s.in_h, s.kernel_h, s.stride_h, s.dilation_h, s.padding_h, s.out_h());
  count *= pairs(s.in_w, s.kernel_w, s.stride_w, s.dilation_w, s.padding_w, s.out_w());
  if constexpr (requires { s.in_d; })
    count *= pairs(s.in_d, s.kernel_d, s.stride_d, s.dilation_d, s.padding_d, s.out_d());
  return count;
}

}  // namespace

double op::products() const {
  const ctq::kernel_signature& s = signature();
  switch (s.kernel) {
    case ctq::kernel::conv_transpose2d: return products_of(s.as<ctq::conv_transpose2d_shape>());
    case ctq::kernel::conv_transpose3d: return products_of(s.as<ctq::conv_transpose3d_shape>());
    case ctq::kernel::matmul: {
      const auto m = s.as<ctq::matmul_shape>();
      return static_cast<double>(m.batch) * m.m * m.n * m.k;
    }
    case ctq::kernel::linear_dynamic: {
      const auto m = s.as<ctq::linear_shape>();
      return static_cast<double>(m.rows) * m.in_features * m.out_features;
    }
    default: return 0;
  }
}

op::op(std::size_t which)
    : entry(ops[which]),
      index(which),
      in_(input_bytes(0) + input_bytes(1)),
      result_(written()),
      expected_(written()) {
  fill_input(0);
  fill_input(1);
  make_weights();
  run_reference(*this, expected_.data());
}

ctq::qparams op::out() const {
  const float scale = signature().kernel == ctq::kernel::matmul ? 2.0F : 0.07F;
  return {scale, 128, 0, 255};
}

std::size_t op::input_bytes(int which) const {
  const std::size_t bytes = size(entry.inputs[which]) * ctq::size_of(signature().in);
  return (bytes + line - 1) / line * line;
}

const std::byte* op::input(int which) const {
  return in_.data() + (which == 0 ? 0 : input_bytes(0));
}

std::span<const std::byte> op::read() const {
  if (!table.empty()) return std::as_bytes(std::span{table});
  return {in_.data(), in_.size()};
}

std::size_t op::written() const {
  return size(entry.outputs) * ctq::size_of(entry.steps[entry.count - 1].signature.out);
}

void op::fill_input(int which) {
  std::mt19937 random(static_cast<unsigned>(which + 1));
  std::byte* to = in_.data() + (which == 0 ? 0 : input_bytes(0));
  const auto put = [&](auto x) {
    std::memcpy(to, &x, sizeof x);
    to += sizeof x;
  };
  for (int i = 0; i < entry.inputs[which]; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    if (signature().in == ctq::f32) {
      put(static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-29F);
    } else if (signature().in == ctq::i32) {
      put(static_cast<std::int32_t>(bits % size(signature().as<ctq::embedding_shape>().rows)));
    } else {
      put(static_cast<std::uint8_t>(bits));
    }
  }
}

void op::make_weights() {
  std::mt19937 random(3);
  const auto real = [&] { return 0.5F + static_cast<float>(random() % 1024) / 1024.0F; };
  if (signature().kernel == ctq::kernel::embedding) {
    const auto s = signature().as<ctq::embedding_shape>();
    table.resize(static_cast<std::size_t>(ctq::kernels::bytes_of_row(s)) * size(s.rows));
    for (auto& x : table) x = static_cast<std::uint8_t>(random());
    for (int i = 0; i < s.rows; ++i) {
      scale.push_back(real());
      bias.push_back(static_cast<float>(random() % 16));  // the zero point
    }
  }
  if (signature().kernel == ctq::kernel::layer_norm) {
    for (int i = 0; i < signature().as<ctq::layer_norm_shape>().channels; ++i) {
      scale.push_back(real());
      bias.push_back(real());
    }
  }
  for (const matrix& m : matrices_of(signature())) {
    const float spread = 1.0F / (73.0F * std::sqrt(static_cast<float>(m.columns)));
    for (int row = 0; row < m.rows; ++row) {
      std::int32_t sum = 0;
      for (int i = 0; i < m.columns; ++i) {
        weight.push_back(static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127));
        sum += weight.back();
      }
      scale.push_back(spread * real());
      bias.push_back(real() - 1.0F);
      integer_bias.push_back(static_cast<std::int32_t>(random() % 20001) - 10000);
      folded.push_back(integer_bias.back() - a.zero_point * sum);
    }
  }
}

void op::spoil() const {
  std::transform(expected_.begin(), expected_.end(), result(), [](std::byte x) { return ~x; });
}

int op::distance(const void* answer) const {
  const auto* const got = static_cast<const std::byte*>(answer);
  if (std::memcmp(got, expected_.data(), expected_.size()) == 0) return 0;
  int worst = 0;
  if (entry.steps[entry.count - 1].signature.out != ctq::f32) {
    for (std::size_t i = 0; i < expected_.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<int>(got[i]) - static_cast<int>(expected_[i])));
    return worst;
  }
  float largest = 0.0F, difference = 0.0F;
  for (std::size_t i = 0; i < expected_.size(); i += sizeof(float)) {
    float x, y;
    std::memcpy(&x, got + i, sizeof x);
    std::memcpy(&y, expected_.data() + i, sizeof y);
    if (!(std::abs(x - y) < 1e9F)) return INT_MAX;  // also if it is NaN
    largest = std::max(largest, std::abs(y));
    difference = std::max(difference, std::abs(x - y));
  }
  return std::max(1, static_cast<int>(std::ceil(255.0F * difference / largest)));
}

}  // namespace bench
