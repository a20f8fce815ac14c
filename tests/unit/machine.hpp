// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Does this machine have the instructions that this file is compiled for? The file that includes
// it must be compiled without them itself: CTQ_TEST_ISA names them.

#include <string_view>

inline bool machine_runs_this_binary() {
  constexpr std::string_view isa = CTQ_TEST_ISA;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  if (isa == "sse4") return __builtin_cpu_supports("sse4.1");
  if (isa == "avx2") return avx2;
  if (isa == "avxvnni") {
    unsigned a = 7, b = 0, c = 1, d = 0;  // CPUID leaf 7.1, EAX bit 4
    if (!avx2) return false;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return (a >> 4 & 1U) != 0;
  }
  if (isa == "avx512") return avx512;
  if (isa == "avx512vnni") return avx512 && __builtin_cpu_supports("avx512vnni");
#endif
  return isa == "native" || isa == "scalar" || isa == "neon";
}
