// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

// Numbers that belong to a machine, not to an instruction set, and where they were measured. They
// decide how fast kernels are, never what they compute.

namespace ctq::kernels::tuning {

/// Total bytes of the operands of an elementwise kernel from which on stores are non-temporal: more
/// than the caches of one core hold. Such stores avoid reading each cache line before it is
/// overwritten.
inline constexpr std::int64_t nontemporal_min_bytes = std::int64_t{32} << 20;

/// 4K aliasing: a load waits for an earlier store if their addresses, modulo `aliasing_page`, are
/// less than `aliasing_distance` apart. Zen 4, add, operands 48 bytes before the result: 64 Ki
/// elements take 4.7 us backwards and 6.2 forwards, 64 Mi take 7.7 ms and 13.4.
inline constexpr std::uintptr_t aliasing_page = 4096, aliasing_distance = 512;

/// Bytes of a matrix product's rows that one pass over the weights serves: what half of 1 MB of L2
/// holds, or less where panels of weights are large, since some of them are there, too. With all
/// rows in one pass, the rows would be loaded from L3 for each panel; with fewer, the weights would
/// be loaded too often (Zen 4, 2048^3, part of the peak: AVX512-VNNI 96 %, all rows 93 %; AVX2 94
/// %).
[[nodiscard]] constexpr std::int64_t bytes_of_pass(std::int64_t panel_bytes) {
  constexpr std::int64_t kb = 1024;
  return std::clamp(768 * kb - 4 * panel_bytes, 256 * kb, 512 * kb);
}

}  // namespace ctq::kernels::tuning
