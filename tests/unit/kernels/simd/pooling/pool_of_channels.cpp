// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/pooling/pool_of_channels.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "ctq/kernels/simd/pooling/pooling_avg.hpp"
#include "ctq/kernels/simd/pooling/pooling_max.hpp"
#include "kernels/pool_shapes.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

static_assert(simd::filled_lanes(0) == 0);
static_assert(simd::filled_lanes(1) == 1);
static_assert(simd::filled_lanes(3) == 2);
static_assert(simd::filled_lanes(4) == 4);
static_assert(simd::filled_lanes(15) == 8);
static_assert(simd::filled_lanes(16) == 16);
static_assert(simd::filled_lanes(63) == 32);
static_assert(simd::filled_lanes(64) == 64);
static_assert(simd::filled_lanes(1000) == 64);

namespace {

const qparams steps{0.5F, 3};
const qparams tiny_steps{1e-30F, 250};  // of an output: means in units of them do not fit an int32

template <int Channels>
void check() {
  CAPTURE(Channels);
  for (const pool_shape& shape : samples::pool_shapes(Channels, false)) {
    const simd::pool_of_channels<simd::filled_lanes(Channels)> known{shape};
    const samples::fenced in(samples::integers<std::uint8_t>(samples::in_size(shape), 7));
    std::vector<std::uint8_t> expected(samples::out_size(shape));
    samples::guarded<std::uint8_t> out(expected.size());
    for (const qparams& to : {steps, tiny_steps}) {
      reference::pooling_avg(shape, in.data(), steps, to, expected.data());
      simd::pooling_avg<isa::native>(known, in.data(), steps, to, out.data());
      CHECK(out.holds(expected));
    }
    reference::pooling_max(shape, in.data(), expected.data());
    simd::pooling_max<isa::native>(known, in.data(), out.data());
    CHECK(out.holds(expected));
  }
}

}  // namespace

TEST_CASE("pools whose type says how many channels they have give the bytes of the reference") {
  check<0>();
  check<3>();
  check<7>();
  check<8>();
  check<16>();
  check<33>();
  check<70>();
}
