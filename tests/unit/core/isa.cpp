// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/isa.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

static_assert(isa::includes<isa::amx, isa::avx512vnni>);
static_assert(isa::includes<isa::avx512vnni, isa::avx512>);
static_assert(isa::includes<isa::avx512vnni, isa::avx2>);
static_assert(isa::includes<isa::avxvnni, isa::avx2>);
static_assert(isa::includes<isa::avx2, isa::sse4>);
static_assert(isa::includes<isa::sse4, isa::sse2>);
static_assert(isa::includes<isa::sse2, isa::scalar>);
static_assert(isa::includes<isa::neon, isa::scalar>);
static_assert(isa::includes<isa::dotprod, isa::neon>);
static_assert(isa::includes<isa::i8mm, isa::dotprod>);
static_assert(!isa::includes<isa::dotprod, isa::i8mm>);
static_assert(isa::includes<isa::avx2, isa::avx2>);
static_assert(!isa::includes<isa::avx512, isa::avxvnni>);
static_assert(!isa::includes<isa::avx2, isa::avx512>);
static_assert(!isa::includes<isa::neon, isa::sse4>);
static_assert(isa::includes<isa::native, isa::scalar>);

TEST_CASE("a tag has its own name, not that of the one it adds to") {
  CHECK(isa::scalar::name == "scalar");
  CHECK(isa::sse2::name == "sse2");
  CHECK(isa::sse4::name == "sse4");
  CHECK(isa::avx2::name == "avx2");
  CHECK(isa::avxvnni::name == "avxvnni");
  CHECK(isa::avx512::name == "avx512");
  CHECK(isa::avx512vnni::name == "avx512vnni");
  CHECK(isa::amx::name == "amx");
  CHECK(isa::neon::name == "neon");
  CHECK(isa::dotprod::name == "dotprod");
  CHECK(isa::i8mm::name == "i8mm");
}

TEST_CASE("the native instruction set has only what the compiler's flags allow") {
#if defined(CTQ_ISA_SCALAR)
  CHECK(isa::native::name == "scalar");
#elif defined(__x86_64__) && !defined(__SSE4_1__)
  CHECK(isa::native::name == "sse2");
#elif defined(__aarch64__) && !defined(__ARM_FEATURE_DOTPROD)
  CHECK(isa::native::name == "neon");
#elif defined(__aarch64__) && !defined(__ARM_FEATURE_MATMUL_INT8)
  CHECK(isa::native::name == "dotprod");
#elif defined(__aarch64__)
  CHECK(isa::native::name == "i8mm");
#else
  CHECK(isa::native::name != "scalar");
#endif
}

}  // namespace
