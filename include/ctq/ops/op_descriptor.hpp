// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/attributes.hpp"
#include "ctq/core/containers/view.hpp"
#include "ctq/core/diagnostic.hpp"
#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/op_functions.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/ops/strided_view.hpp"

// What passes, executors and tools know of an op. PyTorch has several names for one op: nn.ReLU is
// a module, F.relu a function. Each name is an identity, an op_info (ops/op.hpp), and refers to a
// descriptor, which most of them share. Ops that differ in a field have a descriptor each.
//
// An op of ctq is a row and a descriptor in the header of its family: ops/activations.hpp,
// ops/convolutions.hpp, … A user op is a type whose static members say the same; ops/describe.hpp
// makes the same struct of them. If a field is omitted, the op has no such thing.

namespace ctq {

struct op_info;
using op_id = const op_info*;

/// The tensors of an op besides its inputs: a module owns them, a function has them as arguments.
enum class op_weights : unsigned char {
  none,
  quantizable,  // its "weight" may be quantized
  in_float,     // never quantized: those of norms and of PReLU
};

/// What an op that keeps its name does on integers, and whose scale its output has.
enum class on_integers : unsigned char {
  none,             // there is no such form, or it has another name: integer_form
  own_scale,        // the output is observed
  input_scale,      // copies, compares or moves values
  from_0_to_1,      // the range is known: scale 1/256, zero point 0
  from_neg1_to_1,   // scale 2/256, zero point 128
  where_functions,  // for the dtypes that its functions support; the output is observed
};

/// What a node of a graph becomes in a schedule.
enum class schedule_as : unsigned char {
  nothing,    // no kernel computes it
  input,      // a tensor that the model reads
  constant,   // a tensor that the model contains
  output,     // a tensor that the model returns
  observe,    // its input, which an observer sees
  same,       // its input
  view,       // its input, with other extents
  strided,    // a part of its input, or its axes in another order
  copied,     // the elements of a view, copied at once
  step,       // one kernel
  layer,      // a layer, and an op that follows in float before the output is quantized
  lookup,     // one kernel, which reads indices
  recurrent,  // one kernel, which writes a tuple
  matmul,     // one kernel, which reads matrices
  attention,  // three kernels
  reduction,  // one kernel, which reads images in either order
  concat,     // one kernel per input
  function,   // one kernel, which calls the op's functions
};

/// The order of elements in memory that a kernel reads and writes.
enum class kernel_layout : unsigned char {
  any,   // the output has that of the input
  nchw,  // the order of the axes
  nhwc,  // channels last
};

/// How the gradient of an op is computed in training; train/ has the code, by these names. Ops that
/// compute element by element have a function for it instead, op_functions::add_gradient.
enum class gradient_rule : unsigned char {
  none,               // it cannot be trained through
  same,               // of a view: the elements are those of the input
  layer,              // linear layers and convolutions
  batch_norm,         // with the statistics of the batch
  sum,                // of two values, which are broadcast, and one of which may be a number
  difference,         // of the same
  product,            // of the same
  quotient,           // of the same
  concatenation,      // of tensors along an axis
  max_pool,           // to the first of the largest elements
  avg_pool,           // to all elements of a window alike
  adaptive_avg_pool,  // of windows whose number is given
  dropout,            // which drops elements only in training
};

/// Which inputs decide whether an op returns integers, of int64: it does if all of these are.
enum class integers_if : unsigned char {
  never,
  never_but_a_mask,  // a comparison: bool in PyTorch, here 1 and 0 in float32
  all_are,
  all_are_or_masks,   // torch.sum, which counts a mask
  first_is,           // elements that are taken from a tensor, or written into it
  all_but_first_are,  // torch.where
};

/// The steps of a node.
struct op_schedule {
  /// Computes the kernel's shape record from the options and the shapes of the first input and the
  /// output. Arguments are values, not references, so that g++ evaluates equal layers once.
  using sizes_function = kernel_signature::sizes (*)(attributes, shape in, shape out);
  /// Computes where the elements of the output are from where those of the input are.
  using view_function = strided_view (*)(attributes, strided_view in);

