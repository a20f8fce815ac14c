// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/shape_rules.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "ctq/ops/builtin_ops.hpp"
#include "user_ops.hpp"

using namespace ctq;

namespace {

struct answer {
  ctq::shape shape;
  attributes attrs;
  diagnostic problem;
};

/// The rule of an op, on these inputs.
template <class Op, class... Shape>
constexpr answer infer(const Op&, const typename Op::options& o, const Shape&... in) {
  const shape shapes[] = {in..., shape{}};
  node n{.name = "n", .op = Op::id(), .attrs = attributes{o}};
  diagnostic d;
  shape_rules::infer(n, {shapes, static_cast<int>(sizeof...(in))}, d);
  return {n.shape, n.attrs, d};
}

template <class... Arg>
constexpr bool gives(const shape& expected, const Arg&... arg) {
  const answer a = infer(arg...);
  return !a.problem.any() && a.shape == expected;
}

template <class... Arg>
constexpr bool complains(std::string_view what, const Arg&... arg) {
  const answer a = infer(arg...);
  const std::string_view message = a.problem.message();
  return message.starts_with("node n:\n") && message.substr(8) == what;
}

constexpr shape image{1, 3, 28, 28};

// conv2d
using conv = conv2d_options;
static_assert(gives({1, 6, 14, 28}, nn::conv2d,
                    conv{.out_channels = 6, .kernel_size = 1, .stride = {2, 1}}, image));
constexpr op_parameters grouped = nn::conv2d.id()->descriptor->parameters(
    attributes{conv{.in_channels = 6, .out_channels = 4, .kernel_size = {3, 5}, .groups = 2}});
static_assert(grouped.item[0].shape == shape{4, 3, 3, 5} && grouped.item[1].shape == shape{4});
static_assert(gives({1, 6, 24, 24}, nn::conv2d, conv{.out_channels = 6, .kernel_size = 5}, image));
static_assert(gives({1, 6, 28, 28}, nn::conv2d,
                    conv{.out_channels = 6, .kernel_size = 5, .padding = 2}, image));
static_assert(gives({2, 64, 112, 112}, nn::conv2d,
                    conv{.out_channels = 64, .kernel_size = 7, .stride = 2, .padding = 3},
                    shape{2, 3, 224, 224}));
static_assert(gives({1, 3, 26, 20}, nn::conv2d,
                    conv{.out_channels = 3, .kernel_size = {3, 5}, .dilation = {1, 2}, .groups = 3},
                    image));
static_assert(infer(nn::conv2d, conv{.out_channels = 6, .kernel_size = 5}, image)
                  .attrs.as<conv>()
                  .in_channels == 3);  // found
static_assert(gives({1, 6, 28, 28}, nn::conv2d,
                    conv{.in_channels = 3, .out_channels = 6, .kernel_size = 1}, image));
static_assert(complains("in_channels is 4\nthe input is [1, 3, 28, 28]", nn::conv2d,
                        conv{.in_channels = 4, .out_channels = 6, .kernel_size = 1}, image));
static_assert(complains("out_channels is 0", nn::conv2d, conv{.kernel_size = 3}, image));
static_assert(complains("groups 2 must divide\nin_channels 3 and out_channels 6", nn::conv2d,
                        conv{.out_channels = 6, .kernel_size = 3, .groups = 2}, image));
static_assert(complains("groups 3 must divide\nin_channels 3 and out_channels 4", nn::conv2d,
                        conv{.out_channels = 4, .kernel_size = 3, .groups = 3}, image));
static_assert(complains("groups 0 must divide\nin_channels 3 and out_channels 4", nn::conv2d,
                        conv{.out_channels = 4, .kernel_size = 3, .groups = 0}, image));
static_assert(complains("kernel_size 29x1 does not fit\nthe input is [1, 3, 28, 28]", nn::conv2d,
                        conv{.out_channels = 4, .kernel_size = {29, 1}}, image));
static_assert(complains("kernel_size 3x3 does not fit\nthe input is [1, 3, 28, 28]", nn::conv2d,
                        conv{.out_channels = 4, .kernel_size = 3, .dilation = {1, 14}}, image));
constexpr std::string_view window = "kernel_size, stride, dilation: >= 1\npadding: >= 0";
static_assert(complains(window, nn::conv2d, conv{.out_channels = 4}, image));  // no kernel_size
static_assert(complains(window, nn::conv2d,
                        conv{.out_channels = 4, .kernel_size = 1, .stride = {1, 0}}, image));
static_assert(complains(window, nn::conv2d,
                        conv{.out_channels = 4, .kernel_size = 1, .padding = {-1, 0}}, image));
static_assert(complains(window, nn::conv2d,
                        conv{.out_channels = 4, .kernel_size = 1, .dilation = 0}, image));
static_assert(complains("requires an input of 4 axes\nthe input is [3, 28, 28]", nn::conv2d,
                        conv{.out_channels = 4, .kernel_size = 1}, shape{3, 28, 28}));
static_assert(complains("takes 1 inputs, not 2", nn::conv2d, conv{}, image, image));
static_assert(complains("takes 1 inputs, not 0", nn::conv2d, conv{}));

// one axis
constexpr shape sound{2, 3, 28};
static_assert(gives({2, 6, 24}, nn::conv1d, conv{.out_channels = 6, .kernel_size = 5}, sound));
static_assert(gives({2, 6, 13}, nn::conv1d,
                    conv{.out_channels = 6, .kernel_size = 5, .stride = 2, .padding = 1}, sound));
static_assert(complains("kernel_size is {1, 5};\none axis has one number", nn::conv1d,
                        conv{.out_channels = 6, .kernel_size = {1, 5}}, sound));
static_assert(complains("kernel_size 29 does not fit\nthe input is [2, 3, 28]", nn::conv1d,
                        conv{.out_channels = 6, .kernel_size = 29}, sound));
static_assert(complains("requires an input of 3 axes\nthe input is [1, 3, 28, 28]", nn::conv1d,
                        conv{.out_channels = 4, .kernel_size = 1}, image));

// reductions
using along_axes = reduction_options;
static_assert(gives({2, 3}, fn::mean, along_axes{.dim = {-1}}, sound));
static_assert(gives({1, 3, 1}, fn::amax, along_axes{.dim = {0, 2}, .keepdim = true}, sound));
static_assert(gives({1, 1, 1}, method::sum, along_axes{.keepdim = true}, sound));
static_assert(complains("dim 3 of 3 axes", fn::amin, along_axes{.dim = {3}}, sound));
static_assert(complains("dim names axis 2 twice", fn::mean, along_axes{.dim = {2, -1}}, sound));
static_assert(gives({2, 28}, fn::argmax, along_axes{.dim = {1}}, sound));
static_assert(gives({1, 1, 1}, method::argmin, along_axes{.keepdim = true}, sound));
static_assert(complains("dim is one axis, or none for all", fn::argmax, along_axes{.dim = {1, 2}},
                        sound));
static_assert(gives({2, 28}, fn::max, along_axes{.dim = {1}}, sound));
static_assert(complains("dim is one axis; amax and amin have\nthe extremes of all", method::min,
                        along_axes{}, sound));

// pads
static_assert(gives({2, 3, 31}, fn::pad, pad_options{.pad = {1, 2}}, sound));
static_assert(gives({2, 3, 26}, nn::constant_pad1d, constant_pad_options{.padding = {-1, -1}},
                    sound));
static_assert(gives({1, 3, 31, 30}, nn::zero_pad2d, copying_pad_options{.padding = {0, 2, 1, 2}},
                    image));
static_assert(
    complains("pad [1, 2, 3]:\ntwo numbers for each axis\n"
              "the input is [2, 3, 28]",
              fn::pad, pad_options{.pad = {1, 2, 3}}, sound));
static_assert(
    complains("pad [28, 0] does not fit\nthe input\n"
              "the input is [2, 3, 28]",
              fn::pad, pad_options{.pad = {28, 0}, .mode = padding_rule::reflect}, sound));
static_assert(
    complains("pad [-20, -8] does not fit\nthe input\n"
              "the input is [2, 3, 28]",
              fn::pad, pad_options{.pad = {-20, -8}}, sound));
static_assert(
    complains("pad [1, 2, 3]:\ntwo numbers for each axis\n"
              "the input is [1, 3, 28, 28]",
              nn::replication_pad2d, copying_pad_options{.padding = {1, 2, 3}}, image));

// a slope for each channel, and a function of a number
static_assert(gives(image, nn::prelu, prelu_options{.num_parameters = 3}, image));
static_assert(
    complains("num_parameters 4 is neither 1 nor\nthe number of channels\n"
              "the input is [1, 3, 28, 28]",
              nn::prelu, prelu_options{.num_parameters = 4}, image));
static_assert(complains("takes a tensor and a number", op::pow, no_options{}, image, image));

// attention
using attends = attention_options;
static_assert(gives({2, 5, 4}, fn::scaled_dot_product_attention, attends{}, shape{2, 5, 3},
                    shape{2, 7, 3}, shape{2, 7, 4}));
static_assert(infer(fn::scaled_dot_product_attention, {}, shape{5, 16}, shape{7, 16}, shape{7, 4})
                  .attrs.as<attends>()
                  .scale == 0.25F);
static_assert(complains(
    "queries, keys and values do not fit\nthe input is [2, 5, 3]\n"
    "the input is [2, 7, 4]\nthe input is [2, 7, 4]",
    fn::scaled_dot_product_attention, attends{}, shape{2, 5, 3}, shape{2, 7, 4}, shape{2, 7, 4}));
static_assert(complains("has no attn_mask", fn::scaled_dot_product_attention,
                        attends{.attn_mask = true}, shape{5, 3}, shape{7, 3}, shape{7, 4}));
static_assert(complains("dropout_p is 0 in inference", fn::scaled_dot_product_attention,
                        attends{.dropout_p = 0.1F}, shape{5, 3}, shape{7, 3}, shape{7, 4}));

// stacks
static_assert(gives({2, 2, 3, 28}, fn::stack, cat_options{.dim = 1}, sound, sound));
static_assert(gives({2, 3, 28, 2}, fn::stack, cat_options{.dim = -1}, sound, sound));
static_assert(complains("dim 4 of 4 axes", fn::stack, cat_options{.dim = 4}, sound));
static_assert(
    complains("reads tensors of different shapes\nthe input is [2, 3, 28]\n"
              "the input is [1, 3, 28, 28]",
              fn::stack, cat_options{}, sound, image));
static_assert(complains("has more than 6 axes\nthe input is [1, 1, 1, 1, 1, 1]", fn::stack,
                        cat_options{}, shape{1, 1, 1, 1, 1, 1}));

// three axes
using conv3 = conv3d_options;
constexpr shape volume{2, 4, 5, 28, 30};
static_assert(gives({2, 6, 3, 28, 28}, nn::conv3d,
                    conv3{.out_channels = 6, .kernel_size = 3, .padding = {0, 1, 0}}, volume));
static_assert(gives({2, 8, 3, 14, 15}, nn::conv3d,
                    conv3{.out_channels = 8, .kernel_size = 1, .stride = 2, .groups = 4}, volume));
static_assert(complains("kernel_size 6x1x3 does not fit\nthe input is [2, 4, 5, 28, 30]",
                        nn::conv3d, conv3{.out_channels = 4, .kernel_size = {6, 1, 3}}, volume));
static_assert(complains("requires an input of 5 axes\nthe input is [1, 3, 28, 28]", nn::conv3d,
                        conv3{.out_channels = 4, .kernel_size = 1}, image));
static_assert(complains(window, nn::conv3d,
                        conv3{.out_channels = 4, .kernel_size = 1, .stride = {0, 1, 1}}, volume));
static_assert(gives({2, 4, 2, 14, 15}, nn::max_pool3d, max_pool3d_options{.kernel_size = 2},
                    volume));
static_assert(gives({2, 4, 3, 15, 15}, nn::avg_pool3d,
                    avg_pool3d_options{.kernel_size = 2, .padding = {0, 1, 0}, .ceil_mode = true},
                    volume));
static_assert(complains("padding exceeds half of kernel_size", fn::max_pool3d,
                        max_pool3d_options{.kernel_size = 3, .padding = {2, 1, 1}}, volume));
static_assert(gives({2, 4, 1, 2, 3}, nn::adaptive_avg_pool3d,
                    adaptive_avg_pool3d_options{.output_size = {1, 2, 3}}, volume));
static_assert(complains("output_size is 1 or more", nn::adaptive_avg_pool3d,
                        adaptive_avg_pool3d_options{.output_size = {1, 0, 1}}, volume));
static_assert(gives(volume, nn::batch_norm3d, batch_norm2d_options{}, volume));
static_assert(complains("requires an input of 5 axes\nthe input is [1, 3, 28, 28]",
                        nn::batch_norm3d, batch_norm2d_options{}, image));

// transposed convolutions
using transposed = conv_transpose2d_options;
static_assert(gives({1, 6, 56, 56}, nn::conv_transpose2d,
                    transposed{.out_channels = 6, .kernel_size = 2, .stride = 2}, image));
static_assert(gives({1, 6, 56, 30}, nn::conv_transpose2d,
                    transposed{.out_channels = 6,
                               .kernel_size = 3,
                               .stride = {2, 1},
                               .padding = {1, 0},
                               .output_padding = {1, 0}},
                    image));
static_assert(gives({2, 6, 57}, nn::conv_transpose1d,
                    transposed{.out_channels = 6, .kernel_size = 2, .stride = 2, .dilation = 2},
                    sound));
static_assert(complains("output_padding: 0 or more, and less than\nstride or dilation",
                        nn::conv_transpose2d,
                        transposed{.out_channels = 6, .kernel_size = 2, .output_padding = 1},
                        image));
static_assert(complains("the padding leaves no output\nthe input is [1, 3, 28, 28]",
                        nn::conv_transpose2d,
                        transposed{.out_channels = 6, .kernel_size = 2, .padding = 15}, image));
static_assert(complains("kernel_size and dilation: more than\n2^31 - 1 elements",
                        nn::conv_transpose2d,
                        transposed{.out_channels = 6, .kernel_size = 3, .dilation = 1 << 28},
                        image));
static_assert(complains(window, nn::conv_transpose2d, transposed{.out_channels = 6}, image));
static_assert(gives({2, 4, 7, 28, 55}, nn::conv_transpose3d,
                    conv_transpose3d_options{.out_channels = 4,
                                             .kernel_size = {3, 1, 3},
                                             .stride = {2, 1, 2},
                                             .padding = {0, 0, 1}},
                    shape{2, 4, 3, 28, 28}));
static_assert(
    complains("the padding leaves no output\nthe input is [2, 4, 3, 28, 28]", nn::conv_transpose3d,
              conv_transpose3d_options{.out_channels = 6, .kernel_size = 1, .padding = {2, 0, 0}},
              shape{2, 4, 3, 28, 28}));

// images of another size
using resized = interpolate_options;
static_assert(gives({1, 3, 56, 56}, fn::interpolate, resized{.scale_factor = 2.0F}, image));
static_assert(gives({1, 3, 14, 14}, nn::upsample, resized{.scale_factor = 0.51F}, image));
static_assert(gives({1, 3, 5, 7}, fn::interpolate,
                    resized{.size = {5, 7}, .mode = interpolation::bilinear}, image));
static_assert(gives({2, 3, 9}, fn::interpolate, resized{.size = 9, .mode = interpolation::linear},
                    sound));
static_assert(complains("needs either size or scale_factor", fn::interpolate, resized{}, image));
static_assert(complains("size and scale_factor leave no pixels", fn::interpolate,
                        resized{.scale_factor = 0.01F}, image));
constexpr std::string_view modes =
    "mode: linear along one axis, bilinear\nand bicubic along two, trilinear\nalong three\n"
    "the input is [2, 3, 28]";
static_assert(complains(modes, fn::interpolate, resized{.size = 9, .mode = interpolation::bilinear},
                        sound));
static_assert(complains(modes, fn::interpolate,
                        resized{.size = 9, .mode = interpolation::trilinear}, sound));
static_assert(gives({1, 3, 9, 9}, fn::interpolate,
                    resized{.size = 9, .mode = interpolation::bicubic}, image));
static_assert(gives({1, 2, 3, 8, 9}, fn::interpolate,
                    resized{.size = {3, 8, 9}, .mode = interpolation::trilinear},
                    shape{1, 2, 4, 4, 4}));
static_assert(gives({1, 2, 6, 6, 6}, nn::upsample, resized{.scale_factor = 1.5F},
                    shape{1, 2, 4, 4, 4}));
static_assert(complains("size [8, 9]: a number for each\naxis of pixels\nthe input is [2, 3, 28]",
                        fn::interpolate, resized{.size = {8, 9}}, sound));
static_assert(gives({1, 2, 4, 6}, nn::pixel_shuffle, pixel_shuffle_options{2}, shape{1, 8, 2, 3}));
static_assert(gives({1, 8, 2, 3}, fn::pixel_unshuffle, pixel_unshuffle_options{2},
                    shape{1, 2, 4, 6}));
static_assert(complains("the factor 3 does not divide the extents\nthe input is [1, 8, 2, 3]",
                        nn::pixel_shuffle, pixel_shuffle_options{3}, shape{1, 8, 2, 3}));

// linear
using dense = linear_options;
static_assert(gives({1, 10}, nn::linear, dense{.out_features = 10}, shape{1, 784}));
static_assert(gives({2, 3, 10}, nn::linear, dense{.out_features = 10},
                    shape{2, 3, 7}));  // last axis
static_assert(
    infer(nn::linear, dense{.out_features = 10}, shape{1, 784}).attrs.as<dense>().in_features ==
    784);
static_assert(complains("in_features is 5\nthe input is [1, 784]", nn::linear,
                        dense{.in_features = 5, .out_features = 10}, shape{1, 784}));
static_assert(complains("out_features is 0", nn::linear, dense{}, shape{1, 784}));
static_assert(complains("requires an input with features", nn::linear, dense{.out_features = 1},
                        shape{}));

// batch norm
using norm = batch_norm2d_options;
static_assert(gives(image, nn::batch_norm2d, norm{}, image));
static_assert(infer(nn::batch_norm2d, norm{}, image).attrs.as<norm>().num_features == 3);
static_assert(complains("num_features is 4\nthe input is [1, 3, 28, 28]", nn::batch_norm2d,
                        norm{.num_features = 4}, image));
static_assert(complains("requires an input of 4 axes\nthe input is [1, 3]", nn::batch_norm2d,
                        norm{}, shape{1, 3}));

// pools
using max_pool = max_pool2d_options;
using avg_pool = avg_pool2d_options;
static_assert(gives({1, 3, 14, 14}, nn::max_pool2d, max_pool{.kernel_size = 2}, image));
static_assert(
    infer(nn::max_pool2d, max_pool{.kernel_size = 2}, image).attrs.as<max_pool>().stride ==
    extent2d{2});  // the kernel's size
static_assert(gives({1, 64, 55, 55}, nn::max_pool2d, max_pool{.kernel_size = 3, .stride = 2},
                    shape{1, 64, 112, 112}));
static_assert(gives({1, 64, 56, 56}, fn::max_pool2d,
                    max_pool{.kernel_size = 3, .stride = 2, .ceil_mode = true},
                    shape{1, 64, 112, 112}));
static_assert(gives({1, 3, 24, 24}, nn::max_pool2d,
                    max_pool{.kernel_size = 3, .stride = 1, .dilation = 2}, image));
static_assert(gives({1, 3, 28, 28}, nn::avg_pool2d,
                    avg_pool{.kernel_size = 3, .stride = 1, .padding = 1}, image));
static_assert(gives({1, 3, 9, 14}, fn::avg_pool2d, avg_pool{.kernel_size = {3, 2}}, image));
static_assert(gives({1, 3, 15, 15}, nn::max_pool2d, max_pool{.kernel_size = 2, .padding = 1},
                    image));
static_assert(complains("padding exceeds half of kernel_size", nn::max_pool2d,
                        max_pool{.kernel_size = 3, .padding = 2}, image));
static_assert(complains("padding exceeds half of kernel_size", fn::avg_pool2d,
                        avg_pool{.kernel_size = {4, 3}, .padding = {2, 2}}, image));
static_assert(complains("kernel_size 30x30 does not fit\nthe input is [1, 3, 28, 28]",
                        nn::avg_pool2d, avg_pool{.kernel_size = 30}, image));
static_assert(complains(window, nn::max_pool2d, max_pool{}, image));
static_assert(complains(window, nn::max_pool2d, max_pool{.kernel_size = 2, .stride = {0, 2}},
                        image));

static_assert(gives({2, 3, 14}, nn::max_pool1d, max_pool{.kernel_size = 2}, sound));
static_assert(gives({2, 3, 10}, fn::avg_pool1d, avg_pool{.kernel_size = 3, .ceil_mode = true},
                    sound));

using adaptive = adaptive_avg_pool2d_options;
static_assert(gives({2, 3, 7}, nn::adaptive_avg_pool1d, adaptive{7}, sound));
static_assert(gives(sound, nn::batch_norm1d, norm{}, sound) &&
              gives({2, 3}, nn::batch_norm1d, norm{}, shape{2, 3}));
static_assert(gives({1, 3, 1, 1}, nn::adaptive_avg_pool2d, adaptive{}, image));
static_assert(gives({1, 3, 7, 5}, fn::adaptive_avg_pool2d, adaptive{{7, 5}}, image));
static_assert(gives({1, 3, 40, 40}, nn::adaptive_avg_pool2d, adaptive{40}, image));  // may grow
static_assert(complains("output_size is 1 or more", nn::adaptive_avg_pool2d, adaptive{{0, 1}},
                        image));

// flatten
using flat = flatten_options;
static_assert(gives({3 * 28 * 28}, fn::flatten, flat{}, image));
static_assert(gives({1, 3 * 28 * 28}, fn::flatten, flat{.start_dim = 1}, image));
static_assert(gives({1, 3, 784}, fn::flatten, flat{.start_dim = 2}, image));
static_assert(gives({3, 28, 28}, fn::flatten, flat{.start_dim = 0, .end_dim = 1}, image));
static_assert(gives({1, 84, 28}, fn::flatten, flat{.start_dim = -3, .end_dim = -2}, image));
static_assert(gives(image, fn::flatten, flat{.start_dim = 2, .end_dim = 2}, image));
static_assert(gives({1, 3 * 28 * 28}, nn::flatten, nn_flatten_options{}, image));
static_assert(complains("start_dim 2, end_dim 1 of 4 axes", fn::flatten, flat{2, 1}, image));
static_assert(complains("start_dim 0, end_dim 4 of 4 axes", fn::flatten, flat{0, 4}, image));
static_assert(complains("start_dim -5, end_dim -1 of 4 axes", fn::flatten, flat{-5, -1}, image));
static_assert(complains("start_dim 1, end_dim -1 of 1 axes", nn::flatten, nn_flatten_options{},
                        shape{7}));

// what does not change the shape
static_assert(gives(image, nn::relu, relu_options{}, image));
static_assert(gives({7}, fn::relu, relu_options{}, shape{7}));
static_assert(gives({7}, nn::output, no_options{}, shape{7}));
static_assert(complains("takes 1 inputs, not 2", nn::relu, relu_options{}, image, image));
static_assert(complains("a model returns a tensor or more", nn::output, no_options{}));

// add
static_assert(gives(image, op::add, no_options{}, image, image));
static_assert(gives({5}, fn::add, no_options{}, shape{5}, shape{5}));
static_assert(
    complains("reads shapes that do not broadcast\n"
              "the input is [1, 3, 28, 28]\nthe input is [1, 3, 28, 27]",
              op::add, no_options{}, image, shape{1, 3, 28, 27}));
static_assert(complains("takes 2 inputs, not 1", fn::add, no_options{}, image));
static_assert(gives(image, op::mul, no_options{}, shape{1, 3, 1, 1}, image));
static_assert(gives({2, 3}, fn::sub, no_options{}, shape{2, 1}, shape{3}));
static_assert(gives(image, op::truediv, no_options{}, image, shape{1}));

// cat
using along = cat_options;
static_assert(gives({1, 8, 28, 28}, fn::cat, along{1}, image, shape{1, 5, 28, 28}));
static_assert(gives({1, 9, 28, 28}, fn::cat, along{-3}, image, image, image));
static_assert(gives({3, 3, 28, 28}, fn::cat, along{}, image, shape{2, 3, 28, 28}));
static_assert(gives(image, fn::cat, along{1}, image));
static_assert(infer(fn::cat, along{-3}, image, image).attrs.as<along>().dim ==
              1);  // counted from 0
static_assert(complains("dim 4 of 4 axes", fn::cat, along{4}, image, image));
static_assert(complains("dim -5 of 4 axes", fn::cat, along{-5}, image, image));
static_assert(complains("takes 1 input or more", fn::cat, along{}));
static_assert(
    complains("input 2 differs from the first\noutside dim 1\n"
              "the input is [1, 3, 28, 28]\nthe input is [1, 3, 14, 28]",
              fn::cat, along{1}, image, image, shape{1, 3, 14, 28}));
static_assert(
    complains("input 1 differs from the first\noutside dim 1\n"
              "the input is [1, 3, 28, 28]\nthe input is [1, 3]",
              fn::cat, along{1}, image, shape{1, 3}));

// placeholder, get_attr: their shape is given
constexpr std::string_view with_shape(op_id op, const shape& s, diagnostic&& d = {}) {
  node n{.name = "x", .op = op, .shape = s};
  shape_rules::infer(n, {}, d);
  return d.any() ? "bad" : "good";
}
static_assert(with_shape(nn::placeholder.id(), {1, 3, 8, 8}) == "good");
static_assert(with_shape(nn::placeholder.id(), {}) == "bad");
static_assert(with_shape(nn::placeholder.id(), {1, 0, 8, 8}) == "bad");
static_assert(with_shape(nn::placeholder.id(), {-1, 3}) == "bad");
static_assert(with_shape(nn::get_attr.id(), {}) == "good");
static_assert(with_shape(nn::get_attr.id(), {0}) == "bad");
static_assert(gives({2}, fn::stack, cat_options{}, shape{}, shape{}));

// An op of a user's own: what it says, else the shape of its inputs.
static_assert(gives(image, own::swish, own::swish_options{}, image));
static_assert(gives(image, own::add_swish, own::swish_options{}, image, image));
static_assert(gives({1, 3, 28}, own::sum, no_options{}, image));
static_assert(gives(image, own::shaped, no_options{}, image));
static_assert(complains("takes 1 inputs, not 2", own::swish, own::swish_options{}, image, image));
static_assert(complains("takes 2 inputs, not 1", own::add_swish, own::swish_options{}, image));
static_assert(
    complains("reads tensors of different shapes\nthe input is [1, 3, 28, 28]\n"
              "the input is [1, 3]",
              own::add_swish, own::swish_options{}, image, shape{1, 3}));
static_assert(complains("requires 2 axes or more", own::sum, no_options{}, shape{4}));
static_assert(
    complains("no shape rule for own.unknown\nan op of your own defines\n"
              "static float apply(float)",
              own::unknown, no_options{}, image));
// An op of PyTorch's is known, but not to compiled models.
static_assert(
    complains("compiled models do not have\ndim\nctq::evaluator runs it; to compile it,\n"
              "write it as an op of your own",
              method::dim, no_options{}, image));

// Kernels count elements in int.
constexpr int most = std::numeric_limits<int>::max();
static_assert(gives({most}, nn::relu, relu_options{}, shape{most}));
static_assert(complains("more than 2^31 - 1 elements in\nthe output [65536, 32768]", nn::relu,
                        relu_options{}, shape{65536, 32768}));
static_assert(
    complains("more than 2^31 - 1 elements in\nthe output [2147483647, 2147483647, "
              "2147483647, 2147483647]",
              nn::relu, relu_options{}, shape{most, most, most, most}));
static_assert(complains("more than 2^31 - 1 elements in\nthe weight [2147483647, 2147483647]",
                        nn::linear, linear_options{.out_features = most}, shape{most}));
static_assert(complains("more than 2^31 - 1 elements in\nthe weight [2147483647, 3, 1, 1]",
                        nn::conv2d, conv{.out_channels = most, .kernel_size = 1}, image));
static_assert(complains("more than 2^31 - 1 elements in\nthe output [1, 8388608, 28, 28]",
                        nn::conv2d, conv{.out_channels = 8388608, .kernel_size = 1}, image));
static_assert(
    complains("padding 2147483647x0: more than\n2^31 - 1 elements\n"
              "the input is [1, 3, 28, 28]",
              nn::conv2d, conv{.out_channels = 1, .kernel_size = 1, .padding = {most, 0}}, image));
static_assert(complains("kernel_size 2147483647x1 does not fit\nthe input is [1, 3, 28, 28]",
                        nn::conv2d,
                        conv{.out_channels = 1, .kernel_size = {most, 1}, .dilation = most},
                        image));
static_assert(complains("more than 2^31 - 1 elements\nalong dim 0", fn::cat, cat_options{},
                        shape{most}, shape{1}));
static_assert(complains("more than 2^31 - 1 elements in\nthe output [1073741824, 2]", fn::cat,
                        cat_options{.dim = 1}, shape{1 << 30, 1}, shape{1 << 30, 1}));
static_assert(complains("more than 2^31 - 1 elements in\nthe output [1, 3, 65536, 65536]",
                        nn::adaptive_avg_pool2d, adaptive_avg_pool2d_options{65536}, image));

// embeddings and recurrent layers
constexpr embedding_options table{.num_embeddings = 9, .embedding_dim = 5};
static_assert(gives({4, 3, 5}, nn::embedding, table, shape{4, 3}));
static_assert(complains("num_embeddings 0, embedding_dim 5:\neach is 1 or more", nn::embedding,
                        embedding_options{.embedding_dim = 5}, shape{4, 3}));
using bag = embedding_bag_options;
constexpr bag bags{.num_embeddings = 9, .embedding_dim = 5};
static_assert(gives({4, 5}, nn::embedding_bag, bags, shape{4, 3}));
static_assert(gives({3, 5}, nn::embedding_bag, bags, shape{12}, shape{3}));
static_assert(gives({2, 5}, nn::embedding_bag,
                    bag{.num_embeddings = 9, .embedding_dim = 5, .include_last_offset = true},
                    shape{12}, shape{3}));
static_assert(complains("include_last_offset needs offsets", nn::embedding_bag,
                        bag{.num_embeddings = 9, .embedding_dim = 5, .include_last_offset = true},
                        shape{3, 4}));
static_assert(complains("the offsets of bags need one axis\nthe input is [3, 1]", nn::embedding_bag,
                        bags, shape{12}, shape{3, 1}));
using layers = recurrent_options;
static_assert(gives({4, 3, 6}, nn::lstm, layers{.hidden_size = 6}, shape{4, 3, 5}));
static_assert(gives({4, 12}, nn::gru, layers{.hidden_size = 6, .bidirectional = true},
                    shape{4, 5}));
static_assert(gives({2, 3, 6}, nn::lstm_cell, recurrent_cell_options{.hidden_size = 6},
                    shape{3, 5}));
static_assert(gives({3, 6}, nn::gru_cell, recurrent_cell_options{.hidden_size = 6}, shape{3, 5},
                    shape{3, 6}));
static_assert(complains("takes 1 to 2 inputs, not 3", nn::gru, layers{.hidden_size = 6},
                        shape{4, 3, 5}, shape{1, 3, 6}, shape{1, 3, 6}));
static_assert(complains("requires an input of 2 or 3 axes\nthe input is [5]", nn::lstm,
                        layers{.hidden_size = 6}, shape{5}));
static_assert(complains("input_size is 4\nthe input is [4, 3, 5]", nn::lstm,
                        layers{.input_size = 4, .hidden_size = 6}, shape{4, 3, 5}));
static_assert(complains("hidden_size is 6, num_layers 9;\nlayers are 1 to 8", nn::lstm,
                        layers{.hidden_size = 6, .num_layers = 9}, shape{4, 3, 5}));
constexpr int large = 1 << 30;
static_assert(complains("hidden_size is too large: 1073741824", nn::lstm,
                        layers{.hidden_size = large}, shape{4, 3, 5}));
static_assert(complains("more than 2^31 - 1 elements in\nthe weight [131072, 32768]", nn::lstm,
                        layers{.hidden_size = 32768}, shape{4, 3, 5}));
static_assert(complains(
    "more than 2^31 - 1 elements in\nthe gates of all steps or layers;\nthe input is [300000, "
    "400, 5]",
    nn::lstm, layers{.hidden_size = 6}, shape{300000, 400, 5}));
static_assert(complains("the state needs 36 elements\nthe input is [1, 3, 6]", nn::lstm,
                        layers{.hidden_size = 6}, shape{4, 3, 5}, shape{1, 3, 6}));

TEST_CASE("a rule says the same at run time") {
  const answer a = infer(nn::conv2d, conv{.out_channels = 6, .kernel_size = 5}, image);
  CHECK(a.shape == shape{1, 6, 24, 24});
  CHECK(std::string{infer(nn::relu, {}).problem.message()} == "node n:\ntakes 1 inputs, not 0");
}

TEST_CASE("a tensor of a tuple has the tuple's shape for it, and one that is not there is named") {
  const node tuple{.name = "gru",
                   .op = nn::gru.id(),
                   .attrs = attributes{recurrent_options{.hidden_size = 4}},
                   .shape = {5, 1, 4}};
  const auto item = [&](index_list index, diagnostic& d) {
    node n{.name = "y", .op = op::getitem.id(), .attrs = attributes{getitem_options{index}}};
    shape_rules::infer_item(n, tuple, d);
    return n.shape;
  };
  diagnostic fine, third, slice;
  CHECK(item({-1}, fine) == shape{1, 1, 4});
  CHECK(!fine.any());
  item({2}, third);
  CHECK(third.message() == "node y:\nthere is no tensor 2 of\ngru");
  item({index::slice(0, 1)}, slice);
  CHECK(slice.message() == "node y:\nop::getitem selects one tensor of\ngru");
}

TEST_CASE("only the first complaint of a node is kept") {
  diagnostic d;
  d.line("earlier");
  node n{.name = "n", .op = nn::relu.id()};
  shape_rules::infer(n, {}, d);
  CHECK(d.message() == "earlier");
}

}  // namespace
