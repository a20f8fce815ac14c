// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "ctq/core/isa.hpp"

// The registers of an instruction set, as vector types of the compilers, for functions of ops;
// kernels have those of xsimd. Types of their own for each size, since g++ ignores a vector_size
// that depends on a template parameter until the template is instantiated.

namespace ctq::descriptors::functions {

/// floats, doubles and bits, the integers with the bits of doubles, fill a register; narrow_floats
/// has as many elements as doubles.
struct registers_of_16_bytes {
  typedef float floats [[gnu::vector_size(16)]];
  typedef double doubles [[gnu::vector_size(16)]];
  typedef std::uint64_t bits [[gnu::vector_size(16)]];
  typedef float narrow_floats [[gnu::vector_size(8)]];
};
struct registers_of_32_bytes {
  typedef float floats [[gnu::vector_size(32)]];
  typedef double doubles [[gnu::vector_size(32)]];
  typedef std::uint64_t bits [[gnu::vector_size(32)]];
  typedef float narrow_floats [[gnu::vector_size(16)]];
};
struct registers_of_64_bytes {
  typedef float floats [[gnu::vector_size(64)]];
  typedef double doubles [[gnu::vector_size(64)]];
  typedef std::uint64_t bits [[gnu::vector_size(64)]];
  typedef float narrow_floats [[gnu::vector_size(32)]];
};

template <class Isa>
using registers_of =
    std::conditional_t<isa::includes<Isa, isa::avx512>, registers_of_64_bytes,
                       std::conditional_t<isa::includes<Isa, isa::avx2>, registers_of_32_bytes,
                                          registers_of_16_bytes>>;

}  // namespace ctq::descriptors::functions