  schedule_as how = schedule_as::nothing;
  kernel_id kernel{};
  int tensors = 1;    // how many the kernel reads; the second is in the order of the first
  bool relu = false;  // the kernel ends with a relu
  kernel_layout layout = kernel_layout::any;
  sizes_function sizes{};   // of an op that returns a tuple: for its tensors, concatenated
  kernel_id broadcast{};    // of two tensors: the kernel for different shapes; may be the same one
  bool broadcasts = false;  // has such a kernel
  op_id then{};             // of schedule_as::layer: the op of one tensor that follows; else a sum
  kernel_id then_by = kernel::elementwise;  // what computes it
  view_function view{};  // of schedule_as::strided, and of copied if the copy has more axes
  op_id with_number{};   // of two tensors: the op whose functions compute it if one is a number
};

/// A tensor that an op owns: its name in a state_dict, without the module's.
struct op_parameter {
  std::string_view name{};
  ctq::shape shape{};
};

struct op_parameters {
  // Recurrent networks of 8 layers in 2 directions; nn.TransformerDecoderLayer has 20.
  static constexpr int max_count = 64;

  op_parameter item[max_count]{};
  int count = 0;

  constexpr op_parameters() = default;
  template <class... Parameter>
  constexpr explicit(false) op_parameters(const Parameter&... p)  // NOLINT
      : item{p...}, count{sizeof...(Parameter)} {}

  [[nodiscard]] constexpr const op_parameter* begin() const { return item; }
  [[nodiscard]] constexpr const op_parameter* end() const { return item + count; }
};

/// The values of an option that PyTorch writes as words, in the order of the enumeration, and the
/// name of that enumeration in ctq.
struct option_words_of {
  std::string_view type{};
  view<std::string_view> words{};

  /// The value of a word, or -1.
  [[nodiscard]] constexpr int find(std::string_view word) const {
    for (int i = 0; i < words.size(); ++i)
      if (words[i] == word) return i;
    return -1;
  }
};

/// One of the options: options are structs of such fields, without padding.
struct option_field {
  enum class type : unsigned char { integer, flag, real, extent, extent3, word, extents, indices };

  std::string_view name{};
  type is = type::integer;
  int word{};                      // where it begins, in words of 4 bytes
  const option_words_of* words{};  // of type word
};

/// The options of an op by name, and their defaults.
struct option_fields {
  view<option_field> fields{};
  attributes defaults{};
};

/// For end_non_tensors: up to the last argument.
inline constexpr int all_arguments = 1000;

struct op_descriptor {
  /// Returns the shape of the output, and completes the options: channels that are inferred from
  /// the input, a stride that defaults to the kernel size. Or reports what is wrong.
  using shape_rule = shape (*)(view<shape> in, attributes&, diagnostic&);
  using parameters_function = op_parameters (*)(const attributes&);
  using count_function = int (*)(const attributes&);
  /// Where a tensor of a tuple is in the value; without axes if there is no such tensor.
  ///   whole  where the tensor with the node's shape is: the first one, or all that is cut in parts
  ///   item   negative from the end
  using item_function = strided_view (*)(const attributes&, const strided_view& whole, int item);

  // ---- as a call
  const option_fields* options{};  // of a user op: &fields_of<…>, see ops/reflect.hpp
  bool takes_list = false;         // its tensors come as one list: torch.cat([x, y])
  bool returns_tuple = false;      // several tensors: a tuple, or those that its first axis counts
  bool changes_input = false;      // in PyTorch: relu_
  bool is_commutative = false;     // a pattern matches its two arguments in either order
  int first_non_tensor = 0;    // arguments from this position on are sizes, axes or masks; 0: none
  int end_non_tensors = 0;     // up to this one
  shape_rule infer_shape{};    // null: a model in C++ cannot call it
  item_function tuple_item{};  // gives a tuple
  bool returns_indices = false;  // of int64; of a tuple, its second tensor
  int index_inputs = 0;          // how many inputs, from the first on, are indices
  bool is_bitwise = false;       // in PyTorch also for integers; here only for masks
  ctq::integers_if gives_integers = integers_if::never;  // views and concatenations: all_are
  bool (*has_integer_options)(const attributes&){};      // null: options do not matter

