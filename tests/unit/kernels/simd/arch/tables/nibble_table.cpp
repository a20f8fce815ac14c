// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/arch/tables/nibble_table.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "ctq/core/isa.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("integers of 4 bits are looked up in their order, lower halves first") {
#if defined(__AVX512F__)
  const auto entries = samples::plain_floats(16, 1);
  const samples::fenced integers(samples::integers<std::uint8_t>(32, 2));
  samples::guarded<float> out(64);
  const simd::nibble_table<isa::native> table(_mm512_loadu_ps(entries.data()));
  table.look_up_64(integers.data(), out.data());
  for (std::size_t i = 0; i < 64; ++i) {
    CAPTURE(i);
    const int byte = integers.data()[i / 2];
    CHECK(out.data()[i] == entries[static_cast<std::size_t>(i % 2 == 0 ? byte & 15 : byte >> 4)]);
  }
#else
  CHECK_FALSE(simd::has_nibble_table<isa::native>);
#endif
}
