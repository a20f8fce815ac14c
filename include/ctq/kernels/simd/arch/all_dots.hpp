// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The dot products and tiles of every instruction set: a new one is a header and a line here. Each
// is empty where the compiler does not target it.

#include "ctq/kernels/simd/arch/dot_avx2.hpp"
#include "ctq/kernels/simd/arch/dot_avx512.hpp"
#include "ctq/kernels/simd/arch/dot_avx512vnni.hpp"
#include "ctq/kernels/simd/arch/dot_avxvnni.hpp"
#include "ctq/kernels/simd/arch/dot_dotprod.hpp"
#include "ctq/kernels/simd/arch/dot_i8mm.hpp"
#include "ctq/kernels/simd/arch/dot_sse2.hpp"
#include "ctq/kernels/simd/arch/dot_sse4.hpp"
#include "ctq/kernels/simd/arch/tile_amx.hpp"
