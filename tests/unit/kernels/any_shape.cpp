// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "any_shape.hpp"

namespace ctq::kernels::simd {

template int8_convolution<std::uint8_t, std::uint8_t> convolve_any<isa::native>;
template int8_convolution<std::uint8_t, std::int8_t> convolve_any<isa::native>;
template int8_convolution<std::int8_t, std::uint8_t> convolve_any<isa::native>;
template int8_convolution<std::int8_t, std::int8_t> convolve_any<isa::native>;
template convolution<float, bool, float> convolve_any<isa::native>;

}  // namespace ctq::kernels::simd
