// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/kernels/simd/register_conversions.hpp"
#include "ctq/kernels/tuning.hpp"
#include "ctq/kernels/xsimd.hpp"

// The loop of elementwise kernels: forwards or backwards, with normal or non-temporal stores.

namespace ctq::kernels::simd {

/// 4K aliasing: a load that follows a store to an address with the same last twelve bits waits for
/// it, because processors compare these bits first. Returns 1 if a forward loop over `in` and `out`
/// suffers from it, -1 if a backward loop does, 0 if neither (or if the element sizes differ, since
/// then the distance changes).
template <class T, class In>
[[nodiscard, gnu::always_inline]] inline int aliasing_4k(const T* out, const In* in) noexcept {
  constexpr std::uintptr_t page = tuning::aliasing_page, near = tuning::aliasing_distance;
  if (sizeof(T) != sizeof(In)) return 0;
  const auto ahead =
      (reinterpret_cast<std::uintptr_t>(out) - reinterpret_cast<std::uintptr_t>(in)) % page;
  return ahead == 0 ? 0 : ahead < near ? 1 : ahead > page - near ? -1 : 0;
}

/// Calls body(i) for i = first, first + Step, … < last, or in reverse order.
template <int Step, class Body>
[[gnu::always_inline]] inline void for_strided(int first, int last, bool backwards,
                                               Body body) noexcept {
  const int count = (last - first + Step - 1) / Step;
  const int by = backwards ? -Step : Step;
  int i = backwards ? first + (count - 1) * Step : first;
  for (int k = 0; k < count; ++k, i += by) body(i);
}

/// Computes out[0] … out[count - 1] from the same number of elements of each `in`. compute(i)
/// returns the register of results that starts at i; element(i) computes and stores a single one,
/// which is used if count is less than a register. The last register overlaps the one before, so
/// that nothing outside the operands is accessed. It is computed first, before its input can be
/// overwritten, so the kernel may work in place.
/// Requires  out is one of `in` or overlaps none of them
template <vectorized Isa, class T, class Compute, class Element, class... In>
[[gnu::always_inline]] inline void for_elements(int count, T* out, Compute compute, Element element,
                                                const In*... in) noexcept {
  using block = batch<Isa, T>;
  using convert = conversions<xsimd_arch<Isa>>;
  constexpr int step = static_cast<int>(block::size);
  if (count < step) {
    for (int i = 0; i < count; ++i) element(i);
    return;
  }
  const int last = count - step;
  const block end = compute(last);
  const bool backwards = (aliasing_4k(out, in) + ...) > 0;
  const bool in_place = ((static_cast<const void*>(out) == in) || ...);
  const std::int64_t bytes = std::int64_t{count} * static_cast<int>((sizeof(T) + ... + sizeof(In)));
  const auto past = reinterpret_cast<std::uintptr_t>(out) % (step * sizeof(T));
  if (bytes < tuning::nontemporal_min_bytes || in_place || past % sizeof(T) != 0) {
    for_strided<step>(
        0, last, backwards, [&](int i) __attribute__((always_inline)) {
          compute(i).store_unaligned(out + i);
        });
  } else {
    const int first = step - static_cast<int>(past / sizeof(T));  // the first aligned register
    compute(0).store_unaligned(out);
    for_strided<step>(
        first, last, backwards, [&](int i) __attribute__((always_inline)) {
          const block x = compute(i);
          convert::stream(out + i, static_cast<typename block::register_type>(x));
        });
    convert::stream_fence();
  }
  end.store_unaligned(out + last);
}

}  // namespace ctq::kernels::simd
