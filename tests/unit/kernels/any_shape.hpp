// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"

// Kernels for run-time shapes; any_shape.cpp compiles them once for all tests.

namespace ctq::kernels::simd {

template <class In, class To, class Out>
using convolution = void(const conv2d_shape&, const In*, const std::byte*, const To&, std::int32_t,
                         Out*, std::byte*);
template <class In, class Out>
using int8_convolution = convolution<In, output_range, Out>;

extern template int8_convolution<std::uint8_t, std::uint8_t> convolve_any<isa::native>;
extern template int8_convolution<std::uint8_t, std::int8_t> convolve_any<isa::native>;
extern template int8_convolution<std::int8_t, std::uint8_t> convolve_any<isa::native>;
extern template int8_convolution<std::int8_t, std::int8_t> convolve_any<isa::native>;
extern template convolution<float, bool, float> convolve_any<isa::native>;

}  // namespace ctq::kernels::simd
