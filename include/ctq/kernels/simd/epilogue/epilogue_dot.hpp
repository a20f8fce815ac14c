// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/kernels/epilogue.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"
#include "ctq/kernels/simd/epilogue/epilogue_stages.hpp"
#include "ctq/kernels/simd/matrix/accumulator_rows.hpp"
#include "ctq/kernels/simd/matrix/tile_arch.hpp"
#include "ctq/kernels/simd/unroll.hpp"

// A dot_arch or a tile_arch whose store does more: the cores know nothing of epilogues. Steps are
// made as without an epilogue, a row or a tile of them, in memory that stays in L1; the stages work
// from there.

namespace ctq::kernels::simd {

/// An epilogue with what it needs once a call.
template <class Ending, class... Stage>
struct ready_epilogue {
  using output = typename Ending::output;

  Ending ending;
  ready_stages<Stage...> stages;
  output* out;  // where the output begins: what is stored there has index 0

  constexpr ready_epilogue(const epilogue<Ending, Stage...>& e, output* to)
      : ending(e.ending), stages(e.stages), out(to) {}

  /// As sums become bytes.
  [[nodiscard]] constexpr output_steps steps() const {
    if constexpr (quantized<output>) {
      return ending.to;
    } else {
      return {};
    }
  }
};

/// The multipliers of a row: those that are packed, or the one of all channels.
template <int Width>
class multipliers {
 public:
  template <class Q>
  [[gnu::always_inline]] multipliers(const requantize_per_channel<Q>&, const float* packed)
      : data_(packed) {}
  template <class Q>
  [[gnu::always_inline]] multipliers(const requantize_per_tensor<Q>& e, const float*)
      : data_(same_) {
    for (float& m : same_) m = e.multiplier;
  }
  multipliers(const multipliers&) = delete;
  multipliers& operator=(const multipliers&) = delete;

  [[nodiscard, gnu::always_inline]] const float* data() const { return data_; }

 private:
  alignas(64) float same_[Width];
  const float* data_;
};

/// A dot_arch that ends with an epilogue.
template <class Isa, class Dot, class Ending, class... Stage>
struct epilogue_dot : Dot {
  using typename Dot::vec;
  using output = typename Ending::output;
  using to_type = ready_epilogue<Ending, Stage...>;
  using one_place = typename in_one_place<Dot>::type;

  struct ends {
    decltype(Dot::prepared(output_steps{})) steps;
    const to_type* to;
  };
  [[gnu::always_inline]] static ends prepared(const to_type& to) {
    return {Dot::prepared(to.steps()), &to};
  }

  /// The sums of a tile, M pixels that are `stride` apart.
  template <int M, int N>
  [[gnu::always_inline]] static void store_tile(const vec (&acc)[M][N], const float* multiplier,
                                                const ends& to, output* out, std::ptrdiff_t stride,
                                                int count) {
    constexpr int width = N * Dot::lanes;
    if constexpr (quantized<output>) {
      const multipliers<width> m(to.to->ending, multiplier);
      alignas(64) output rows[M][width];
      unroll<M>([&](auto i) __attribute__((always_inline)) {
        Dot::store(acc[i], m.data(), to.steps, rows[i], width);
      });
      finish_rows<Isa, width>(to.to->stages, rows[0], M, out - to.to->out, to.to->out, stride,
                              count);
    } else {
      alignas(64) std::int32_t sums[M][width];
      static_assert(sizeof sums == sizeof acc);
      std::memcpy(sums, acc, sizeof sums);
      end_rows<Isa, Dot, N>(to.to->ending, sums[0], M, multiplier, out, stride, count);
    }
  }
  template <int N>
  [[gnu::always_inline]] static void store(const vec (&acc)[N], const float* multiplier,
                                           const ends& to, output* out, int count) {
    vec tile[1][N];
    unroll<N>([&](auto v) __attribute__((always_inline)) { tile[0][v] = acc[v]; });
    store_tile(tile, multiplier, to, out, 0, count);
  }
  /// The same of two places, all channels.
  template <int N>
  [[gnu::always_inline]] static void store(const vec (&acc)[N], const float* multiplier,
                                           const ends& to, two_pointers<output> out, int) {
    constexpr int width = N * Dot::lanes;
    if constexpr (quantized<output>) {
      const multipliers<width> m(to.to->ending, multiplier);
      alignas(64) output row[width];
      one_place::store(acc, m.data(), to.steps, row, width);
      finish<width>(to, row, out);
    } else {
      alignas(64) std::int32_t sums[width];
      static_assert(sizeof sums == sizeof acc);
      std::memcpy(sums, acc, sizeof sums);
      output row[width];
      end_rows<Isa, one_place, N>(to.to->ending, sums, 1, multiplier, row, 0, width);
      std::memcpy(out.first, row, sizeof row / 2);
      std::memcpy(out.second(), row + width / 2, sizeof row / 2);
    }
  }

