// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/mp11/list.hpp>
#include <cstddef>
#include <string_view>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/function_shape.hpp"
#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/resampling_shape.hpp"
#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/core/shapes/sequence_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/text.hpp"

// All kernels that a plan can ask for. Passes know only this of them; their code is in
// kernels/code/. Ids, dispatch and messages follow from the table. The names are oneDNN's where it
// has one, since a kernel serves several ops.

namespace ctq::kernels {

/// Whether the elements are bytes with qparams: the dtypes that activations are quantized to.
[[nodiscard]] constexpr bool is_int8(dtype d) { return d == quint8 || d == qint8; }

/// The element types of the input and of the output that a kernel exists for.
namespace types {

constexpr bool equal(dtype in, dtype out) { return in == out && (in == f32 || is_int8(in)); }
constexpr bool equal_int8(dtype in, dtype out) { return in == out && is_int8(in); }
constexpr bool quint8_only(dtype in, dtype out) { return in == quint8 && out == quint8; }
constexpr bool float_to_int8(dtype in, dtype out) { return in == f32 && is_int8(out); }
constexpr bool int8_to_float(dtype in, dtype out) { return float_to_int8(out, in); }
constexpr bool int8_to_int8(dtype in, dtype out) { return is_int8(in) && is_int8(out); }
constexpr bool index_to_float(dtype in, dtype out) { return is_index(in) && out == f32; }
constexpr bool float_to_index(dtype in, dtype out) { return in == f32 && out == i64; }
constexpr bool float_and_index(dtype in, dtype out) {
  return index_to_float(in, out) || float_to_index(in, out);
}
constexpr bool float_only(dtype in, dtype out) { return in == f32 && out == f32; }
constexpr bool float_or_int8(dtype in, dtype out) {
  return float_only(in, out) || int8_to_int8(in, out);
}
/// As float_or_int8, and layers on integers that return their accumulators as float32, for the op
/// that follows.
constexpr bool layer(dtype in, dtype out) {
  return float_or_int8(in, out) || int8_to_float(in, out);
}

}  // namespace types

/// What a plan knows of a kernel.
struct kernel_facts {
  std::string_view name{};
  bool (*exists)(dtype in, dtype out){};
  bool has_weights = false;      // those of a layer, with or without a bias
  bool integer_weights = false;  // they are integers, although its activations are float32
  bool has_tensors = false;      // the parameters of the op, in float
  bool has_table = false;        // rows of an embedding, in float, or integers with qparams per row
  bool has_cells = false;        // of a recurrent layer: weights for the input and the hidden state
  bool calls_op = false;         // computes with the functions of the signature's op
  bool computes_ops = true;      // false: only the schedule asks for it
};

}  // namespace ctq::kernels

