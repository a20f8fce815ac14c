// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/isa.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

// Detection of the instruction sets of this machine. To be called from code that is compiled for
// the baseline instruction set.

namespace ctq::isa {

/// Requests permission to use AMX tiles from Linux, which may refuse: arch_prctl,
/// ARCH_REQ_XCOMP_PERM of component 18. Idempotent. Without permission the first tile instruction
/// is illegal. Inlined, since callers are compiled for different instruction sets.
[[gnu::always_inline]] inline bool ask_for_amx() noexcept {
#if defined(__x86_64__) && defined(__linux__)
  return syscall(SYS_arch_prctl, 0x1023, 18) == 0;
#else
  return true;
#endif
}

/// Whether the processor has all instructions that a compiler may use for Isa, and the operating
/// system permits their use. Specialized below.
template <class Isa>
[[nodiscard]] bool supported() noexcept;

template <>
[[nodiscard]] inline bool supported<scalar>() noexcept {
  return true;
}

#if defined(__x86_64__)

template <>
[[nodiscard]] inline bool supported<sse2>() noexcept {
  return true;
}
template <>
[[nodiscard]] inline bool supported<sse4>() noexcept {
  return __builtin_cpu_supports("sse4.1");
}
/// Also checks features that every such processor has, but a virtual machine may lack.
template <>
[[nodiscard]] inline bool supported<avx2>() noexcept {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("popcnt");
}
template <>
[[nodiscard]] inline bool supported<avxvnni>() noexcept {
  unsigned a = 7, b = 0, c = 1, d = 0;  // leaf 7.1 is zero where there is none; EAX bit 4
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  return supported<avx2>() && (a >> 4 & 1U) != 0;
}
template <>
[[nodiscard]] inline bool supported<avx512>() noexcept {
  return supported<avx2>() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
template <>
[[nodiscard]] inline bool supported<avx512vnni>() noexcept {
  return supported<avx512>() && __builtin_cpu_supports("avx512vnni");
}
/// Leaf 7, EDX bits 24 and 25.
template <>
[[nodiscard]] inline bool supported<amx>() noexcept {
  unsigned a = 7, b = 0, c = 0, d = 0;
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  return supported<avx512vnni>() && (d >> 24 & 3U) == 3 && ask_for_amx();
}

#elif defined(__aarch64__)

template <>
[[nodiscard]] inline bool supported<neon>() noexcept {
  return true;
}
/// Also checks the mandatory features of ARMv8.1, whose atomics a compiler may use. Always false on
/// systems other than Linux.
template <>
[[nodiscard]] inline bool supported<dotprod>() noexcept {
#if defined(__linux__)
  constexpr unsigned long all = HWCAP_ASIMDDP | HWCAP_ATOMICS | HWCAP_ASIMDRDM | HWCAP_CRC32;
  return (getauxval(AT_HWCAP) & all) == all;
#else
  return false;
#endif
}
template <>
[[nodiscard]] inline bool supported<i8mm>() noexcept {
#if defined(__linux__)
  constexpr unsigned long bit = 1UL << 13;  // HWCAP2_I8MM, which older headers do not name
  return supported<dotprod>() && (getauxval(AT_HWCAP2) & bit) != 0;
#else
  return false;
#endif
}

#endif

/// Calls f<Isa>() for each instruction set of this architecture, fastest first, until one returns
/// true. Returns whether one did.
template <class F>
bool any_isa(F f) {
#if defined(__x86_64__)
  return f.template operator()<amx>() || f.template operator()<avx512vnni>() ||
         f.template operator()<avx512>() || f.template operator()<avxvnni>() ||
         f.template operator()<avx2>() || f.template operator()<sse4>() ||
         f.template operator()<sse2>() || f.template operator()<scalar>();
#elif defined(__aarch64__)
  return f.template operator()<i8mm>() || f.template operator()<dotprod>() ||
         f.template operator()<neon>() || f.template operator()<scalar>();
#else
  return f.template operator()<scalar>();
#endif
}

/// The same by name; false for an unknown name.
[[nodiscard]] inline bool supported(std::string_view name) noexcept {
  return any_isa([name]<class Isa>() { return Isa::name == name && supported<Isa>(); });
}

}  // namespace ctq::isa
