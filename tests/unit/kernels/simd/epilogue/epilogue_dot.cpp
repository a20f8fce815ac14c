// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/epilogue/epilogue_dot.hpp"

#include <doctest/doctest.h>

#include "kernels/emulated_tiles.hpp"
#include "kernels/epilogue_case.hpp"

// epilogue_dot is tested in epilogue.cpp.

using namespace ctq;
using namespace ctq::kernels;
using namespace epilogue_cases;
using tiled = emulation::with_tiles;

namespace {

using tiles_1x4 = layer<{17, 100, 78}>;
using tiles_2x2 = layer<{33, 516, 32}>;

static_assert(simd::tile_arch<simd::int8_tile<tiled>>);
static_assert(simd::blocking_of<tiled, std::uint8_t>(tiles_1x4::value).by == simd::method::tiles);
static_assert(simd::blocking_of<tiled, std::uint8_t>(tiles_2x2::value).tiles.block.pixels == 2);

}  // namespace

TEST_CASE("tiles with an epilogue equal the separate ops") {
  many<tiles_1x4>(check_stages<tiled, tiles_1x4, std::uint8_t>);
  many<tiles_2x2>(check_wide<tiled, tiles_2x2, std::uint8_t>);
  many<tiles_2x2>(check_other_sign<tiled, tiles_2x2, std::uint8_t>);
}