// One row per kernel: its name, its record of sizes, the element types, and facts that few have.
//   linear_dynamic      float32 to float32, computed on integers with the range of this input
//   linear_dynamic_int4 the same with the range of each row, and weights of 4 bits per group
//   pooling_avg         also adaptive pools
//   rnn, rnn_dynamic    made of linear and of linear_dynamic: also LSTM and GRU, and their cells
//   lstm_observed       an LSTM that also returns the values in its cells that are observed
//   lstm_static         an LSTM in whose cells all values are integers
//   concat              copies one input of a cat to its place
//   elementwise         any op of one or two tensors, element by element, by its functions
//   function            the same for ops of whole tensors
//   reduction           mean, sum, max and min along axes
//   argmax              argmax and argmin along one axis, or along all
//   layer_norm          also group and instance norm
//   reorder             copies the elements of a view in order
//   to_nhwc, to_nchw    at the input or the output of a model, or before and after a view
//   binary_…_broadcast  for tensors of different shapes
//   convert             integers to float32, in which steps compute with them, and back
//   quantize_sum        adds the float output of a layer and a tensor of integers, and quantizes
//   tanh                of float32: the activation of linear_tanh
//   binary_add_within_one_step    binary_add on integers in 16 bits, if a plan asks for it
// clang-format off
#define CTQ_KERNELS(KERNEL) \
  KERNEL(quantize, elementwise_shape, float_to_int8) \
  KERNEL(dequantize, elementwise_shape, int8_to_float) \
  KERNEL(requantize, elementwise_shape, int8_to_int8) \
  KERNEL(relu, elementwise_shape, equal) \
  KERNEL(binary_add, elementwise_shape, equal) \
  KERNEL(binary_mul, elementwise_shape, equal) \
  KERNEL(binary_sub, broadcast_shape, equal) \
  KERNEL(binary_div, broadcast_shape, equal) \
  KERNEL(conv2d, conv2d_shape, layer, .has_weights = true) \
  KERNEL(conv3d, conv3d_shape, float_or_int8, .has_weights = true) \
  KERNEL(conv_transpose2d, conv_transpose2d_shape, float_or_int8, .has_weights = true) \
  KERNEL(conv_transpose3d, conv_transpose3d_shape, float_or_int8, .has_weights = true) \
  KERNEL(linear, linear_shape, layer, .has_weights = true) \
  KERNEL(linear_dynamic, linear_shape, float_only, .has_weights = true, \
         .integer_weights = true) \
  KERNEL(linear_dynamic_int4, linear_shape, float_only, .has_weights = true, \
         .integer_weights = true) \
  KERNEL(linear_weight_int8, linear_shape, float_only, .has_weights = true, \
         .integer_weights = true) \
  KERNEL(batch_norm2d, channels_shape, equal, .has_tensors = true) \
  KERNEL(pooling_max, pool_shape, equal) \
  KERNEL(pooling_avg, pool_shape, equal) \
  KERNEL(resampling, resampling_shape, equal) \
  KERNEL(pixel_shuffle, pixel_shuffle_shape, equal) \
  KERNEL(pad, pad_shape, equal) \
  KERNEL(concat, concat_shape, equal) \
  KERNEL(reduction, reduction_shape, equal) \
  KERNEL(argmax, reduction_shape, float_to_index) \
  KERNEL(softmax, softmax_shape, equal) \
  KERNEL(attention_softmax, attention_shape, float_only) \
  KERNEL(layer_norm, layer_norm_shape, equal, .has_tensors = true) \
  KERNEL(prelu, channels_shape, equal, .has_tensors = true) \
  KERNEL(matmul, matmul_shape, equal) \
  KERNEL(rnn, recurrent_shape, float_only, .has_cells = true) \
  KERNEL(rnn_dynamic, recurrent_shape, float_only, .has_cells = true) \
  KERNEL(lstm_observed, recurrent_shape, float_only, .has_cells = true, .computes_ops = false) \
  KERNEL(lstm_static, recurrent_shape, quint8_only, .has_cells = true, .computes_ops = false) \
  KERNEL(embedding, embedding_shape, index_to_float, .has_table = true) \
  KERNEL(embedding_bag, embedding_shape, index_to_float, .has_table = true) \
  KERNEL(elementwise, elementwise_shape, equal, .calls_op = true) \
  KERNEL(function, function_shape, equal, .calls_op = true) \
  KERNEL(reorder, reorder_shape, equal, .computes_ops = false) \
  KERNEL(to_nhwc, transpose_shape, equal, .computes_ops = false) \
  KERNEL(to_nchw, transpose_shape, equal, .computes_ops = false) \
  KERNEL(binary_add_broadcast, broadcast_shape, equal, .computes_ops = false) \
  KERNEL(binary_mul_broadcast, broadcast_shape, equal, .computes_ops = false) \
  KERNEL(convert, elementwise_shape, float_and_index, .computes_ops = false) \
  KERNEL(quantize_sum, elementwise_shape, float_to_int8, .computes_ops = false) \
  KERNEL(tanh, elementwise_shape, float_only, .computes_ops = false) \
  KERNEL(binary_add_within_one_step, elementwise_shape, equal_int8, .computes_ops = false)
