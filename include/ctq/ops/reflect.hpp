// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "ctq/core/reflect.hpp"
#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/ops/builtin_ops.hpp"

// The options of ops by name, for readers and writers of PyTorch's calls and of C++. Plans do not
// need them, and Hana takes time to compile, so this is a header of its own.
//
// A user op does the same:
//   BOOST_HANA_ADAPT_STRUCT(my::scale_options, groups, slope);
//   static constexpr ctq::op_descriptor descriptor{.options = &ctq::fields_of<my::scale_options>};

BOOST_HANA_ADAPT_STRUCT(ctq::no_options);
BOOST_HANA_ADAPT_STRUCT(ctq::conv2d_options, in_channels, out_channels, kernel_size, stride,
                        padding, dilation, groups, bias);
BOOST_HANA_ADAPT_STRUCT(ctq::conv3d_options, in_channels, out_channels, kernel_size, stride,
                        padding, dilation, groups, bias);
BOOST_HANA_ADAPT_STRUCT(ctq::conv_transpose2d_options, in_channels, out_channels, kernel_size,
                        stride, padding, output_padding, groups, bias, dilation);
BOOST_HANA_ADAPT_STRUCT(ctq::conv_transpose3d_options, in_channels, out_channels, kernel_size,
                        stride, padding, output_padding, groups, bias, dilation);
// What functions infer from their weight is not an option.
BOOST_HANA_ADAPT_STRUCT(ctq::functional_conv2d_options, stride, padding, dilation, groups);
BOOST_HANA_ADAPT_STRUCT(ctq::functional_conv3d_options, stride, padding, dilation, groups);
BOOST_HANA_ADAPT_STRUCT(ctq::functional_conv_transpose2d_options, stride, padding, output_padding,
                        groups, dilation);
BOOST_HANA_ADAPT_STRUCT(ctq::functional_conv_transpose3d_options, stride, padding, output_padding,
                        groups, dilation);
BOOST_HANA_ADAPT_STRUCT(ctq::functional_layer_norm_options, normalized_shape, eps);
BOOST_HANA_ADAPT_STRUCT(ctq::functional_group_norm_options, num_groups, eps);
BOOST_HANA_ADAPT_STRUCT(ctq::functional_instance_norm_options, eps);
BOOST_HANA_ADAPT_STRUCT(ctq::addmm_options, beta, alpha);
BOOST_HANA_ADAPT_STRUCT(ctq::linear_options, in_features, out_features, bias);
BOOST_HANA_ADAPT_STRUCT(ctq::batch_norm2d_options, num_features, eps, affine);
BOOST_HANA_ADAPT_STRUCT(ctq::relu_options, inplace);
BOOST_HANA_ADAPT_STRUCT(ctq::leaky_relu_options, negative_slope, inplace);
BOOST_HANA_ADAPT_STRUCT(ctq::elu_options, alpha, inplace);
BOOST_HANA_ADAPT_STRUCT(ctq::hardtanh_options, min_val, max_val, inplace);
BOOST_HANA_ADAPT_STRUCT(ctq::gelu_options, approximate);
BOOST_HANA_ADAPT_STRUCT(ctq::softplus_options, beta, threshold);
BOOST_HANA_ADAPT_STRUCT(ctq::threshold_options, threshold, value, inplace);
BOOST_HANA_ADAPT_STRUCT(ctq::shrink_options, lambd);
BOOST_HANA_ADAPT_STRUCT(ctq::rrelu_options, lower, upper, inplace);
BOOST_HANA_ADAPT_STRUCT(ctq::glu_options, dim);
BOOST_HANA_ADAPT_STRUCT(ctq::normalize_options, p, dim, eps);
BOOST_HANA_ADAPT_STRUCT(ctq::variance_options, dim, unbiased, keepdim);
BOOST_HANA_ADAPT_STRUCT(ctq::norm_options, p, dim, keepdim);
BOOST_HANA_ADAPT_STRUCT(ctq::cosine_similarity_options, dim, eps);
BOOST_HANA_ADAPT_STRUCT(ctq::pairwise_distance_options, p, eps, keepdim);
BOOST_HANA_ADAPT_STRUCT(ctq::cdist_options, p);
BOOST_HANA_ADAPT_STRUCT(ctq::cumulative_options, dim);
BOOST_HANA_ADAPT_STRUCT(ctq::local_response_norm_options, size, alpha, beta, k);
BOOST_HANA_ADAPT_STRUCT(ctq::unfold_options, kernel_size, dilation, padding, stride);
BOOST_HANA_ADAPT_STRUCT(ctq::fold_options, output_size, kernel_size, dilation, padding, stride);
BOOST_HANA_ADAPT_STRUCT(ctq::triangular_options, diagonal);
BOOST_HANA_ADAPT_STRUCT(ctq::indexed_axis_options, dim);
BOOST_HANA_ADAPT_STRUCT(ctq::select_each_options, dim, index);
BOOST_HANA_ADAPT_STRUCT(ctq::grid_sample_options, mode, padding_mode, align_corners);
BOOST_HANA_ADAPT_STRUCT(ctq::affine_grid_options, size, align_corners);
BOOST_HANA_ADAPT_STRUCT(ctq::bilinear_options, in1_features, in2_features, out_features, bias);
BOOST_HANA_ADAPT_STRUCT(ctq::topk_options, k, dim, largest, sorted);
BOOST_HANA_ADAPT_STRUCT(ctq::sort_options, dim, descending, stable);
BOOST_HANA_ADAPT_STRUCT(ctq::prelu_options, num_parameters);
BOOST_HANA_ADAPT_STRUCT(ctq::clamp_options, min, max);
BOOST_HANA_ADAPT_STRUCT(ctq::dropout_options, p, inplace);
BOOST_HANA_ADAPT_STRUCT(ctq::max_pool2d_options, kernel_size, stride, padding, dilation, ceil_mode);
BOOST_HANA_ADAPT_STRUCT(ctq::avg_pool2d_options, kernel_size, stride, padding, ceil_mode,
                        count_include_pad, divisor_override);
