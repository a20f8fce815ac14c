// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/kernels/simd/store_first.hpp"

// The operations of the int8 kernels on an x86 register of any width. Intrinsics and vector
// operators, because xsimd has no widening multiply-add and no saturating narrowing, which dominate
// here.

namespace ctq::kernels::simd {

/// The type of a vector register of Bytes bytes with elements T, which has C++'s operators.
template <class T, std::size_t Bytes>
struct vector_of {
  using type [[gnu::vector_size(Bytes), gnu::may_alias]] = T;
};

/// What register128, register256 and register512 have in common. Register adds the intrinsics of
/// its width. Packing and interleaving work within each 128 bits.
template <class Register, std::size_t Bytes>
struct register_x86 {
  static constexpr int lanes = Bytes / 4;  // of 32 bits

  template <class T>
  using of = typename vector_of<T, Bytes>::type;
  using vec = of<long long>;  // __m128i, __m256i or __m512i
  using floats = of<float>;
  /// The same bits as elements of T.
  template <class T>
  [[gnu::always_inline]] static of<T> as(vec x) {
    return reinterpret_cast<of<T>>(x);
  }
  /// x in each element.
  template <class T>
  [[gnu::always_inline]] static vec each(T x) {
    return reinterpret_cast<vec>(of<T>{} + x);
  }

  [[gnu::always_inline]] static vec load(const void* p) {
    vec x;
    std::memcpy(&x, p, sizeof x);
    return x;
  }
  [[gnu::always_inline]] static void save(void* p, vec x) { std::memcpy(p, &x, sizeof x); }
  /// Four bytes, broadcast to each lane.
  [[gnu::always_inline]] static vec broadcast(const void* p) {
    std::int32_t word;
    std::memcpy(&word, p, sizeof word);
    return each(word);
  }
  /// x + 128 in each byte, which converts between int8 and uint8.
  [[gnu::always_inline]] static vec flip_signs(vec x) { return x ^ each<std::int8_t>(-128); }

  /// Every other byte, times 256, as 16-bit integers.
  [[gnu::always_inline]] static vec even(vec x) {
    return reinterpret_cast<vec>(as<std::uint16_t>(x) << 8);
  }
  [[gnu::always_inline]] static vec odd(vec x) { return x & each<std::int16_t>(-256); }
  /// The upper bytes of 16-bit integers: those of `even` in the even bytes of the result, those of
  /// `odd` in the odd ones.
  [[gnu::always_inline]] static vec interleave_upper_bytes(vec even, vec odd) {
    return reinterpret_cast<vec>(as<std::uint16_t>(even) >> 8) | register_x86::odd(odd);
  }

  /// rne(float(acc) * multiplier), one multiplier for each lane.
  [[gnu::always_inline]] static vec scale(vec acc, const float* multiplier) {
    floats m;
    std::memcpy(&m, multiplier, sizeof m);
    return Register::round(__builtin_convertvector(as<std::int32_t>(acc), floats) * m);
  }

  /// output_range in registers: as 16-bit integers and, for clamping, as bytes too.
  struct bounds {
    vec zero_point, lo, hi, lo8, hi8;
    bool full_range;  // the range of a byte, to which packing saturates

    [[gnu::always_inline]] explicit bounds(const output_range& to)
        : zero_point(each(static_cast<std::int16_t>(to.zero_point))),
          lo(each(static_cast<std::int16_t>(to.lo))),
          hi(each(static_cast<std::int16_t>(to.hi))),
          lo8(each(static_cast<std::int8_t>(to.lo))),
          hi8(each(static_cast<std::int8_t>(to.hi))),
          full_range(to.hi - to.lo == 255) {}
  };
  /// clamp(q + zero_point, lo, hi) of 16-bit integers. The saturation of the sum is covered by the
  /// clamp.
  [[gnu::always_inline]] static vec finish(vec q, vec zero_point, vec lo, vec hi) {
    return Register::min16(Register::max16(Register::add16(q, zero_point), lo), hi);
  }
  [[gnu::always_inline]] static vec finish(vec q, const bounds& to) {
    return finish(q, to.zero_point, to.lo, to.hi);
  }
  /// The same for two registers, narrowed to bytes.
  template <class Out>
  [[gnu::always_inline]] static vec finish(vec q0, vec q1, const bounds& to) {
    return clamp<Out>(saturate<Out>(q0, q1, to), to);
  }
  /// The same, without the clamp if the range is that of the type, for loops where a branch is
  /// cheap.
  template <class Out>
  [[gnu::always_inline]] static vec finish_or_saturate(vec q0, vec q1, const bounds& to) {
    return clamp_unless_full<Out>(saturate<Out>(q0, q1, to), to);
  }
  template <class Out>
  [[gnu::always_inline]] static vec clamp_unless_full(vec q, const bounds& to) {
    return to.full_range ? q : clamp<Out>(q, to);
  }

  /// Stores the first `count` bytes.
  template <class Out>
  [[gnu::always_inline]] static void write(vec bytes, Out* out, int count) {
    if (count == sizeof bytes) return save(out, bytes);
    store_first<sizeof bytes>(out, &bytes, count);
  }

 private:
  template <class Out>
  [[gnu::always_inline]] static vec saturate(vec q0, vec q1, const bounds& to) {
    return Register::template pack<Out>(Register::add16(q0, to.zero_point),
                                        Register::add16(q1, to.zero_point));
  }
  template <class Out>
  [[gnu::always_inline]] static vec clamp(vec q, const bounds& to) {
    return Register::template min8<Out>(Register::template max8<Out>(q, to.lo8), to.hi8);
  }
};

}  // namespace ctq::kernels::simd
