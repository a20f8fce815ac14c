// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/product_tiles.hpp"

using namespace ctq;
using kernels::simd::by_tiles;

namespace {

static_assert(by_tiles({.batch = 1, .m = 16, .n = 128, .k = 64, .matrices = {1, 1}}));
static_assert(!by_tiles({.batch = 1, .m = 15, .n = 1024, .k = 1024, .matrices = {1, 1}}));
static_assert(!by_tiles({.batch = 1, .m = 16, .n = 127, .k = 64, .matrices = {1, 1}}));
static_assert(kernels::simd::product_tiles().rows[7] == 16);
static_assert(kernels::simd::product_tiles().row_bytes[0] == 64);

}  // namespace
