// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/rows/registers.hpp"

#include <cstddef>

using namespace ctq;

namespace {

template <class Isa>
constexpr bool are_of_bytes(std::size_t bytes) {
  using registers = descriptors::functions::registers_of<Isa>;
  return sizeof(typename registers::floats) == bytes &&
         sizeof(typename registers::doubles) == bytes &&
         sizeof(typename registers::bits) == bytes &&
         sizeof(typename registers::narrow_floats) == bytes / 2;
}
static_assert(are_of_bytes<isa::scalar>(16) && are_of_bytes<isa::sse2>(16));
static_assert(are_of_bytes<isa::neon>(16) && are_of_bytes<isa::i8mm>(16));
static_assert(are_of_bytes<isa::avx2>(32) && are_of_bytes<isa::avxvnni>(32));
static_assert(are_of_bytes<isa::avx512>(64) && are_of_bytes<isa::amx>(64));

}  // namespace