BOOST_HANA_ADAPT_STRUCT(ctq::max_pool3d_options, kernel_size, stride, padding, dilation, ceil_mode);
BOOST_HANA_ADAPT_STRUCT(ctq::avg_pool3d_options, kernel_size, stride, padding, ceil_mode,
                        count_include_pad, divisor_override);
BOOST_HANA_ADAPT_STRUCT(ctq::adaptive_avg_pool2d_options, output_size);
BOOST_HANA_ADAPT_STRUCT(ctq::adaptive_avg_pool3d_options, output_size);
BOOST_HANA_ADAPT_STRUCT(ctq::pad_options, pad, mode, value);
BOOST_HANA_ADAPT_STRUCT(ctq::constant_pad_options, padding, value);
BOOST_HANA_ADAPT_STRUCT(ctq::copying_pad_options, padding);
BOOST_HANA_ADAPT_STRUCT(ctq::interpolate_options, size, scale_factor, mode, align_corners);
BOOST_HANA_ADAPT_STRUCT(ctq::pixel_shuffle_options, upscale_factor);
BOOST_HANA_ADAPT_STRUCT(ctq::pixel_unshuffle_options, downscale_factor);
BOOST_HANA_ADAPT_STRUCT(ctq::reduction_options, dim, keepdim);
BOOST_HANA_ADAPT_STRUCT(ctq::flatten_options, start_dim, end_dim);
BOOST_HANA_ADAPT_STRUCT(ctq::nn_flatten_options, start_dim, end_dim);
BOOST_HANA_ADAPT_STRUCT(ctq::cat_options, dim);
BOOST_HANA_ADAPT_STRUCT(ctq::reshape_options, shape);
BOOST_HANA_ADAPT_STRUCT(ctq::unflatten_options, dim, unflattened_size);
BOOST_HANA_ADAPT_STRUCT(ctq::permute_options, dims);
BOOST_HANA_ADAPT_STRUCT(ctq::transpose_options, dim0, dim1);
BOOST_HANA_ADAPT_STRUCT(ctq::squeeze_options, dim);
BOOST_HANA_ADAPT_STRUCT(ctq::unsqueeze_options, dim);
BOOST_HANA_ADAPT_STRUCT(ctq::narrow_options, dim, start, length);
BOOST_HANA_ADAPT_STRUCT(ctq::select_options, dim, index);
BOOST_HANA_ADAPT_STRUCT(ctq::flip_options, dims);
BOOST_HANA_ADAPT_STRUCT(ctq::roll_options, shifts, dims);
BOOST_HANA_ADAPT_STRUCT(ctq::channel_shuffle_options, groups);
BOOST_HANA_ADAPT_STRUCT(ctq::upsampling_options, size, scale_factor);
BOOST_HANA_ADAPT_STRUCT(ctq::repeat_options, repeats);
BOOST_HANA_ADAPT_STRUCT(ctq::repeat_interleave_options, repeats, dim);
BOOST_HANA_ADAPT_STRUCT(ctq::getitem_options, index);
BOOST_HANA_ADAPT_STRUCT(ctq::chunk_options, chunks, dim);
BOOST_HANA_ADAPT_STRUCT(ctq::split_options, split_size_or_sections, dim);
BOOST_HANA_ADAPT_STRUCT(ctq::unbind_options, dim);
BOOST_HANA_ADAPT_STRUCT(ctq::attention_options, attn_mask, dropout_p, is_causal, scale);
BOOST_HANA_ADAPT_STRUCT(ctq::multihead_attention_options, embed_dim, num_heads, dropout, bias, kdim,
                        vdim, batch_first, need_weights, average_attn_weights, source_length,
                        target_length, mask);
