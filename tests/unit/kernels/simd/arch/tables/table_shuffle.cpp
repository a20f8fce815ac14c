// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/arch/tables/table_shuffle.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;
using isa_t = isa::native;

namespace {

/// Every number at every lane, in a table that may not be read past its end.
template <class Isa>
void check_table() {
  using bytes = batch<Isa, std::int8_t>;
  const auto entries = samples::integers<std::int8_t>(256, 8);
  const samples::fenced<std::int8_t> table(entries);
  const simd::shuffled_table<Isa> shuffled(table.data());
  for (std::size_t first = 0; first < 256; ++first) {
    std::vector<std::int8_t> in(bytes::size), wanted(bytes::size), out(bytes::size);
    for (std::size_t i = 0; i < bytes::size; ++i) {
      in[i] = static_cast<std::int8_t>(first + 37 * i);
      wanted[i] = entries[static_cast<std::uint8_t>(in[i])];
    }
    shuffled[bytes::load_unaligned(in.data())].store_unaligned(out.data());
    CHECK(out == wanted);
  }
}

}  // namespace

TEST_CASE("a register of bytes is looked up by shuffles") {
  []<class Isa>(std::type_identity<Isa>) {
    if constexpr (simd::shuffles_bytes<Isa>) check_table<Isa>();
  }(std::type_identity<isa_t>{});
}
