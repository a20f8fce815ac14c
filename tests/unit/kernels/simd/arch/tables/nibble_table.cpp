// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/arch/tables/nibble_table.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/xsimd.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("integers of 4 bits are looked up in their order, lower halves first") {
#if defined(__AVX512F__)
  const auto entries = samples::plain_floats(16, 1);
  const samples::fenced integers(samples::integers<std::uint8_t>(32, 2));
  const simd::nibble_table<isa::native> table(_mm512_loadu_ps(entries.data()));
  const auto check = [&]<std::size_t Count>(const std::uint8_t* from,
                                            const batch<isa::native, float>(&registers)[Count]) {
    float out[16 * Count];
    for (std::size_t j = 0; j < Count; ++j) registers[j].store_unaligned(out + 16 * j);
    for (std::size_t i = 0; i < 16 * Count; ++i) {
      CAPTURE(i);
      const int byte = from[i / 2];
      CHECK(out[i] == entries[static_cast<std::size_t>(i % 2 == 0 ? byte & 15 : byte >> 4)]);
    }
  };
  batch<isa::native, float> four[4], one[1];
  table.look_up(integers.data(), four);
  check(integers.data(), four);
  table.look_up(integers.data() + 24, one);
  check(integers.data() + 24, one);
#else
  CHECK_FALSE(simd::has_nibble_table<isa::native>);
#endif
}
