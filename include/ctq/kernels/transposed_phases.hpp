// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <numeric>

#include "ctq/core/shapes/window_shapes.hpp"

// A transposed convolution as one ordinary convolution for each phase. Along an axis, the outputs y
// with the same (y + padding) % stride read the same taps of the kernel, and consecutive ones of
// them read consecutive inputs: a phase is a convolution with stride 1, with a part of the kernel
// in reverse order. No product with the zeros between the inputs is computed.

namespace ctq::kernels {

/// A phase along one axis.
struct transposed_phase {
  int out_first{};  // its first output; then every stride-th
  int out_count{};  //
  int first_tap{};  // of the kernel; then every tap_step-th
  int tap_step{};   //
  int taps{};       // 0: no input is read
  int in_first{};   // the input under its last tap at its first output; < 0: before the image
  int in_step{};    // from the input under a tap to that under the tap before it

  friend constexpr bool operator==(const transposed_phase&, const transposed_phase&) = default;
};

/// All phases along one axis.
struct transposed_axis {
  int phases{};
  int before{}, after{};       // inputs that are read before and after the image
  int longest{};               // what a phase reads, from the first to the last input
  bool starts_inside = false;  // a phase does not read the first input

  /// Padding between two rows, shared by the end of the first and the start of the second: enough
  /// that a row with its padding contains all that a phase reads.
  [[nodiscard]] constexpr int between(int in) const {
    const int border = before > after ? before : after;
    return longest - in > border ? longest - in : border;
  }
};

/// A phase along one axis. Requires 0 <= phase < min(stride, out)
[[nodiscard]] constexpr transposed_phase transposed_phase_of(int phase, int out, int kernel,
                                                             int stride, int padding,
                                                             int dilation) {
  const int common = std::gcd(stride, dilation);
  transposed_phase p{.out_first = phase,
                     .out_count = (out - phase + stride - 1) / stride,
                     .tap_step = stride / common,
                     .in_step = dilation / common};
  const auto reads = [&](int tap) { return (phase + padding - tap * dilation) % stride == 0; };
  while (p.first_tap < kernel && p.first_tap < p.tap_step && !reads(p.first_tap)) ++p.first_tap;
  if (p.first_tap >= kernel || p.first_tap == p.tap_step) return p;
  p.taps = (kernel - 1 - p.first_tap) / p.tap_step + 1;
  p.in_first = (phase + padding - p.first_tap * dilation) / stride - (p.taps - 1) * p.in_step;
  return p;
}

/// All phases along an axis of `in` inputs and `out` outputs.
[[nodiscard]] constexpr transposed_axis transposed_axis_of(int in, int out, int kernel, int stride,
                                                           int padding, int dilation) {
  transposed_axis a{.phases = stride < out ? stride : out};
  for (int i = 0; i < a.phases; ++i) {
    const transposed_phase p = transposed_phase_of(i, out, kernel, stride, padding, dilation);
    if (p.taps == 0) continue;
    const int length = (p.taps - 1) * p.in_step + p.out_count;
    if (length > a.longest) a.longest = length;
    if (-p.in_first > a.before) a.before = -p.in_first;
    if (p.in_first + length - in > a.after) a.after = p.in_first + length - in;
    a.starts_inside = a.starts_inside || p.in_first != 0;
  }
  return a;
}

/// The phases of both axes of a 2-d transposed convolution.
struct transposed_phases {
  conv_transpose2d_shape shape{};
  transposed_axis h{}, w{};
  /// How many images a phase computes by one convolution: several mean fewer calls and larger
  /// matrices.
  int images_together{};

  constexpr explicit transposed_phases(const conv_transpose2d_shape& s)
      : shape(s),
        h(transposed_axis_of(s.in_h, s.out_h(), s.kernel_h, s.stride_h, s.padding_h, s.dilation_h)),
        w(transposed_axis_of(s.in_w, s.out_w(), s.kernel_w, s.stride_w, s.padding_w, s.dilation_w)),
        images_together(batch_of_phases()) {}

  [[nodiscard]] constexpr int count() const { return h.phases * w.phases; }
  [[nodiscard]] constexpr transposed_phase row(int phase) const {
    return transposed_phase_of(phase / w.phases, shape.out_h(), shape.kernel_h, shape.stride_h,
                               shape.padding_h, shape.dilation_h);
  }
  [[nodiscard]] constexpr transposed_phase column(int phase) const {
    return transposed_phase_of(phase % w.phases, shape.out_w(), shape.kernel_w, shape.stride_w,
                               shape.padding_w, shape.dilation_w);
  }

