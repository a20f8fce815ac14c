// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/elementwise/binary_add.hpp"
#include "ctq/kernels/simd/elementwise/binary_add_within_one_step.hpp"
#include "ctq/kernels/simd/elementwise/binary_mul.hpp"
#include "ctq/kernels/simd/elementwise/dequantize.hpp"
#include "ctq/kernels/simd/elementwise/fake_quantize.hpp"
#include "ctq/kernels/simd/elementwise/quantize.hpp"
#include "ctq/kernels/simd/elementwise/requantize.hpp"
#include "elementwise.hpp"

namespace bench {

namespace {

namespace simd = ctq::kernels::simd;
using isa = ctq::isa::native;
using op = elementwise::op;

/// One function for all sizes, as in a program with run-time sizes.
[[gnu::noinline]] void run(const elementwise& of, std::byte* out) {
  auto* const bytes = reinterpret_cast<std::uint8_t*>(out);
  const ctq::elementwise_shape s{of.count};
  switch (of.what) {
    case op::quantize: simd::quantize<isa>(s, of.floats.data(), elementwise::out, bytes); break;
    case op::dequantize:
      simd::dequantize<isa>(s, of.bytes.data(), elementwise::a, reinterpret_cast<float*>(out));
      break;
    case op::add:
      simd::binary_add<isa>(s, of.bytes.data(), elementwise::a, of.more_bytes.data(),
                            elementwise::b, elementwise::out, bytes, false);
      break;
    case op::add_within_one_step:
      simd::binary_add_within_one_step<isa>(s, of.bytes.data(), elementwise::a,
                                            of.more_bytes.data(), elementwise::b, elementwise::out,
                                            bytes, false);
      break;
    case op::mul:
      simd::binary_mul<isa>(s, of.bytes.data(), elementwise::a, of.more_bytes.data(),
                            elementwise::b, elementwise::out, bytes, false);
      break;
    case op::fake_quantize:
      simd::fake_quantize<isa>(s, of.floats.data(), elementwise::out,
                               reinterpret_cast<float*>(out));
      break;
    case op::requantize:
      simd::requantize<isa>(s, of.sums.data(), elementwise::multiplier,
                            {elementwise::out.zero_point, 0, 255}, bytes);
      break;
    case op::quantize_channels:
      simd::quantize<isa>({of.count / elementwise::channels, elementwise::channels},
                          of.floats.data(), of.channel_scales.data(), of.channel_zeros.data(), -128,
                          127, reinterpret_cast<std::int8_t*>(out));
      break;
  }
}

}  // namespace

subject ctq_elementwise(const elementwise& of) {
  return {"ctq", [&of] { run(of, of.result()); }, [&of] { return of.result(); }};
}

}  // namespace bench
