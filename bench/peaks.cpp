// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peaks.hpp"

#include <cstring>
#include <memory>

#include "ctq/kernels/simd/conv2d.hpp"
#include "ctq/runtime/aligned_buffer.hpp"

namespace bench {

namespace {

using isa = ctq::isa::native;
namespace simd = ctq::kernels::simd;

using dot = simd::int8_dot<isa>;
using vec = dot::vec;

/// x is needed, whatever the compiler thinks.
template <class Vec>
[[gnu::always_inline]] inline Vec needed(Vec x) {
  if constexpr (std::is_class_v<Vec>) {
    return Vec(needed(static_cast<typename Vec::register_type>(x)));
  } else if constexpr (std::is_arithmetic_v<Vec>) {
    __asm__ volatile("" : "+r"(x));
    return x;
  } else {
#if defined(__aarch64__)
    __asm__ volatile("" : "+w"(x));
#else
    __asm__ volatile("" : "+v"(x));
#endif
    return x;
  }
}

constexpr int sums = 12;  // enough to hide the latency of any instruction set's dot product
constexpr int turns = 2000;

[[gnu::noinline]] void run_dots() {
  alignas(64) const unsigned char ones[256] = {1, 1, 1, 1};
  const vec a = dot::load(ones);
  const vec b = dot::load(ones + 64);
  vec acc[sums];
  for (vec& x : acc) x = a;
  for (int i = 0; i < turns; ++i) {
    simd::unroll<sums>([&](auto k) __attribute__((always_inline)) {
      acc[k] = needed(dot::dot(acc[k], a, b));
    });
  }
}

/// The widest register that can be loaded and stored; bytes of it.
struct line {
  unsigned char bytes[64];
};

template <int Read, int Written>
[[gnu::noinline]] void move(const unsigned char* from, unsigned char* to, std::size_t groups) {
  if constexpr (ctq::kernels::vectorized<isa>) {
    using bytes = ctq::kernels::batch<isa, std::uint8_t>;
    for (std::size_t i = 0; i < groups;
         ++i, from += Read * bytes::size, to += Written * bytes::size) {
      bytes x = bytes::load_unaligned(from);
      simd::unroll<Read - 1>([&](auto k) __attribute__((always_inline)) {
        x = x | bytes::load_unaligned(from + (k + 1) * bytes::size);
      });
      simd::unroll<Written>([&](auto k) __attribute__((always_inline)) {
        x.store_unaligned(to + k * bytes::size);
      });
    }
  } else {
    std::memmove(to, from, groups * (Read + Written) / 2);
  }
}

[[gnu::noinline]] void read_all(const unsigned char* from, std::size_t bytes) {
  constexpr int streams = 4;
  const std::size_t part = bytes / streams / sizeof(line) * sizeof(line);
  if constexpr (ctq::kernels::vectorized<isa>) {
    using wide = ctq::kernels::batch<isa, std::uint8_t>;
    wide seen[streams] = {wide(std::uint8_t{0}), wide(std::uint8_t{0}), wide(std::uint8_t{0}),
                          wide(std::uint8_t{0})};
    for (std::size_t i = 0; i < part; i += sizeof(line)) {
      simd::unroll<streams>([&](auto k) __attribute__((always_inline)) {
        simd::unroll<static_cast<int>(sizeof(line) / wide::size)>([&](
            auto j) __attribute__((always_inline)) {
          seen[k] = seen[k] | wide::load_unaligned(from + k * part + i + j * wide::size);
        });
      });
    }
    for (wide& x : seen) needed(x);
  } else {
    unsigned long seen = 0;
    for (std::size_t i = 0; i + sizeof seen <= bytes; i += sizeof seen) {
      unsigned long x;
      std::memcpy(&x, from + i, sizeof x);
      seen |= x;
    }
    needed(seen);
  }
}

std::shared_ptr<ctq::aligned_buffer> memory(std::size_t bytes) {
  return std::make_shared<ctq::aligned_buffer>(bytes);
}
unsigned char* bytes_of(ctq::aligned_buffer& b) {
  return reinterpret_cast<unsigned char*>(b.data());
}

}  // namespace

subject dot_peak(double& operations) {
  operations = 2.0 * turns * sums * dot::lanes * dot::k_group;
  return {"peak", run_dots, {}};
}

subject read_loop(std::size_t bytes) {
  const auto from = memory(bytes);
  return {"read", [from, bytes] { read_all(bytes_of(*from), bytes); }, {}};
}

subject copy_loop(std::size_t count, int read, int written) {
  const auto from = memory(count * static_cast<std::size_t>(read));
  const auto to = memory(count * static_cast<std::size_t>(written));
  const std::size_t width = [] {
    if constexpr (ctq::kernels::vectorized<isa>) {
      return ctq::kernels::batch<isa, std::uint8_t>::size;
    } else {
      return sizeof(line);
    }
  }();
  const std::size_t groups = count / width;
  auto run = [=](auto loop) {
    return subject{"copy", [=] { loop(bytes_of(*from), bytes_of(*to), groups); }, {}};
  };
  if (read == 4) return run(move<4, 1>);
  if (read == 2) return run(move<2, 1>);
  return run(move<1, 4>);
}

subject memcpy_loop(std::size_t bytes) {
  const auto from = memory(bytes / 2);
  const auto to = memory(bytes / 2);
  return {"memcpy",
          [=] {
            std::memcpy(to->data(), from->data(), bytes / 2);
            __asm__ volatile("" : : "r"(to->data()) : "memory");
          },
          {}};
}

}  // namespace bench
