// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

#include "ctq/core/kernel_signature.hpp"

// All kernels. Each has a descriptor, a struct in descriptors/, which says what a plan may ask for:
//
//   name, shape   for messages; the record of sizes that it takes
//   exists        for which element types, of the input and of the output
//   facts that are not as descriptor says: has_weights, …
//
// and its code, kernel_code<descriptor> in code/: the scalar reference, the same for an instruction
// set, bytes of packed weights and of the workspace. Ids, dispatch and messages follow from this
// list. Passes see the descriptors only.

namespace ctq::kernels {

namespace descriptors {

using list =
    boost::mp11::mp_list<struct quantize, struct dequantize, struct requantize, struct relu,
                         struct add, struct add_relu, struct mul, struct conv2d, struct linear,
                         struct linear_dynamic, struct batch_norm2d, struct max_pool2d,
                         struct avg_pool2d, struct concat, struct elementwise, struct function,
                         struct to_nhwc, struct to_nchw, struct add_within_one_step>;

}  // namespace descriptors

inline constexpr std::size_t kernel_count = boost::mp11::mp_size<descriptors::list>::value;

template <class Descriptor>
inline constexpr auto id_of =
    static_cast<kernel_id>(boost::mp11::mp_find<descriptors::list, Descriptor>::value);

template <kernel_id Id>
using descriptor_of = boost::mp11::mp_at_c<descriptors::list, static_cast<std::size_t>(Id)>;

/// One byte an element, with qparams: what activations are quantized to.
[[nodiscard]] constexpr bool is_int8(dtype d) { return d == quint8 || d == qint8; }

/// What holds for most kernels.
template <class Shape>
struct descriptor {
  using shape = Shape;
  static constexpr bool has_weights = false;  // of a layer, and a bias or none
  static constexpr bool calls_op = false;     // computes by the functions of the key's op
  static constexpr bool computes_ops = true;  // else the schedule alone asks for it

  static constexpr bool exists(dtype in, dtype out) {
    return in == out && (in == f32 || is_int8(in));
  }
};

}  // namespace ctq::kernels
