// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ctq/kernels/xsimd.hpp"
#include "kernels/samples.hpp"

// A table of 256 entries in registers, looked up with every number in every lane.

namespace table_case {

/// lookup_of(table): an object whose operator[] gives the entry of each lane. The table may not be
/// read past its end.
template <class Isa, class Q, class F>
void check_every_number(F lookup_of) {
  using lanes = ctq::kernels::batch<Isa, Q>;
  const auto entries = samples::integers<Q>(256, 7);
  const samples::fenced<Q> table(entries);
  const auto& lookup = lookup_of(table.data());
  for (std::size_t first = 0; first < 256; ++first) {
    std::vector<Q> in(lanes::size), wanted(lanes::size), out(lanes::size);
    for (std::size_t i = 0; i < lanes::size; ++i) {
      in[i] = static_cast<Q>(first + 37 * i);
      wanted[i] = entries[static_cast<std::uint8_t>(in[i])];
    }
    lookup[lanes::load_unaligned(in.data())].store_unaligned(out.data());
    CHECK(out == wanted);
  }
}

}  // namespace table_case