BOOST_HANA_ADAPT_STRUCT(ctq::transformer_layer_options, d_model, nhead, dim_feedforward, dropout,
                        activation, layer_norm_eps, batch_first, norm_first, bias, source_length,
                        target_length, mask, cross_mask);
BOOST_HANA_ADAPT_STRUCT(ctq::window_attention_options, num_heads, window_size, shift_size, qkv_bias,
                        proj_bias, cosine, channels);
BOOST_HANA_ADAPT_STRUCT(ctq::masked_fill_options, value, unless);
BOOST_HANA_ADAPT_STRUCT(ctq::where_options, shape_of_other);
BOOST_HANA_ADAPT_STRUCT(ctq::full_like_options, fill_value);
BOOST_HANA_ADAPT_STRUCT(ctq::einsum_options, other_axes, out_axes, axes);
BOOST_HANA_ADAPT_STRUCT(ctq::softmax_options, dim);
BOOST_HANA_ADAPT_STRUCT(ctq::embedding_options, num_embeddings, embedding_dim, padding_idx);
BOOST_HANA_ADAPT_STRUCT(ctq::embedding_bag_options, num_embeddings, embedding_dim, mode,
                        include_last_offset, padding_idx);
BOOST_HANA_ADAPT_STRUCT(ctq::layer_norm_options, normalized_shape, eps, elementwise_affine);
BOOST_HANA_ADAPT_STRUCT(ctq::group_norm_options, num_groups, num_channels, eps, affine);
BOOST_HANA_ADAPT_STRUCT(ctq::instance_norm_options, num_features, eps, affine, track_running_stats);
BOOST_HANA_ADAPT_STRUCT(ctq::recurrent_options, input_size, hidden_size, num_layers, bias,
                        batch_first, dropout, bidirectional);
BOOST_HANA_ADAPT_STRUCT(ctq::rnn_options, input_size, hidden_size, num_layers, nonlinearity, bias,
                        batch_first, dropout, bidirectional);
BOOST_HANA_ADAPT_STRUCT(ctq::recurrent_cell_options, input_size, hidden_size, bias);
BOOST_HANA_ADAPT_STRUCT(ctq::rnn_cell_options, input_size, hidden_size, bias, nonlinearity);

