// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/passes/schedule/step.hpp"

namespace ctq {

/// The memory that the steps of one run read and write.
struct run_memory {
  const std::byte* constants{};  // those of the model's parameters
  const void* const* in{};       // elements of the model's inputs, in order
  void* const* out{};            // elements of its outputs, in order
  std::byte* arena{};            // intermediate values

  /// The address of a value that a step or an observer reads. For an operand that a step does not
  /// have, the result is an arbitrary address.
  [[nodiscard, gnu::always_inline]] const void* source(const place& p) const noexcept {
    if (p.in == place::area::input) return in[p.offset];
    if (p.in == place::area::constant) return constants + p.offset;
    return target(p);
  }
  /// The address of a value that a step writes.
  [[nodiscard, gnu::always_inline]] void* target(const place& p) const noexcept {
    return p.in == place::area::output ? out[p.offset] : arena + p.offset;
  }
};

}  // namespace ctq
