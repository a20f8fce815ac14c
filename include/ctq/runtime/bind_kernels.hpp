// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <cstddef>
#include <type_traits>

#include "ctq/core/report.hpp"
#include "ctq/core/text.hpp"
#include "ctq/kernels/epilogue.hpp"
#include "ctq/kernels/signatures.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/runtime/dynamic_linear.hpp"
#include "ctq/runtime/operands.hpp"

// Where plans and kernels meet. A set of kernels (simd_kernels<Isa>, reference_kernels) is bound to
// a signature in two ways: as a template argument, when the signature is known to the compiler, or
// by looking it up at run time. A signature without a kernel does not compile, and does not pass.

namespace ctq {

/// What of a signature a kernel takes as its shape.
template <kernel Op>
struct shape_of {
  using type = elementwise_shape;
};
template <>
struct shape_of<kernel::conv2d> {
  using type = conv2d_shape;
};
template <>
struct shape_of<kernel::linear> {
  using type = linear_shape;
};
template <>
struct shape_of<kernel::linear_dynamic> {
  using type = linear_shape;
};
template <>
struct shape_of<kernel::batch_norm2d> {
  using type = channels_shape;
};
template <>
struct shape_of<kernel::max_pool2d> {
  using type = pool2d_shape;
};
template <>
struct shape_of<kernel::avg_pool2d> {
  using type = pool2d_shape;
};
template <>
struct shape_of<kernel::concat> {
  using type = concat_shape;
};
template <>
struct shape_of<kernel::function> {
  using type = function_shape;
};
template <>
struct shape_of<kernel::to_nhwc> {
  using type = transpose_shape;
};
template <>
struct shape_of<kernel::to_nchw> {
  using type = transpose_shape;
};

/// Bytes of a layer's weights, bias and multipliers in the kernel's order, to the next 64.
template <class Kernels>
[[nodiscard]] constexpr std::size_t layer_bytes(const kernel_signature& key) {
  const std::size_t bytes = key.op == kernel::conv2d
                                ? Kernels::packed_bytes(key.as<conv2d_shape>(), key.in)
                                : Kernels::packed_bytes(key.as<linear_shape>(), key.in);
  return packing::padded(bytes);
}

/// How a layer ends to which an op is joined.
///   table  of a function of one number
template <joined Then, class Q>
[[nodiscard]] auto joined_epilogue(const operands& x, const std::byte* table) noexcept {
  const kernels::requantize_per_channel<Q> steps{x.data->steps};
  if constexpr (Then == joined::table) {
    return kernels::epilogue{steps, kernels::lookup_table<Q>{reinterpret_cast<const Q*>(table)}};
  } else {
    return kernels::epilogue{
        steps, kernels::residual_add<Q>{x.input<Q>(1), x.data->joined, x.data->in[1], x.data->out,
                                        Then == joined::add_relu}};
  }
}

/// A key without a kernel, in words.
template <kernel_signature Key, class Kernels>
struct kernel_check {
  static constexpr bool bad() { return !kernels::exists(Key); }
  static constexpr auto message() {
    static_text<480> text;
    append_all(text, "no kernel has this key:\n");
    kernels::append_key(text, Key.op, Key.in, Key.out);
    append_all(text, "\ninstruction set: ", Kernels::isa::name, "\nkernels of this op:\n");
    kernels::append_types(text, Key.op);
    return text.append("\nquantize or dequantize before, or\nadd it to kernels/signatures.hpp");
  }
};
/// The code of one key; all steps with this key share it.
template <kernel_signature Key, class Kernels>
[[gnu::noinline]] void run_kernel(const operands& x) noexcept {
  using in = element_t<Key.in>;
  using out = element_t<Key.out>;
  using shape = typename shape_of<Key.op>::type;
  if constexpr (kernel_check<Key, Kernels>::bad()) {
    static_cast<void>(report<kernel_check<Key, Kernels>>{});
  } else if constexpr (is_own(Key.op)) {
    constexpr const op_functions& own = Key.own->descriptor->functions;
    Kernels::template run<in, out>(kernel_c<Key.op>{}, Key.template as<shape>(), own, x);
  } else if constexpr (Key.op == kernel::linear_dynamic) {
    dynamic_linear<Kernels>::run(std::integral_constant<shape, Key.template as<shape>()>{},
                                 Key.relu, x);
  } else if constexpr (Key.then != joined::nothing) {
    Kernels::template run<in, out>(
        kernel_c<Key.op>{}, std::integral_constant<shape, Key.template as<shape>()>{},
        joined_epilogue<Key.then, out>(x, x.packed + layer_bytes<Kernels>(Key)), x);
  } else {
    Kernels::template run<in, out>(
        kernel_c<Key.op>{}, std::integral_constant<shape, Key.template as<shape>()>{}, Key.relu, x);
  }
}

namespace binding {

inline constexpr auto last_kernel = kernel::add_within_one_step;
inline constexpr std::size_t kernel_count = static_cast<std::size_t>(last_kernel) + 1;
inline constexpr dtype dtypes[] = {f32, quint8, qint8};

constexpr std::size_t index_of(dtype d) { return d == f32 ? 0 : d == quint8 ? 1 : 2; }

}  // namespace binding

/// The same with a key known only at run time: any shape, any kernel that exists.
/// Requires  nothing is joined to a layer
template <class Kernels>
void run_kernel(const kernel_signature& key, const operands& x) noexcept {
  namespace mp = boost::mp11;
  mp::mp_with_index<binding::kernel_count>(static_cast<std::size_t>(key.op), [&](auto op) {
    mp::mp_with_index<3>(binding::index_of(key.in), [&](auto in) {
      mp::mp_with_index<3>(binding::index_of(key.out), [&](auto out) {
        constexpr auto Op = static_cast<kernel>(decltype(op)::value);
        constexpr dtype In = binding::dtypes[decltype(in)::value];
        constexpr dtype Out = binding::dtypes[decltype(out)::value];
        if constexpr (kernels::exists({.op = Op, .in = In, .out = Out})) {
          const auto shape = key.template as<typename shape_of<Op>::type>();
          if constexpr (is_own(Op)) {
            Kernels::template run<element_t<In>, element_t<Out>>(kernel_c<Op>{}, shape,
                                                                 key.own->descriptor->functions, x);
          } else if constexpr (Op == kernel::linear_dynamic) {
            dynamic_linear<Kernels>::run(shape, key.relu, x);
          } else {
            Kernels::template run<element_t<In>, element_t<Out>>(kernel_c<Op>{}, shape, key.relu,
                                                                 x);
          }
        }
      });
    });
  });
}

/// Does a table of 256 entries stand for the op of this step?
template <class Kernels>
[[nodiscard]] constexpr bool uses_table(const kernel_signature& key) {
  return key.op == kernel::elementwise &&
         Kernels::uses_table(key.own->descriptor->functions, key.in);
}

/// Bytes of weights, bias and multipliers in the kernel's order, with the table of 256 entries that
/// may be joined to them, and of its scratch memory.
template <class Kernels>
[[nodiscard]] constexpr std::size_t packed_bytes(const kernel_signature& key) {
  switch (key.op) {
    case kernel::conv2d:
    case kernel::linear: return layer_bytes<Kernels>(key) + (key.then == joined::table ? 256 : 0);
    case kernel::linear_dynamic:
      return dynamic_linear<Kernels>::packed_bytes(key.as<linear_shape>());
    case kernel::batch_norm2d:
      return static_cast<std::size_t>(key.as<channels_shape>().channels) * 2 * sizeof(float);
    case kernel::elementwise: return uses_table<Kernels>(key) ? 256 : 0;
    case kernel::function:
      return static_cast<std::size_t>(key.as<function_shape>().parameter_bytes);
    default: return 0;
  }
}

template <class Kernels>
[[nodiscard]] constexpr std::size_t workspace_bytes(const kernel_signature& key) {
  switch (key.op) {
    case kernel::conv2d: return Kernels::workspace_bytes(key.as<conv2d_shape>(), key.in);
    case kernel::linear: return Kernels::workspace_bytes(key.as<linear_shape>(), key.in);
    case kernel::linear_dynamic:
      return dynamic_linear<Kernels>::workspace_bytes(key.as<linear_shape>());
    case kernel::function: return Kernels::workspace_bytes(key.as<function_shape>(), key.in);
    default: return 0;
  }
}

}  // namespace ctq