  /// Half of a block's sums. Only those that become bytes with the multipliers at hand are done
  /// with now.
  template <int N>
  struct kept_sums {
    vec acc[N];
    const float* multiplier;
  };
  template <int N>
  [[gnu::always_inline]] static auto half(const vec (&acc)[N], const float* multiplier) {
    if constexpr (is_per_channel<Ending>) {
      return Dot::half(acc, multiplier);
    } else {
      kept_sums<N> kept;
      unroll<N>([&](auto v) __attribute__((always_inline)) { kept.acc[v] = acc[v]; });
      kept.multiplier = multiplier;
      return kept;
    }
  }
  /// Out: output*, or two_pointers if there are two places
  template <int N, class Half, class Out>
  [[gnu::always_inline]] static void store_halves(const Half& first, const Half& second,
                                                  const ends& to, Out out) {
    constexpr int width = 2 * N * Dot::lanes;
    if constexpr (is_per_channel<Ending>) {
      alignas(64) output row[width];
      one_place::template store_halves<N>(first, second, to.steps, row);
      finish<width>(to, row, out);
    } else {
      vec acc[2 * N];
      unroll<N>([&](auto v) __attribute__((always_inline)) {
        acc[v] = first.acc[v];
        acc[N + v] = second.acc[v];
      });
      store(acc, first.multiplier, to, out, width);
    }
  }

 private:
  /// A row of outputs that came from one register, on their way to one place or to two.
  template <int Width>
  [[gnu::always_inline]] static void finish(const ends& to, const output* row, output* out) {
    finish_rows<Isa, Width>(to.to->stages, row, 1, out - to.to->out, to.to->out, 0, Width);
  }
  template <int Width>
  [[gnu::always_inline]] static void finish(const ends& to, const output* row,
                                            two_pointers<output> out) {
    finish_rows<Isa, Width / 2>(to.to->stages, row, 2, out.first - to.to->out, to.to->out,
                                out.apart, Width / 2);
  }
};

/// A tile_arch that ends with an epilogue.
template <class Isa, class Tile, class Ending, class... Stage>
class epilogue_tile : public Tile {
 public:
  using output = typename Ending::output;
  using to_type = ready_epilogue<Ending, Stage...>;
  using Tile::Tile;

  struct bounds {
    typename Tile::bounds steps;
    const to_type* to;

    [[gnu::always_inline]] explicit bounds(const to_type& e) : steps(e.steps()), to(&e) {}
  };

  template <int N>
  class requantizer {
    static constexpr int width = N * tile_format::lanes;

   public:
    [[gnu::always_inline]] requantizer(const float* multipliers, int channels)
        : multipliers_(multipliers), channels_(channels) {}

    [[gnu::always_inline]] void operator()(const std::int32_t* sums, const bounds& to,
                                           output* out) const {
      if constexpr (quantized<output>) {
        const multipliers<width> m(to.to->ending, multipliers_);
        alignas(64) output row[width];
        typename Tile::template requantizer<N>(m.data(), width)(sums, to.steps, row);
        finish_rows<Isa, width>(to.to->stages, row, 1, out - to.to->out, to.to->out, 0, channels_);
      } else {
        end_rows<Isa, tile_format, N>(to.to->ending, sums, 1, multipliers_, out, 0, channels_);
      }
    }

   private:
    const float* multipliers_;
    int channels_;
  };
};

template <class Isa, class Dot, class Ending, class... Stage>
struct ending_in<Isa, Dot, ready_epilogue<Ending, Stage...>> {
  using model = epilogue_dot<Isa, Dot, Ending, Stage...>;
};
template <class Isa, tile_arch Tile, class Ending, class... Stage>
struct ending_in<Isa, Tile, ready_epilogue<Ending, Stage...>> {
  using model = epilogue_tile<Isa, Tile, Ending, Stage...>;
};

template <class Isa, class Dot, class Ending, class... Stage>
struct wider<epilogue_dot<Isa, Dot, Ending, Stage...>> {
  using type = epilogue_dot<Isa, wide_dot_of<Dot>, Ending, Stage...>;
};

/// Stages work on rows of wide registers, but panels are cut as they were packed.
template <class Isa, class Dot, class Ending, class... Stage>
inline constexpr int narrow_lanes<epilogue_dot<Isa, Dot, Ending, Stage...>> = narrow_lanes<Dot>;

}  // namespace ctq::kernels::simd
