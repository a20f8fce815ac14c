// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peaks.hpp"

#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "ctq/kernels/simd/arch/tile_amx.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "ctq/kernels/simd/elementwise/requantize.hpp"
#include "ctq/runtime/aligned_buffer.hpp"

namespace bench {

namespace {

using isa = ctq::isa::native;
namespace simd = ctq::kernels::simd;

using dot = simd::int8_dot<isa>;

/// Prevents the compiler from optimizing x away.
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

constexpr int sums = 2 * dot::tile_rows;  // as many as the kernels have in registers
constexpr int turns = 1000;

/// As in the kernels: in pairs, each with its broadcast, where the instruction set has a special
/// order.
template <class Dot, int... k>
[[gnu::noinline]] void run_dots(std::integer_sequence<int, k...>) {
  using vec = typename Dot::vec;
  alignas(64) static const unsigned char ones[192] = {1, 1, 1, 1};
  const auto* const next = reinterpret_cast<const typename Dot::element*>(ones);
  vec a = Dot::load(ones);
  const vec b[] = {needed(Dot::load(ones + 64)), needed(Dot::load(ones + 128))};
  vec acc[sizeof...(k)][2];
  ((acc[k][0] = acc[k][1] = a), ...);
  for (int i = 0; i < turns; ++i) {
    if constexpr (simd::dots_in_pairs<Dot>) {
      (Dot::template dot_pair<true>(acc[k], a, b, next), ...);
    } else {
      const auto pair = [&](vec & first, vec & second) __attribute__((always_inline)) {
        first = needed(Dot::dot(first, a, b[0]));
        second = needed(Dot::dot(second, a, b[1]));
        a = needed(a);  // another one: its products are not those of the last turn
      };
      (pair(acc[k][0], acc[k][1]), ...);
    }
  }
  ((needed(acc[k][0]), needed(acc[k][1])), ...);
}

/// Four alternating accumulators hide the latency of a tile's dot product.
template <class Isa>
[[gnu::noinline]] void run_tile_dots() {
  if constexpr (simd::has_tiles<Isa>) {
    constexpr std::uint8_t bytes = 64, rows = 16;
    simd::int8_tile<Isa> tile({{rows, rows, rows, rows, rows, rows, rows, rows},
                               {bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes}});
    alignas(64) static const unsigned char zeros[bytes]{};
    ctq::unroll<8>([&](auto k) __attribute__((always_inline)) { tile.template load<k>(zeros, 0); });
    for (int i = 0; i < turns; ++i) {
      tile.template dot<0, 4, 6, std::uint8_t>();
      tile.template dot<1, 4, 7, std::uint8_t>();
      tile.template dot<2, 5, 6, std::uint8_t>();
      tile.template dot<3, 5, 7, std::uint8_t>();
    }
  }
}

constexpr int sums_at_once = 2048;

/// The bytes of the widest register that can be loaded and stored.
struct line {
  unsigned char bytes[64];
};

template <class Isa>
constexpr std::size_t register_bytes() {
  if constexpr (ctq::kernels::vectorized<Isa>) {
    return ctq::kernels::batch<Isa, std::uint8_t>::size;
  } else {
    return sizeof(line);
  }
}

/// Reads Read bytes of one operand, or one byte of each of two, and writes Written bytes.
template <class Isa, int Read, int Written>
[[gnu::noinline]] void move(const unsigned char* from, const unsigned char* second,
                            unsigned char* to, std::size_t groups) {
  if constexpr (ctq::kernels::vectorized<Isa>) {
    using bytes = ctq::kernels::batch<Isa, std::uint8_t>;
    for (std::size_t i = 0; i < groups;
         ++i, from += Read * bytes::size, to += Written * bytes::size) {
      bytes x = bytes::load_unaligned(from);
      if (second != nullptr) x = x | bytes::load_unaligned(second + i * bytes::size);
      ctq::unroll<Read - 1>([&](auto k) __attribute__((always_inline)) {
        x = x | bytes::load_unaligned(from + (k + 1) * bytes::size);
      });
      ctq::unroll<Written>([&](auto k) __attribute__((always_inline)) {
        x.store_unaligned(to + k * bytes::size);
      });
    }
  } else {
    for (std::size_t i = 0; i < groups; ++i, from += Read * sizeof(line)) {
      line x{};
      for (std::size_t k = 0; k < Read; ++k)
        for (std::size_t j = 0; j < sizeof x; ++j) x.bytes[j] |= from[k * sizeof x + j];
      if (second != nullptr)
        for (std::size_t j = 0; j < sizeof x; ++j) x.bytes[j] |= second[i * sizeof x + j];
      for (int k = 0; k < Written; ++k, to += sizeof x) std::memcpy(to, x.bytes, sizeof x);
    }
  }
}

template <class Isa>
[[gnu::noinline]] void read_all(const unsigned char* from, std::size_t bytes) {
  constexpr int streams = 4;
  const std::size_t part = bytes / streams / sizeof(line) * sizeof(line);
  if constexpr (ctq::kernels::vectorized<Isa>) {
    using wide = ctq::kernels::batch<Isa, std::uint8_t>;
    wide seen[streams] = {wide(std::uint8_t{0}), wide(std::uint8_t{0}), wide(std::uint8_t{0}),
                          wide(std::uint8_t{0})};
    for (std::size_t i = 0; i < part; i += sizeof(line)) {
      ctq::unroll<streams>([&](auto k) __attribute__((always_inline)) {
        ctq::unroll<static_cast<int>(sizeof(line) / wide::size)>([&](
            auto j) __attribute__((always_inline)) {
          seen[k] = seen[k] | wide::load_unaligned(from + k * part + i + j * wide::size);
        });
      });
    }
    for (std::size_t i = streams * part; i + wide::size <= bytes; i += wide::size) {
      seen[0] = seen[0] | wide::load_unaligned(from + i);
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

/// Reads and writes as many registers as there are, evenly.
template <class Isa>
[[gnu::noinline]] void move_all(const unsigned char* from, std::size_t read, unsigned char* to,
                                std::size_t written) {
  constexpr std::size_t width = register_bytes<Isa>();
  const std::size_t reads = read / width, writes = written / width;
  if (reads >= writes && reads % writes == 0) {
    switch (reads / writes) {
      case 1: return move<Isa, 1, 1>(from, nullptr, to, writes);
      case 2: return move<Isa, 2, 1>(from, nullptr, to, writes);
      case 4: return move<Isa, 4, 1>(from, nullptr, to, writes);
      default: break;
    }
  }
  if (writes > reads && writes % reads == 0) {
    switch (writes / reads) {
      case 2: return move<Isa, 1, 2>(from, nullptr, to, reads);
      case 4: return move<Isa, 1, 4>(from, nullptr, to, reads);
      case 8: return move<Isa, 1, 8>(from, nullptr, to, reads);
      default: break;
    }
  }
  if (reads >= writes) {
    read_all<Isa>(from, read - written);
    move<Isa, 1, 1>(from + (read - written), nullptr, to, writes);
  } else {
    move<Isa, 1, 1>(from, nullptr, to, reads);
    std::memset(to + read, 0, written - read);
  }
}

std::shared_ptr<ctq::aligned_buffer> memory(std::size_t bytes) {
  return std::make_shared<ctq::aligned_buffer>(bytes);
}
unsigned char* bytes_of(ctq::aligned_buffer& b) {
  return reinterpret_cast<unsigned char*>(b.data());
}

///   has_tiles  whether tiles can compute it, if there are any
subject dot_peak(bench_case& in, bool has_tiles) {
  if (simd::has_tiles<isa> && has_tiles) {
    using tile = simd::tile_format;
    in.beside = true;
    in.peak_work = 2.0 * turns * 4 * tile::rows * tile::lanes * tile::row_bytes;
    return {"peak", run_tile_dots<isa>, {}};
  }
  in.peak_work = 2.0 * turns * sums * dot::lanes * dot::k_group;
  return {"peak", [] { run_dots<dot>(std::make_integer_sequence<int, dot::tile_rows>{}); }, {}};
}

}  // namespace

subject dot_peak(const layer& of, bench_case& in) {
  const ctq::conv2d_shape& s = of.shape;
  const int row = (s.depthwise() ? s.kernel_h : 1) * s.kernel_w * s.in_group();  // products
  const int filled = (row + dot::k_group - 1) / dot::k_group * dot::k_group;
  in.dots = in.work * filled / row;
  return dot_peak(in, s.groups == 1);
}

subject dot_peak(double products, bench_case& in) {
  in.dots = 2.0 * products;
  return dot_peak(in, true);
}

subject epilogue_loop(const layer& of, bench_case& in) {
  in.epilogues = static_cast<double>(of.outputs()) / sums_at_once;
  const auto from = memory(sums_at_once * sizeof(std::int32_t));
  const auto to = memory(sums_at_once);
  return {"epilogue",
          [from, to] {
            simd::requantize<isa>({sums_at_once},
                                  reinterpret_cast<const std::int32_t*>(from->data()), 1.0F,
                                  {layer::zero_point_out, 0, 255}, bytes_of(*to));
          },
          {}};
}

subject read_loop(std::span<const std::byte> bytes) {
  const auto* const from = reinterpret_cast<const unsigned char*>(bytes.data());
  return {"read", [from, n = bytes.size()] { read_all<isa>(from, n); }, {}};
}

subject copy_loop(const elementwise& of) {
  const std::size_t groups = static_cast<std::size_t>(of.count) / register_bytes<isa>();
  const auto run = [&](auto loop) {
    const unsigned char* const second = of.more_bytes.empty() ? nullptr : of.more_bytes.data();
    return subject{"copy",
                   [&of, second, groups, loop] {
                     loop(static_cast<const unsigned char*>(of.in()), second,
                          reinterpret_cast<unsigned char*>(of.result()), groups);
                   },
                   {}};
  };
  if (of.read() == 4 && of.written() == 4) return run(move<isa, 4, 4>);
  if (of.read() == 4) return run(move<isa, 4, 1>);
  if (of.read() == 2) return run(move<isa, 1, 1>);
  return run(move<isa, 1, 4>);
}

subject copy_loop(const op& of) {
  const std::span<const std::byte> in = of.read();
  return {"copy",
          [&of, in] {
            move_all<isa>(reinterpret_cast<const unsigned char*>(in.data()), in.size(),
                          reinterpret_cast<unsigned char*>(of.result()), of.written());
          },
          {}};
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
