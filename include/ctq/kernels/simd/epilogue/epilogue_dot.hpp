// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/core/unroll.hpp"
#include "ctq/kernels/epilogue.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"
#include "ctq/kernels/simd/epilogue/post_ops.hpp"
#include "ctq/kernels/simd/matrix/accumulator_rows.hpp"
#include "ctq/kernels/simd/matrix/tile_arch.hpp"

// A dot_arch or tile_arch whose store applies an epilogue, so that the convolution cores need not
// know about epilogues. It requantizes a row or a tile to a buffer that stays in L1, as without an
// epilogue, and applies the post-ops to that buffer.

namespace ctq::kernels::simd {

/// An epilogue with its constants, precomputed once per call.
template <class OutputOp, class... PostOp>
struct prepared_epilogue {
  using output = typename OutputOp::output;

  OutputOp output_op;
  prepared_post_ops<PostOp...> post_ops;
  output* out;  // the first output, which has index 0

  constexpr prepared_epilogue(const epilogue<OutputOp, PostOp...>& e, output* to)
      : output_op(e.output_op), post_ops(e.post_ops), out(to) {}

  /// The output range for requantization; unused for other output types.
  [[nodiscard]] constexpr output_range range() const {
    if constexpr (quantized<output>) {
      return output_op.to;
    } else {
      return {};
    }
  }
};

/// A dot_arch that stores through an epilogue.
template <class Isa, class Dot, class OutputOp, class... PostOp>
struct epilogue_dot : Dot {
  using typename Dot::vec;
  using output = typename OutputOp::output;
  using to_type = prepared_epilogue<OutputOp, PostOp...>;
  using one_row = typename one_row_dot<Dot>::type;

  struct store_params {
    decltype(Dot::store_constants(output_range{})) range;
    const to_type* to;
  };
  [[gnu::always_inline]] static store_params store_constants(const to_type& to) {
    return {Dot::store_constants(to.range()), &to};
  }

  /// Stores the accumulators of a tile: M pixels, `stride` outputs apart.
  template <int M, int N>
  [[gnu::always_inline]] static void store_tile(const vec (&acc)[M][N], const float* multiplier,
                                                const store_params& to, output* out,
                                                std::ptrdiff_t stride, int count) {
    constexpr int width = N * Dot::lanes;
    if constexpr (quantized<output>) {
      alignas(64) output rows[M][width];
      unroll<M>([&](auto i) __attribute__((always_inline)) {
        Dot::store(acc[i], multiplier, to.range, rows[i], width);
      });
      apply_and_store_rows<Isa, width>(to.to->post_ops, rows[0], M, out - to.to->out, to.to->out,
                                       stride, count);
    } else {
      alignas(64) std::int32_t sums[M][width];
      static_assert(sizeof sums == sizeof acc);
      std::memcpy(sums, acc, sizeof sums);
      store_accumulator_rows<Isa, Dot, N>(sums[0], M, out, stride, count);
    }
  }
  template <int N>
  [[gnu::always_inline]] static void store(const vec (&acc)[N], const float* multiplier,
                                           const store_params& to, output* out, int count) {
    vec tile[1][N];
    unroll<N>([&](auto v) __attribute__((always_inline)) { tile[0][v] = acc[v]; });
    store_tile(tile, multiplier, to, out, 0, count);
  }
  /// The same for two output rows (see two_row_dot), all channels.
  template <int N>
  [[gnu::always_inline]] static void store(const vec (&acc)[N], const float* multiplier,
                                           const store_params& to, two_row_pointer<output> out,
                                           int) {
    constexpr int width = N * Dot::lanes;
    if constexpr (quantized<output>) {
      alignas(64) output row[width];
      one_row::store(acc, multiplier, to.range, row, width);
      finish<width>(to, row, out);
    } else {
      alignas(64) std::int32_t sums[width];
      static_assert(sizeof sums == sizeof acc);
      std::memcpy(sums, acc, sizeof sums);
      output row[width];
      store_accumulator_rows<Isa, one_row, N>(sums, 1, row, 0, width);
      std::memcpy(out.first, row, sizeof row / 2);
      std::memcpy(out.second(), row + width / 2, sizeof row / 2);
    }
  }