  // ---- as a function
  op_functions functions{};         // on floats, and kernels on integers
  bool is_relu = false;             // max(x, 0)
  bool is_clamp = false;            // has a lower and an upper bound
  bool is_identity = false;         // returns its input in inference
  bool is_view = false;             // computes nothing: another view of its input
  bool is_arithmetic = false;       // sums and products of two values
  bool is_transposed = false;       // a convolution: the second axis of its weight is the output's
  int layer_axes = -1;              // linear layers and convolutions: how many axes they slide over
  int pool_axes = 0;                // pools: how many axes they slide over
  bool keeps_memory_order = false;  // PyTorch's kernel writes in the order in which it reads
  bool makes_channels_last = false;  // on integers, PyTorch's kernel writes channels last

  // ---- its parameters
  op_weights weights = op_weights::none;
  int weight_position = 0;           // of a function whose parameters are its arguments: that of
                                     // the weight in the call; the bias follows it
  int channel_axis = 0;              // of the weight, which has a scale for each of its channels
  parameters_function parameters{};  // null: it has none, or a model in C++ cannot call it; of a
                                     // function with a weight_position: those that are passed
  op_parameter (*inner_parameter)(int) = nullptr;  // by index: those of the modules in a module
  int inner_parameters = 0;                        // how many
  count_function inner_observers{};  // a custom module of ctq: those that it has itself

  // ---- as integers
  ctq::on_integers on_integers = ctq::on_integers::none;
  op_id integer_form{};           // another op, which replaces it; null: there is none
  op_id integer_relu_form{};      // the same, followed by a relu
  op_id integer_forms_then[2]{};  // with an op that follows: the `then` of their schedules
  op_id dynamic_form{};           // for an input that is quantized dynamically
  op_id dynamic_relu_form{};      // the same, followed by a relu
  bool only_weight = false;       // weight-only: its input and output stay floats
  op_id weight_only_form{};       // for a qint8 weight, of an op with other forms, too
  bool gives_any_scale = false;   // its kernel takes inputs of another scale than the output's
  bool is_since_2_1 = false;      // PyTorch 1.13 has no integer form

  // ---- in fused modules and in training
  op_id fused_of[3]{};  // a fused module: its parts, in the order in which data flows
  op_id with_relu{};    // the module that it becomes with the relu that follows
  op_id module_form{};  // a function: the module that computes the same, in chains to be fused
  bool is_batch_norm = false;
  bool keeps_batch_norm = false;  // a fused module that has its batch norm as a part, to be trained
  op_id float_form{};  // of a module of quantization-aware training: its form in inference
  gradient_rule gradient = gradient_rule::none;

  op_schedule schedule{};
};

/// The tensors that an op owns, packed contiguously: all in float, and the quantized weight as
/// integers, then its scales.
struct parameter_layout_of {
  op_parameters parameters{};
  std::size_t floats[op_parameters::max_count]{};  // by parameter: the offset in bytes
  int weight = -1;                                 // which is quantized; -1: none
  std::size_t integers{};
  std::size_t scales{};
  std::size_t bytes{};  // a multiple of packing::alignment
};

[[nodiscard]] constexpr parameter_layout_of parameter_layout(const op_descriptor& d,
                                                             const attributes& options,
                                                             bool on_integers) {
  parameter_layout_of l{.parameters = d.parameters(options)};
  const auto take = [&l](std::size_t bytes) {
    const std::size_t at = l.bytes;
    l.bytes += packing::padded(bytes);
    return at;
  };
  for (int p = 0; p < l.parameters.count; ++p) {
    const op_parameter& parameter = l.parameters.item[p];
    const std::size_t elements = numel(parameter.shape);
    l.floats[p] = take(4 * elements);
    if (!on_integers || d.weights != op_weights::quantizable || parameter.name != "weight")
      continue;
    l.weight = p;
    l.integers = take(elements);
    l.scales = take(4 * static_cast<std::size_t>(parameter.shape[d.channel_axis]));
  }
  return l;
}

/// Whether training can compute the gradients of its inputs and parameters.
[[nodiscard]] constexpr bool has_gradient(const op_descriptor& d) {
  return d.gradient != gradient_rule::none || d.functions.add_gradient != nullptr;
}

/// Whether the range of the output is known beforehand: that of a sigmoid is 0 to 1.
[[nodiscard]] constexpr bool has_fixed_qparams(const op_descriptor& d) {
  return d.on_integers == on_integers::from_0_to_1 || d.on_integers == on_integers::from_neg1_to_1;
}

}  // namespace ctq
