// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/gradients/convolution.hpp"

#include <doctest/doctest.h>

#include "../differences.hpp"
#include "ctq/core/isa.hpp"

using namespace ctq;
using differences::vector;
using training::convolution_geometry;

namespace {

std::size_t weight_size(const convolution_geometry& g) {
  return static_cast<std::size_t>(g.out[1]) * g.inputs() * g.taps();
}

/// The definition, pixel by pixel.
vector defined(const convolution_geometry& g, const vector& in, const vector& w, const vector& b) {
  vector out;
  const conv2d_options& o = g.options;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int n = 0; n < g.out[0]; ++n)
    for (int c = 0; c < g.out[1]; ++c)
      for (int y = 0; y < g.out[2]; ++y)
        for (int x = 0; x < g.out[3]; ++x) {
          double sum = b[at(c)];
          const int inputs = g.in[1] / o.groups, group = c / (g.out[1] / o.groups);
          for (int i = 0; i < inputs; ++i)
            for (int ky = 0; ky < o.kernel_size.h; ++ky)
              for (int kx = 0; kx < o.kernel_size.w; ++kx) {
                const int row = y * o.stride.h - o.padding.h + ky * o.dilation.h;
                const int column = x * o.stride.w - o.padding.w + kx * o.dilation.w;
                if (row < 0 || row >= g.in[2] || column < 0 || column >= g.in[3]) continue;
                sum += in[at(((n * g.in[1] + group * inputs + i) * g.in[2] + row) * g.in[3] +
                             column)] *
                       w[at(((c * inputs + i) * o.kernel_size.h + ky) * o.kernel_size.w + kx)];
              }
          out.push_back(sum);
        }
  return out;
}

template <class Isa>
void compare(conv2d_options o, shape in_shape) {
  const auto windows = [](int in, int kernel, int stride, int padding, int dilation) {
    return (in + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  };
  o.in_channels = in_shape[1];
  const convolution_geometry g{
      o,
      in_shape,
      {in_shape[0], o.out_channels,
       windows(in_shape[2], o.kernel_size.h, o.stride.h, o.padding.h, o.dilation.h),
       windows(in_shape[3], o.kernel_size.w, o.stride.w, o.padding.w, o.dilation.w)}};
  CAPTURE(o.groups);
  CAPTURE(o.kernel_size.h);
  CAPTURE(in_shape[2]);
  vector in = differences::random(numel(g.in), 1), weight = differences::random(weight_size(g), 2);
  const vector bias = differences::random(static_cast<std::size_t>(o.out_channels), 3);
  const vector grad_out = differences::random(numel(g.out), 4);
  training::convolution_workspace<double> w;
  vector out(numel(g.out));
  const auto run = [&] {
    training::convolve<Isa>(g, in.data(), weight.data(), bias.data(), out.data(), w);
    return differences::loss(out, grad_out);
  };
  run();
  const vector expected = defined(g, in, weight, bias);
  for (std::size_t i = 0; i < out.size(); ++i)
    CHECK(out[i] == doctest::Approx(expected[i]).epsilon(1e-12));

  vector grad_in(in.size()), grad_weight(weight.size()), only_weight(weight.size());
  training::add_convolution_gradient<Isa>(g, in.data(), weight.data(), grad_out.data(),
                                          grad_in.data(), grad_weight.data(), w);
  differences::check(in, grad_in, run);
  differences::check(weight, grad_weight, run);
  training::add_convolution_gradient<Isa, double>(g, in.data(), weight.data(), grad_out.data(),
                                                  nullptr, only_weight.data(), w);
  CHECK(only_weight == grad_weight);
}

template <class Isa>
void compare_all() {
  compare<Isa>({.out_channels = 3, .kernel_size = 3, .padding = 1}, {2, 2, 5, 6});
  compare<Isa>({.out_channels = 4, .kernel_size = 1}, {3, 3, 4, 4});
  compare<Isa>({.out_channels = 2, .kernel_size = 1}, {1, 3, 14, 14});
  compare<Isa>({.out_channels = 2, .kernel_size = 1, .stride = 2}, {2, 3, 5, 5});
  compare<Isa>({.out_channels = 2, .kernel_size = {3, 2}, .stride = {2, 3}, .padding = {1, 0}},
               {3, 3, 7, 8});
  compare<Isa>({.out_channels = 2, .kernel_size = 3, .padding = 2, .dilation = {2, 1}},
               {2, 2, 6, 5});
  compare<Isa>({.out_channels = 4, .kernel_size = 3, .padding = 1, .groups = 2}, {2, 4, 4, 5});
  // Depthwise: short rows, long rows, a factor of two, a padding wider than the image.
  compare<Isa>({.out_channels = 3, .kernel_size = 3, .stride = 2, .padding = 1, .groups = 3},
               {2, 3, 7, 7});
  compare<Isa>({.out_channels = 2, .kernel_size = 3, .padding = 1, .groups = 2}, {1, 2, 3, 17});
  compare<Isa>({.out_channels = 4, .kernel_size = 3, .stride = {1, 2}, .padding = 1, .groups = 2},
               {2, 2, 3, 33});
  compare<Isa>({.out_channels = 2, .kernel_size = 5, .padding = 4}, {1, 1, 2, 2});
}

TEST_CASE("convolutions and their gradients equal definition and central differences") {
  compare_all<isa::native>();
}
TEST_CASE("so they do without vectors") {
  compare<isa::scalar>({.out_channels = 3, .kernel_size = 3, .padding = 1}, {2, 2, 5, 6});
}

}  // namespace