  /// Whether the phases read the image with a border. One that starts to the right of the first
  /// column also reads past the end of the last row.
  [[nodiscard]] constexpr bool pads() const {
    return h.before + h.after + w.before + w.after > 0 || w.starts_inside;
  }
  /// Pixels of a border before each row of the padded image, and after the last one.
  [[nodiscard]] constexpr int border() const { return w.between(shape.in_w); }
  [[nodiscard]] constexpr int padded_h() const { return h.before + shape.in_h + h.after; }
  [[nodiscard]] constexpr int padded_w() const { return border() + shape.in_w; }

  /// The first pixel of the padded image that a phase reads.
  [[nodiscard]] constexpr int first_pixel(int phase) const {
    return (h.before + row(phase).in_first) * padded_w() + border() + column(phase).in_first;
  }
  /// The convolution that computes a phase of images_together images; its kernel has no taps if
  /// nothing is read. Its rows are as long as those of the padded image; outputs after those of the
  /// phase are not used.
  [[nodiscard]] constexpr conv2d_shape convolution(int phase) const {
    const transposed_phase y = row(phase);
    const transposed_phase x = column(phase);
    return {.batch = images_together,
            .in_h = (y.taps - 1) * y.in_step + y.out_count,
            .in_w = padded_w(),
            .in_channels = shape.in_channels,
            .out_channels = shape.out_channels,
            .kernel_h = x.taps == 0 ? 0 : y.taps,
            .kernel_w = y.taps == 0 ? 0 : x.taps,
            .dilation_h = y.taps > 1 ? y.in_step : 1,
            .dilation_w = x.taps > 1 ? x.in_step : 1,
            .groups = shape.groups};
  }

 private:
  /// As many images as have outputs that fit in a cache, if each phase reads all rows of the image
  /// and no border, so that its inputs in several images are contiguous as in a batch; else 1.
  [[nodiscard]] constexpr int batch_of_phases() const {
    constexpr long long most = 1 << 16;  // outputs of a phase, of which one has in_h * in_w at most
    const long long of_one = 1LL * shape.in_h * shape.in_w * shape.out_channels;
    if (shape.batch <= 1 || count() == 0 || 2 * of_one > most || pads()) return 1;
    for (int i = 0; i < h.phases; ++i) {
      const transposed_phase y = row(i * w.phases);
      if (y.taps > 0 && (y.in_first != 0 || (y.taps - 1) * y.in_step + y.out_count != shape.in_h))
        return 1;
    }
    int n = shape.batch;
    while (shape.batch % n != 0 || n * of_one > most) --n;
    return n;
  }
};

[[nodiscard]] constexpr bool has_taps(const conv2d_shape& phase) {
  return phase.kernel_h > 0 && phase.kernel_w > 0;
}

/// The phases along the depth of a transposed convolution along three axes. A plane of outputs is a
/// transposed convolution along two axes, of the planes of inputs that its phase reads.
struct transposed_planes {
  conv_transpose3d_shape shape{};

  constexpr explicit transposed_planes(const conv_transpose3d_shape& s) : shape(s) {}

  [[nodiscard]] constexpr int count() const {
    return shape.stride_d < shape.out_d() ? shape.stride_d : shape.out_d();
  }
  [[nodiscard]] constexpr transposed_phase depth(int phase) const {
    return transposed_phase_of(phase, shape.out_d(), shape.kernel_d, shape.stride_d,
                               shape.padding_d, shape.dilation_d);
  }
  /// Which planes a phase reads: those of a convolution with as many outputs.
  [[nodiscard]] constexpr conv3d_shape planes(int phase) const {
    const transposed_phase z = depth(phase);
    return {.batch = shape.batch,
            .in_d = shape.in_d,
            .in_h = shape.in_h,
            .in_w = shape.in_w,
            .in_channels = shape.in_channels,
            .out_channels = shape.out_channels,
            .kernel_d = z.taps,
            .padding_d = -z.in_first,
            .dilation_d = z.in_step,
            .groups = shape.groups};
  }
  /// Whether each plane of outputs reads one plane of inputs, all of them in the image.
  [[nodiscard]] constexpr bool reads_in_place(int phase) const {
    return planes(phase).keeps_planes() && depth(phase).out_count <= shape.in_d;
  }
  /// What computes a plane of a phase or, if each reads one plane in place, all of them as the
  /// images of a batch; it has no channels if nothing is read.
  [[nodiscard]] constexpr conv_transpose2d_shape convolution(int phase) const {
    conv_transpose2d_shape s = shape.plane(depth(phase).taps);
    if (reads_in_place(phase)) s.batch = depth(phase).out_count;
    return s;
  }
};

}  // namespace ctq::kernels
