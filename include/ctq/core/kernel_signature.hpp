// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/block.hpp"
#include "ctq/core/dtype.hpp"

// The contract between the passes, which decide what is to be computed, and the kernels, which
// compute it. A signature holds all that machine code may depend on: the kernel, the element
// types and the sizes, which are a shape of core/shapes. Equal signatures share one body.
// Activations are in NHWC order.

namespace ctq {

struct op_info;

/// Which kernel: its place in the list of core/kernel_descriptors.hpp: kernel::conv2d,
/// kernel::binary_add, …
enum class kernel_id : unsigned char {};

/// What a conv2d or linear on integers does to its outputs before it stores them: an op that is
/// fused into it, which reads nothing else or one more tensor of the same shape.
enum class fused_op : unsigned char {
  nothing,
  add,
  add_relu,
  table,  // any function of one number
};

[[nodiscard]] constexpr std::string_view name_of(fused_op f) {
  constexpr std::string_view names[] = {"nothing", "add", "add_relu", "table"};
  return names[static_cast<std::size_t>(f)];
}

struct kernel_signature {
  using sizes = std::array<std::uint64_t, 11>;  // fewer elements for the compiler than ints

  kernel_id kernel{};
  dtype in = dtype::none;
  dtype out = dtype::none;
  bool relu{};  // a relu follows; layers on integers have it as the lower bound of their clamp
  fused_op then = fused_op::nothing;
  sizes size{};
  const op_info* called_op{};  // elementwise and function: whose functions are called

  template <class Shape>
  [[nodiscard]] constexpr Shape as() const {
    return from_block<Shape>(size);
  }

  friend constexpr bool operator==(const kernel_signature&, const kernel_signature&) = default;
};

template <fits_in<sizeof(kernel_signature::sizes)> Shape>
[[nodiscard]] constexpr kernel_signature signature_of(kernel_id kernel, dtype in, dtype out,
                                                      const Shape& shape, bool relu = false,
                                                      const op_info* called_op = nullptr) {
  return {kernel,   in, out, relu, fused_op::nothing, to_block<kernel_signature::sizes>(shape),
          called_op};
}

}  // namespace ctq