  /// Half of a block. Accumulators that are to be requantized are requantized at once; others are
  /// kept until both halves are computed.
  template <int N>
  struct kept_accumulators {
    vec acc[N];
  };
  template <int N>
  [[gnu::always_inline]] static auto half(const vec (&acc)[N], const float* multiplier) {
    if constexpr (quantized<output>) {
      return Dot::half(acc, multiplier);
    } else {
      kept_accumulators<N> kept;
      unroll<N>([&](auto v) __attribute__((always_inline)) { kept.acc[v] = acc[v]; });
      return kept;
    }
  }
  /// Out: output*, or two_row_pointer for two output rows
  template <int N, class Half, class Out>
  [[gnu::always_inline]] static void store_halves(const Half& first, const Half& second,
                                                  const store_params& to, Out out) {
    constexpr int width = 2 * N * Dot::lanes;
    if constexpr (quantized<output>) {
      alignas(64) output row[width];
      one_row::template store_halves<N>(first, second, to.range, row);
      finish<width>(to, row, out);
    } else {
      vec acc[2 * N];
      unroll<N>([&](auto v) __attribute__((always_inline)) {
        acc[v] = first.acc[v];
        acc[N + v] = second.acc[v];
      });
      store(acc, nullptr, to, out, width);
    }
  }

 private:
  /// Applies the post-ops to a row of outputs and stores it, to one output row or to two.
  template <int Width>
  [[gnu::always_inline]] static void finish(const store_params& to, const output* row,
                                            output* out) {
    apply_and_store_rows<Isa, Width>(to.to->post_ops, row, 1, out - to.to->out, to.to->out, 0,
                                     Width);
  }
  template <int Width>
  [[gnu::always_inline]] static void finish(const store_params& to, const output* row,
                                            two_row_pointer<output> out) {
    apply_and_store_rows<Isa, Width / 2>(to.to->post_ops, row, 2, out.first - to.to->out,
                                         to.to->out, out.apart, Width / 2);
  }
};

/// A tile_arch that stores through an epilogue.
template <class Isa, class Tile, class OutputOp, class... PostOp>
class epilogue_tile : public Tile {
 public:
  using output = typename OutputOp::output;
  using to_type = prepared_epilogue<OutputOp, PostOp...>;
  using Tile::Tile;

  struct bounds {
    typename Tile::bounds range;
    const to_type* to;

    [[gnu::always_inline]] explicit bounds(const to_type& e) : range(e.range()), to(&e) {}
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
        alignas(64) output row[width];
        typename Tile::template requantizer<N>(multipliers_, width)(sums, to.range, row);
        apply_and_store_rows<Isa, width>(to.to->post_ops, row, 1, out - to.to->out, to.to->out, 0,
                                         channels_);
      } else {
        store_accumulator_rows<Isa, tile_format, N>(sums, 1, out, 0, channels_);
      }
    }

   private:
    const float* multipliers_;
    int channels_;
  };
};

template <class Isa, class Dot, class OutputOp, class... PostOp>
struct dot_with_epilogue<Isa, Dot, prepared_epilogue<OutputOp, PostOp...>> {
  using model = epilogue_dot<Isa, Dot, OutputOp, PostOp...>;
};
template <class Isa, tile_arch Tile, class OutputOp, class... PostOp>
struct dot_with_epilogue<Isa, Tile, prepared_epilogue<OutputOp, PostOp...>> {
  using model = epilogue_tile<Isa, Tile, OutputOp, PostOp...>;
};

template <class Isa, class Dot, class OutputOp, class... PostOp>
struct wider<epilogue_dot<Isa, Dot, OutputOp, PostOp...>> {
  using type = epilogue_dot<Isa, wide_dot_of<Dot>, OutputOp, PostOp...>;
};

/// Post-ops work on rows of wide registers, but panels are divided as they were packed.
template <class Isa, class Dot, class OutputOp, class... PostOp>
inline constexpr int narrow_lanes<epilogue_dot<Isa, Dot, OutputOp, PostOp...>> = narrow_lanes<Dot>;

}  // namespace ctq::kernels::simd