// clang-format on

namespace ctq::kernels::descriptors {

#define CTQ_DESCRIBE_KERNEL(kernel, sizes, in_and_out, ...)                                       \
  struct kernel {                                                                                 \
    using shape = sizes;                                                                          \
    static constexpr kernel_facts facts{.name = {#kernel, sizeof(#kernel) - 1},                   \
                                        .exists = &types::in_and_out __VA_OPT__(, ) __VA_ARGS__}; \
  };
CTQ_KERNELS(CTQ_DESCRIBE_KERNEL)
#undef CTQ_DESCRIBE_KERNEL

/// Places in the list, because finding a type in the list would compare it with all others.
#define CTQ_PLACE_KERNEL(kernel, ...) kernel,
enum class place : unsigned char { CTQ_KERNELS(CTQ_PLACE_KERNEL) };
#undef CTQ_PLACE_KERNEL

#define CTQ_LIST_KERNEL(kernel, ...) , kernel
using list = boost::mp11::mp_pop_front<boost::mp11::mp_list<void CTQ_KERNELS(CTQ_LIST_KERNEL)>>;
#undef CTQ_LIST_KERNEL

}  // namespace ctq::kernels::descriptors

namespace ctq::kernels {

inline constexpr std::size_t kernel_count = boost::mp11::mp_size<descriptors::list>::value;

#define CTQ_KERNEL_FACTS(kernel, ...) descriptors::kernel::facts,
inline constexpr kernel_facts facts[] = {CTQ_KERNELS(CTQ_KERNEL_FACTS)};
#undef CTQ_KERNEL_FACTS

[[nodiscard]] constexpr const kernel_facts& facts_of(kernel_id k) {
  return facts[static_cast<std::size_t>(k)];
}

[[nodiscard]] constexpr bool exists(kernel_id k, dtype in, dtype out) {
  return facts_of(k).exists(in, out);
}
[[nodiscard]] constexpr bool exists(const kernel_signature& s) {
  return exists(s.kernel, s.in, s.out);
}

}  // namespace ctq::kernels

namespace ctq {

/// A kernel's id is its place in the list: kernel::conv2d, …
namespace kernel {

#define CTQ_KERNEL_ID(kernel, ...)   \
  inline constexpr kernel_id kernel{ \
      static_cast<unsigned char>(kernels::descriptors::place::kernel)};
CTQ_KERNELS(CTQ_KERNEL_ID)
#undef CTQ_KERNEL_ID

}  // namespace kernel

[[nodiscard]] constexpr std::string_view name_of(kernel_id k) { return kernels::facts_of(k).name; }

}  // namespace ctq

namespace ctq::kernels {

/// Appends the part of a signature that decides whether there is a kernel: "conv2d, quint8 to
/// qint8".
template <class Text>
constexpr void append_signature(Text& out, kernel_id k, dtype in, dtype out_type) {
  append_all(out, name_of(k), ", ", name_of(in), " to ", name_of(out_type));
}

/// Appends the element types that a kernel exists for: "float32 to quint8, float32 to qint8".
template <class Text>
constexpr void append_types(Text& out, kernel_id k) {
  std::string_view comma;
  for (const dtype in : {f32, quint8, qint8, i32, i64})
    for (const dtype to : {f32, quint8, qint8, i64}) {
      if (!exists(k, in, to)) continue;
      append_all(out, comma, name_of(in), " to ", name_of(to));
      comma = ", ";
    }
}

/// Appends the kernels that compute ops on integers: "requantize, relu, …".
template <class Text>
constexpr void append_integer_kernels(Text& out) {
  std::string_view comma;
  for (const kernel_facts& k : facts) {
    if (!k.computes_ops || !k.exists(quint8, quint8)) continue;
    append_all(out, comma, k.name);
    comma = ", ";
  }
}

}  // namespace ctq::kernels
