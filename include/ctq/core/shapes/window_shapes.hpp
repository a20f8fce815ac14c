// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The shapes of kernels that slide a window over images: convolutions and pools. Activations are in
// NHWC order, those with a depth in NDHWC.

namespace ctq {

struct conv2d_shape {
  int batch{};
  int in_h{}, in_w{};
  int in_channels{}, out_channels{};
  int kernel_h{}, kernel_w{};
  int stride_h = 1, stride_w = 1;
  int padding_h{}, padding_w{};
  int dilation_h = 1, dilation_w = 1;
  int groups = 1;

  /// How many positions there are from 0 to `last`; 0 if the kernel is larger than the image.
  /// Stride 1 without a division: layers that take 100 ns compute this several times.
  [[nodiscard]] static constexpr int steps(int last, int stride) {
    return last < 0 ? 0 : (stride == 1 ? last : last / stride) + 1;
  }
  [[nodiscard]] constexpr int out_h() const {
    return steps(in_h + 2 * padding_h - dilation_h * (kernel_h - 1) - 1, stride_h);
  }
  [[nodiscard]] constexpr int out_w() const {
    return steps(in_w + 2 * padding_w - dilation_w * (kernel_w - 1) - 1, stride_w);
  }
  [[nodiscard]] constexpr int padded_h() const { return in_h + 2 * padding_h; }
  [[nodiscard]] constexpr int padded_w() const { return in_w + 2 * padding_w; }
  [[nodiscard]] constexpr int in_group() const { return in_channels / groups; }
  [[nodiscard]] constexpr int out_group() const { return out_channels / groups; }
  [[nodiscard]] constexpr bool depthwise() const {
    return groups == in_channels && groups == out_channels;
  }

  friend constexpr bool operator==(const conv2d_shape&, const conv2d_shape&) = default;
};

/// Images with a depth.
struct conv3d_shape {
  int batch{};
  int in_d{}, in_h{}, in_w{};
  int in_channels{}, out_channels{};
  int kernel_d{}, kernel_h{}, kernel_w{};
  int stride_d = 1, stride_h = 1, stride_w = 1;
  int padding_d{}, padding_h{}, padding_w{};
  int dilation_d = 1, dilation_h = 1, dilation_w = 1;
  int groups = 1;

  /// Whether each plane of outputs reads only the plane of inputs in the same place.
  [[nodiscard]] constexpr bool keeps_planes() const {
    return kernel_d == 1 && stride_d == 1 && padding_d == 0;
  }
  /// The convolution of one plane of outputs, or of all planes if they are kept: the planes that a
  /// kernel reads are channels of one image, in the order (group, plane, channel of the group).
  [[nodiscard]] constexpr conv2d_shape plane() const {
    return {.batch = keeps_planes() ? batch * in_d : 1,
            .in_h = in_h,
            .in_w = in_w,
            .in_channels = kernel_d * in_channels,
            .out_channels = out_channels,
            .kernel_h = kernel_h,
            .kernel_w = kernel_w,
            .stride_h = stride_h,
            .stride_w = stride_w,
            .padding_h = padding_h,
            .padding_w = padding_w,
            .dilation_h = dilation_h,
            .dilation_w = dilation_w,
            .groups = groups};
  }
  [[nodiscard]] constexpr int out_d() const {
    return conv2d_shape::steps(in_d + 2 * padding_d - dilation_d * (kernel_d - 1) - 1, stride_d);
  }
  [[nodiscard]] constexpr int out_h() const { return plane().out_h(); }
  [[nodiscard]] constexpr int out_w() const { return plane().out_w(); }

  friend constexpr bool operator==(const conv3d_shape&, const conv3d_shape&) = default;
};

/// A convolution of an image with stride - 1 zeros between its pixels.
struct conv_transpose2d_shape {
  int batch{};
  int in_h{}, in_w{};
  int in_channels{}, out_channels{};
  int kernel_h{}, kernel_w{};
  int stride_h = 1, stride_w = 1;
  int padding_h{}, padding_w{};  // outputs that are left out on each side
  int output_padding_h{}, output_padding_w{};
  int dilation_h = 1, dilation_w = 1;
  int groups = 1;

  [[nodiscard]] constexpr int out_h() const {
    return (in_h - 1) * stride_h - 2 * padding_h + dilation_h * (kernel_h - 1) + output_padding_h +
           1;
  }
  [[nodiscard]] constexpr int out_w() const {
    return (in_w - 1) * stride_w - 2 * padding_w + dilation_w * (kernel_w - 1) + output_padding_w +
           1;
  }

  friend constexpr bool operator==(const conv_transpose2d_shape&,
                                   const conv_transpose2d_shape&) = default;
};

/// The same along three axes.
struct conv_transpose3d_shape {
  int batch{};
  int in_d{}, in_h{}, in_w{};
  int in_channels{}, out_channels{};
  int kernel_d{}, kernel_h{}, kernel_w{};
  int stride_d = 1, stride_h = 1, stride_w = 1;
  int padding_d{}, padding_h{}, padding_w{};
  int output_padding_d{}, output_padding_h{}, output_padding_w{};
  int dilation_d = 1, dilation_h = 1, dilation_w = 1;
  int groups = 1;

  /// The transposed convolution of one plane of outputs, which reads this number of planes of
  /// inputs: they are channels of one image, in the order (group, plane, channel of the group).
  [[nodiscard]] constexpr conv_transpose2d_shape plane(int planes = 1) const {
    return {.batch = 1,
            .in_h = in_h,
            .in_w = in_w,
            .in_channels = planes * in_channels,
            .out_channels = out_channels,
            .kernel_h = kernel_h,
            .kernel_w = kernel_w,
            .stride_h = stride_h,
            .stride_w = stride_w,
            .padding_h = padding_h,
            .padding_w = padding_w,
            .output_padding_h = output_padding_h,
            .output_padding_w = output_padding_w,
            .dilation_h = dilation_h,
            .dilation_w = dilation_w,
            .groups = groups};
  }
  [[nodiscard]] constexpr int out_d() const {
    return (in_d - 1) * stride_d - 2 * padding_d + dilation_d * (kernel_d - 1) + output_padding_d +
           1;
  }
  [[nodiscard]] constexpr int out_h() const { return plane().out_h(); }
  [[nodiscard]] constexpr int out_w() const { return plane().out_w(); }

  friend constexpr bool operator==(const conv_transpose3d_shape&,
                                   const conv_transpose3d_shape&) = default;
};

/// A window that slides over each channel, along two axes or three. The extents of the output are
/// members, since they depend on ceil_mode.
/// Adaptive pooling: adaptive = 1, window i of n covers [i*in/n, ceil((i+1)*in/n)).
struct pool_shape {
  int batch{};
  int in_h{}, in_w{};
  int channels{};
  int out_h{}, out_w{};
  int kernel_h{}, kernel_w{};
  int stride_h = 1, stride_w = 1;
  int padding_h{}, padding_w{};
  int dilation_h = 1, dilation_w = 1;  // max pooling only
  /// The divisor of averages: the pixels of a window inside input and padding, those inside the
  /// input, or another number.
  static constexpr int padded_pixels = -1, input_pixels = 0;
  int divisor = padded_pixels;
  int adaptive{};
  int in_d = 1, out_d = 1;
  int kernel_d = 1, stride_d = 1, padding_d{}, dilation_d = 1;

  friend constexpr bool operator==(const pool_shape&, const pool_shape&) = default;
};

}  // namespace ctq
