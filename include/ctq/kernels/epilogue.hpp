// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/core/qparams.hpp"
#include "ctq/kernels/quantizer.hpp"
#include "ctq/kernels/requantization.hpp"

// What becomes of the int32 sums of a convolution or a linear layer, composed of types:
//
//   epilogue{requantize_per_channel<std::uint8_t>{steps},
//            residual_add<std::uint8_t>{skip, conv_out, skip_qparams, out, true},
//            by_table<std::uint8_t>{hardswish}}
//
// An ending makes outputs of sums, which hold the bias already; stages work on 8-bit outputs, one
// after the other, before they are stored. What each means for one number is in
// reference/epilogue.hpp; a kernel with an epilogue gives what the ops give one by one.

namespace ctq::kernels {

/// 8-bit integers, with the multiplier of each channel that is packed with its weights.
template <quantized Q>
struct requantize_per_channel {
  using output = Q;
  output_steps to{};
};

template <class Ending>
inline constexpr bool is_per_channel = false;
template <quantized Q>
inline constexpr bool is_per_channel<requantize_per_channel<Q>> = true;

/// The same with one multiplier for all channels, which may be known at the last moment. What is
/// packed does not matter.
template <quantized Q>
struct requantize_per_tensor {
  using output = Q;
  float multiplier{};
  output_steps to{};
};

/// The sums as they are, modulo 2^32.
struct keep_sums {
  using output = std::int32_t;
};

/// What sums stand for: float(sum) * multiplier[channel], rounded once; with relu max(…, 0).
/// Units     packed multiplier: scale_in * scale_weight[channel]
struct dequantize_sums {
  using output = float;
  bool relu{};
};

/// Steps kept within [lo, hi]; relu: from the zero point on.
template <quantized Q>
struct clamp_steps {
  Q lo{};
  Q hi{};
};

/// The exact sum with a tensor of the output's shape: reference::add.
/// Requires  other does not overlap the output
template <quantized Q>
struct residual_add {
  const Q* other{};
  qparams from{};  // of what the stage gets
  qparams other_q{};
  qparams to{};
  bool relu{};
};

/// table[q], by the bits of q: any function of one number, as reference::make_table makes it.
template <quantized Q>
struct by_table {
  const Q* table{};  // 256
};

/// Stages, one after the other.
template <class... Stage>
struct stage_chain {};

template <class First, class... Next>
struct stage_chain<First, Next...> {
  First first;
  [[no_unique_address]] stage_chain<Next...> next;

  constexpr explicit stage_chain(const First& f, const Next&... n) : first(f), next(n...) {}
  /// Each stage made of one of another kind.
  template <class Other, class... Others>
  constexpr explicit stage_chain(const stage_chain<Other, Others...>& o)
      : first(o.first), next(o.next) {}
};

/// An ending and its stages.
template <class Ending, class... Stage>
struct epilogue {
  using output = typename Ending::output;

  Ending ending;
  [[no_unique_address]] stage_chain<Stage...> stages;

  constexpr explicit epilogue(const Ending& e, const Stage&... s) : ending(e), stages(s...) {}
};

}  // namespace ctq::kernels
