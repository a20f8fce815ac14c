// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/convolution.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "kernels/generator.hpp"
#include "run_op.hpp"

using namespace ctq::float_ops;
using run_op::check_near;
using run_op::some;

namespace {

struct sizes {
  int batch, groups, in_group, out_group;
  extents in, kernel;
  convolution_options options;

  explicit sizes(samples::generator& random, std::size_t axes)
      : batch(random.between(0, 2)),
        groups(random.between(1, 3)),
        in_group(random.between(1, 3)),
        out_group(random.between(1, 3)) {
    options.groups = groups;
    for (std::size_t a = 0; a < axes; ++a) {
      kernel.push_back(random.between(1, 3));
      options.stride.push_back(random.between(1, 3));
      options.padding.push_back(random.between(0, 2));
      options.dilation.push_back(random.between(1, 2));
      in.push_back(random.between(1, 4) + options.dilation[a] * (kernel[a] - 1));
    }
  }
};

/// Indices of a shape one after the other: next(at) is false when all were there.
bool next(extents& at, const extents& shape) {
  for (std::size_t a = shape.size(); a-- > 0; at[a] = 0)
    if (++at[a] < shape[a]) return true;
  return false;
}

std::size_t place(const extents& shape, const extents& at) {
  std::size_t i = 0;
  for (std::size_t a = 0; a < shape.size(); ++a)
    i = i * static_cast<std::size_t>(shape[a]) + static_cast<std::size_t>(at[a]);
  return i;
}

/// Every pair of an input and an output pixel that a tap joins: visit(wide, narrow, tap), where
/// wide[a] = narrow[a] * stride + tap[a] * dilation - padding.
template <class Visit>
void for_each_tap(const sizes& s, const extents& wide, const extents& narrow, Visit visit) {
  extents n(narrow.size());
  if (numel(narrow) == 0) return;
  do {
    extents tap(n.size());
    do {
      extents w(n.size());
      bool inside = true;
      for (std::size_t a = 0; a < n.size(); ++a) {
        w[a] = n[a] * s.options.stride[a] + tap[a] * s.options.dilation[a] - s.options.padding[a];
        inside = inside && w[a] >= 0 && w[a] < wide[a];
      }
      if (inside) visit(w, n, tap);
    } while (next(tap, s.kernel));
  } while (next(n, narrow));
}

extents joined(std::initializer_list<int> first, const extents& last) {
  extents all(first);
  all.insert(all.end(), last.begin(), last.end());
  return all;
}

}  // namespace

TEST_CASE("a convolution is the sum over its taps, with any stride, padding, dilation and groups") {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    samples::generator random(seed);
    const sizes s(random, 1 + seed % 3);
    extents out_pixels;
    for (std::size_t a = 0; a < s.in.size(); ++a)
      out_pixels.push_back(
          (s.in[a] + 2 * s.options.padding[a] - s.options.dilation[a] * (s.kernel[a] - 1) - 1) /
              s.options.stride[a] +
          1);
    const int channels = s.groups * s.out_group;
    const tensor in = some(joined({s.batch, s.groups * s.in_group}, s.in), 1);
    const tensor weight = some(joined({channels, s.in_group}, s.kernel), 2);
    const tensor bias = some({channels}, 3);
    const extents shape = joined({s.batch, channels}, out_pixels);
    std::vector<double> wanted(numel(shape));
    for (int n = 0; n < s.batch; ++n)
      for (int o = 0; o < channels; ++o) {
        extents at(out_pixels.size());
        do {
          wanted[place(shape, joined({n, o}, at))] =
              static_cast<double>(bias.data[static_cast<std::size_t>(o)]);
        } while (next(at, out_pixels));
        for_each_tap(
            s, s.in, out_pixels, [&](const extents& w, const extents& to, const extents& tap) {
              for (int c = 0; c < s.in_group; ++c)
                wanted[place(shape, joined({n, o}, to))] +=
                    static_cast<double>(in.data[place(
                        in.shape, joined({n, o / s.out_group * s.in_group + c}, w))]) *
                    static_cast<double>(weight.data[place(weight.shape, joined({o, c}, tap))]);
            });
      }
    const auto out = convolution(in, weight, &bias, s.options);
    REQUIRE(out.has_value());
    check_near(*out, shape, wanted);
  }
}