namespace ctq {

namespace option_reflection {

/// The words of an option's values; null if they are not words.
template <class T>
inline constexpr const option_words_of* words_of_type = nullptr;
template <>
inline constexpr const option_words_of* words_of_type<interpolation> = &interpolation_words;
template <>
inline constexpr const option_words_of* words_of_type<padding_rule> = &padding_words;
template <>
inline constexpr const option_words_of* words_of_type<gelu_rule> = &gelu_rule_words;
template <>
inline constexpr const option_words_of* words_of_type<sampling_mode> = &sampling_mode_words;
template <>
inline constexpr const option_words_of* words_of_type<sampling_padding> = &sampling_padding_words;
template <>
inline constexpr const option_words_of* words_of_type<bag_mode> = &bag_mode_words;
template <>
inline constexpr const option_words_of* words_of_type<transformer_activation> =
    &transformer_activation_words;

template <>
inline constexpr const option_words_of* words_of_type<rnn_nonlinearity> = &rnn_nonlinearity_words;

template <class T>
constexpr option_field::type type_of() {
  if (std::same_as<T, float>) return option_field::type::real;
  if (std::same_as<T, flag>) return option_field::type::flag;
  if (std::same_as<T, shape>) return option_field::type::extents;
  if (std::same_as<T, index_list>) return option_field::type::indices;
  if (words_of_type<T> != nullptr) return option_field::type::word;
  if (std::same_as<T, extent3d>) return option_field::type::extent3;
  return std::same_as<T, extent2d> ? option_field::type::extent : option_field::type::integer;
}

template <reflected Options>
inline constexpr auto fields = [] {
  std::array<option_field, field_names<Options>.size() + 1> all{};
  std::size_t at = 0;
  int word = 0;
  const Options defaults{};
  for_each_field(defaults, [&]<class T>(std::string_view name, const T&) {
    static_assert(std::same_as<T, int> || std::same_as<T, float> || std::same_as<T, flag> ||
                  std::same_as<T, extent2d> || std::same_as<T, extent3d> ||
                  words_of_type<T> != nullptr || std::same_as<T, shape> ||
                  std::same_as<T, index_list>);
    all[at++] = {name, type_of<T>(), word, words_of_type<T>};
    word += static_cast<int>(sizeof(T) / 4);
  });
  return all;
}();

}  // namespace option_reflection

/// The options of a struct that is adapted with BOOST_HANA_ADAPT_STRUCT.
template <reflected Options>
inline constexpr option_fields fields_of{
    {option_reflection::fields<Options>.data(), static_cast<int>(field_names<Options>.size())},
    attributes{Options{}}};

namespace option_reflection {

struct row {
  op_id op;
  const option_fields* options;
};

#define CTQ_OPTIONS_OF(space, base, identifier, name, options, ...) \
  {space::identifier.id(), &fields_of<ctq::options>},
inline constexpr row table[] = {CTQ_NAMED_OPS(CTQ_OPTIONS_OF) CTQ_PASS_OPS(CTQ_OPTIONS_OF)};
#undef CTQ_OPTIONS_OF

}  // namespace option_reflection

/// The options of an op, if it has any.
[[nodiscard]] constexpr const option_fields& options_of(op_id op) {
  if (op->descriptor->options != nullptr) return *op->descriptor->options;
  for (const option_reflection::row& r : option_reflection::table)
    if (r.op == op) return *r.options;
  return fields_of<no_options>;
}

/// Options as words of 4 bytes.
using option_words = std::array<std::uint32_t, sizeof(attributes) / 4>;

/// Number `which` of an option: an extent2d has two, an extent3d three, a shape its extents and
/// then its rank. A flag is 0 or 1.
[[nodiscard]] constexpr int integer_of(const attributes& a, const option_field& f, int which = 0) {
  const auto words = std::bit_cast<option_words>(a);
  return static_cast<int>(words[static_cast<std::size_t>(f.word + which)]);
}
[[nodiscard]] constexpr float real_of(const attributes& a, const option_field& f) {
  const auto words = std::bit_cast<option_words>(a);
  return std::bit_cast<float>(words[static_cast<std::size_t>(f.word)]);
}

constexpr void set(attributes& a, const option_field& f, int value, int which = 0) {
  auto words = std::bit_cast<option_words>(a);
  words[static_cast<std::size_t>(f.word + which)] = static_cast<std::uint32_t>(value);
  a = std::bit_cast<attributes>(words);
}
constexpr void set(attributes& a, const option_field& f, float value) {
  set(a, f, std::bit_cast<int>(value));
}

/// How many words an option has.
[[nodiscard]] constexpr int words_of(const option_field& f) {
  switch (f.is) {
    case option_field::type::integer:
    case option_field::type::flag:
    case option_field::type::word:
    case option_field::type::real: return 1;
    case option_field::type::extent: return 2;
    case option_field::type::extent3: return 3;
    case option_field::type::extents: return static_cast<int>(sizeof(shape) / 4);
    case option_field::type::indices: return static_cast<int>(sizeof(index_list) / 4);
  }
  return 0;
}

/// An option that is a list of sizes or axes, or of indices.
template <class List>
[[nodiscard]] constexpr List list_of(const attributes& a, const option_field& f) {
  std::array<int, sizeof(List) / 4> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = integer_of(a, f, static_cast<int>(i));
  return std::bit_cast<List>(words);
}
template <class List>
constexpr void set_list(attributes& a, const option_field& f, const List& value) {
  const auto words = std::bit_cast<std::array<int, sizeof(List) / 4>>(value);
  for (std::size_t i = 0; i < words.size(); ++i) set(a, f, words[i], static_cast<int>(i));
}

/// Whether an option is the same in both.
[[nodiscard]] constexpr bool is_same(const attributes& a, const attributes& b,
                                     const option_field& f) {
  const int words = words_of(f);
  for (int i = 0; i < words; ++i)
    if (integer_of(a, f, i) != integer_of(b, f, i)) return false;
  return true;
}

}  // namespace ctq
