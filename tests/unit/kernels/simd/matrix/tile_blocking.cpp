// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/tile_blocking.hpp"

#include <doctest/doctest.h>

#include "kernels/emulated_tiles.hpp"
#include "kernels/square_shape.hpp"

using namespace ctq;
using namespace ctq::kernels;
using simd::tile_block;

namespace {

constexpr conv2d_shape gemm(int m, int n, int k) {
  return as_conv2d({.rows = m, .in_features = k, .out_features = n});
}
constexpr conv2d_shape square(int kernel, int stride, int in, int out, int size) {
  return samples::square_shape(kernel, stride, in, out, size);
}
constexpr simd::tile_blocking tiles(const conv2d_shape& s) { return simd::tile_blocking_of(s); }

// Which block.
static_assert(tiles(gemm(512, 512, 512)).block == tile_block{1, 4});
static_assert(tiles(gemm(1024, 1024, 1024)).block == tile_block{2, 2});
static_assert(tiles(gemm(100, 10, 784)).block == tile_block{4, 1});
static_assert(tiles(square(3, 1, 64, 64, 56)).block == tile_block{1, 4});
static_assert(tiles(square(3, 1, 128, 128, 28)).block == tile_block{4, 1});
static_assert(tiles(square(3, 1, 192, 192, 14)).block == tile_block{2, 2});
static_assert(tiles(square(3, 1, 512, 512, 7)).block == tile_block{2, 2});
static_assert(tiles(gemm(16, 768, 768)).block == tile_block{1, 4});

// Rows are shared evenly, blocks are full.
static_assert(tiles(gemm(49, 2048, 512)).rows == 13);
static_assert(tiles(gemm(196, 512, 1024)).rows == 14);
static_assert(tiles(gemm(196, 512, 1024)).tiles == 14);
static_assert(tiles(square(3, 1, 64, 64, 56)).rows == 14);

// A pass over the weights serves one block if L2 holds the weights; else the pixels that L1 or a
// part of L2 leaves space for.
static_assert(tiles(gemm(1024, 1024, 1024)).chunk == 1);
static_assert(tiles(gemm(512, 512, 2048)).chunk == 1);
static_assert(tiles(gemm(512, 512, 512)).chunk == tiles(gemm(512, 512, 512)).blocks());
static_assert(tiles(square(3, 1, 32, 32, 14)).chunk == 7);  // few products
static_assert(tiles(gemm(196, 2048, 1024)).chunk == tiles(gemm(196, 2048, 1024)).blocks());
static_assert(tiles(gemm(2048, 2048, 2048)).chunk * 2 * 16 == 256);
static_assert(tiles(gemm(4096, 64, 512)).chunk * 16 == 2048);
static_assert(tiles(square(3, 1, 128, 128, 28)).chunk == 1);

// Many k steps are computed in parts, and weights that L2 does not hold are prefetched.
static_assert(tiles(gemm(2048, 2048, 2048)).parts() == 2);
static_assert(tiles(gemm(2048, 2048, 2048)).prefetch_lines == 4);
static_assert(tiles(gemm(128, 768, 3072)).part == 16);
static_assert(tiles(gemm(128, 768, 3072)).partial_accumulators_bytes() == 4 * 4096);
static_assert(tiles(gemm(512, 512, 512)).parts() == 1 &&
              tiles(gemm(512, 512, 512)).prefetch_lines == 0);
static_assert(tiles(gemm(512, 512, 512)).partial_accumulators_bytes() == 0);
static_assert(tiles(gemm(16, 1024, 4096)).parts() == 1);
static_assert(tiles(square(3, 1, 512, 512, 7)).parts() == 1);

// The steps of k: 32 bytes for a run of 30; the second of two moves back.
static_assert(tiles(square(3, 1, 10, 64, 28)).width == 32);
static_assert(tiles(gemm(64, 64, 100)).start(1) == 36);

// A 1x1 convolution with a stride becomes a matrix product if that fills the tiles.
static_assert(tiles(square(1, 2, 1024, 2048, 14)).gathered);
static_assert(tiles(square(1, 2, 1024, 2048, 14)).rows == 13);
static_assert(!tiles(square(1, 2, 64, 128, 56)).gathered);

// Short rows of a kernel are brought together if that saves enough steps.
constexpr simd::row_bands alone{};
static_assert(tiles(square(7, 2, 3, 64, 224)).bands == simd::row_bands{2, 1, true});
static_assert(tiles(square(7, 2, 3, 64, 224)).runs.total_steps() == 4);
static_assert(tiles(square(7, 2, 3, 64, 224)).width == 64);
static_assert(tiles(square(5, 1, 3, 64, 64)).bands == simd::row_bands{3, 1});
static_assert(tiles(square(3, 1, 8, 128, 28)).bands == simd::row_bands{2, 1});
static_assert(tiles(square(3, 1, 24, 128, 28)).runs.total_steps() == 4);
static_assert(tiles(square(3, 1, 8, 64, 56)).bands == alone);    // 3 steps become 2: too little
static_assert(tiles(square(3, 1, 16, 128, 28)).bands == alone);  // 3 are needed
static_assert(tiles(square(3, 1, 64, 64, 56)).bands == alone);
static_assert(tiles(square(5, 1, 3, 64, 512)).bands == alone);  // more than half of L2
static_assert(tiles(square(7, 2, 3, 64, 1024)).bands == simd::row_bands{2, 2});
static_assert(!tiles(square(7, 2, 3, 64, 224)).gathered);

// Without a border, a patch a pixel: a matrix product.
constexpr conv2d_shape patches{1, 224, 224, 3, 768, 16, 16, 16, 16};
static_assert(tiles(patches).bands == simd::row_bands{16, 16});
static_assert(tiles(patches).shape.in_h == 1 && tiles(patches).runs.length == 768);

// Copies count where products are few.
static_assert(simd::copy_cycles(tiles(square(3, 2, 3, 32, 224))) == 0);
static_assert(simd::copy_cycles(tiles(square(7, 2, 3, 64, 224))) <
              tiles(square(7, 2, 3, 64, 224)).cycles());

}  // namespace

TEST_CASE("a blocking known to the compiler and one made at run time are the same") {
  constexpr conv2d_shape s = square(3, 2, 48, 96, 28);
  constexpr simd::tile_blocking compiled = tiles(s);
  conv2d_shape later = s;
  __asm__ volatile("" : "+m"(later));
  const simd::tile_blocking made = tiles(later);
  CHECK(made.block == compiled.block);
  CHECK(made.cycles() == compiled.cycles());
  CHECK(made.packed_steps() == compiled.packed_steps());
}