TEST_CASE("a transposed convolution gives each tap's product to the pixel it would have read") {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    samples::generator random(seed);
    sizes s(random, 1 + seed % 3);
    s.options.output_padding.assign(s.in.size(), 0);
    extents out_pixels;
    bool any = true;
    for (std::size_t a = 0; a < s.in.size(); ++a) {
      s.in[a] = random.between(1, 4);
      out_pixels.push_back((s.in[a] - 1) * s.options.stride[a] - 2 * s.options.padding[a] +
                           s.options.dilation[a] * (s.kernel[a] - 1) + 1);
      any = any && out_pixels[a] > 0;
    }
    const int channels = s.groups * s.out_group;
    const tensor in = some(joined({s.batch, s.groups * s.in_group}, s.in), 1);
    const tensor weight = some(joined({s.groups * s.in_group, s.out_group}, s.kernel), 2);
    const auto out = transposed_convolution(in, weight, nullptr, s.options);
    if (!any) {
      CHECK_FALSE(out.has_value());
      continue;
    }
    const extents shape = joined({s.batch, channels}, out_pixels);
    std::vector<double> wanted(numel(shape));
    for (int n = 0; n < s.batch; ++n)
      for (int i = 0; i < s.groups * s.in_group; ++i)
        for_each_tap(
            s, out_pixels, s.in, [&](const extents& w, const extents& from, const extents& tap) {
              for (int o = 0; o < s.out_group; ++o)
                wanted[place(shape, joined({n, i / s.in_group * s.out_group + o}, w))] +=
                    static_cast<double>(in.data[place(in.shape, joined({n, i}, from))]) *
                    static_cast<double>(weight.data[place(weight.shape, joined({i, o}, tap))]);
            });
    REQUIRE(out.has_value());
    check_near(*out, shape, wanted);
  }
}

TEST_CASE("more padding after than before shifts nothing") {
  const tensor in = some({1, 1, 4}), weight = some({1, 1, 2}, 2);
  const convolution_options even{
      .stride = {1}, .padding = {0}, .dilation = {1}, .padding_end = {1}};
  const auto out = convolution(in, weight, nullptr, even);
  REQUIRE(out.has_value());
  REQUIRE(out->shape == extents{1, 1, 4});
  CHECK(out->data[3] == doctest::Approx(in.data[3] * weight.data[0]));
  CHECK(out->data[0] == doctest::Approx(in.data[0] * weight.data[0] + in.data[1] * weight.data[1]));
}

TEST_CASE("what does not fit is an error") {
  const convolution_options plain{.stride = {1, 1}, .padding = {0, 0}, .dilation = {1, 1}};
  const auto fails = [&](const tensor& in, const tensor& weight, const convolution_options& o) {
    return !convolution(in, weight, nullptr, o).has_value();
  };
  const tensor in = filled({1, 4, 5, 5});
  CHECK_FALSE(fails(in, filled({2, 4, 3, 3}), plain));
  CHECK(fails(in, filled({2, 3, 3, 3}), plain));
  CHECK(fails(in, filled({2, 4, 6, 3}), plain));
  CHECK(fails(in, filled({2, 4, 0, 3}), plain));
  CHECK(fails(filled({4, 5, 5}), filled({2, 4, 3, 3}), plain));
  convolution_options wrong = plain;
  wrong.groups = 3;
  CHECK(fails(in, filled({3, 4, 3, 3}), wrong));
  wrong = plain;
  wrong.stride = {0, 1};
  CHECK(fails(in, filled({2, 4, 3, 3}), wrong));
  const tensor bias = filled({3});
  CHECK_FALSE(convolution(in, filled({2, 4, 3, 3}), &bias, plain).has_value());
}
