// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/kernels/compat.hpp"
#include "ctq/kernels/simd/convert.hpp"

// The way of kernels that work element by element through their operands: forwards or backwards,
// through the caches or around them.

namespace ctq::kernels::simd {

/// Operands that pass by once, larger than the caches of one core: there stores go around them,
/// which spares memory the read of each line that is written.
inline constexpr std::int64_t beyond_caches = std::int64_t{32} << 20;

/// 1 if forwards, -1 if backwards loads from `in` would come right after stores to `out` at the
/// same place in another page. Processors compare the last twelve bits of addresses first, and such
/// a load waits for a store that it has nothing to do with. (Zen 4, add, operands 48 bytes before
/// the result: of 64 Ki backwards 4.7 us and forwards 6.2, of 64 Mi 7.7 ms and 13.4.) Of elements
/// that differ in size the distance changes on the way.
template <class T, class In>
[[nodiscard, gnu::always_inline]] inline int store_is_near(const T* out, const In* in) noexcept {
  constexpr std::uintptr_t page = 4096, near = 512;
  if (sizeof(T) != sizeof(In)) return 0;
  const auto ahead =
      (reinterpret_cast<std::uintptr_t>(out) - reinterpret_cast<std::uintptr_t>(in)) % page;
  return ahead == 0 ? 0 : ahead < near ? 1 : ahead > page - near ? -1 : 0;
}

/// body(i) for first, first + Step, … < last, or the other way round.
template <int Step, class Body>
[[gnu::always_inline]] inline void for_steps(int first, int last, bool backwards,
                                             Body body) noexcept {
  const int count = (last - first + Step - 1) / Step;
  const int by = backwards ? -Step : Step;
  int i = backwards ? first + (count - 1) * Step : first;
  for (int k = 0; k < count; ++k, i += by) body(i);
}

/// Results out[0] … out[count - 1] from as many elements at each of `in`. compute(i) gives the
/// register of them that starts at i, element(i) writes one: that is for fewer than a register.
/// The last register is moved back so that it ends with the operand: nothing outside is touched.
/// It is computed first, before its input is overwritten, which makes work in place safe.
/// Requires  out is one of `in` or overlaps with none
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
  const bool backwards = (store_is_near(out, in) + ...) > 0;
  const bool in_place = ((static_cast<const void*>(out) == in) || ...);
  const std::int64_t bytes = std::int64_t{count} * static_cast<int>((sizeof(T) + ... + sizeof(In)));
  const auto past = reinterpret_cast<std::uintptr_t>(out) % (step * sizeof(T));
  if (bytes < beyond_caches || in_place || past % sizeof(T) != 0) {
    for_steps<step>(
        0, last, backwards, [&](int i) __attribute__((always_inline)) {
          compute(i).store_unaligned(out + i);
        });
  } else {
    const int first = step - static_cast<int>(past / sizeof(T));  // that starts on its alignment
    compute(0).store_unaligned(out);
    for_steps<step>(
        first, last, backwards, [&](int i) __attribute__((always_inline)) {
          const block x = compute(i);
          convert::stream(out + i, static_cast<typename block::register_type>(x));
        });
    convert::streamed();
  }
  end.store_unaligned(out + last);
}

}  // namespace ctq::kernels::simd
