// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/core/qparams.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/kernels/quantizer.hpp"

// Epilogues of convolution and linear: what is done with the int32 accumulators, composed of types:
//
//   epilogue{requantize_per_channel<std::uint8_t>{range},
//            residual_add<std::uint8_t>{skip, conv_out, skip_qparams, out, true},
//            lookup_table<std::uint8_t>{table}}
//
// The output op converts accumulators, bias included, to outputs. Post-ops are then applied in
// order to the 8-bit outputs. reference/epilogue.hpp defines each for a single value. A kernel with
// an epilogue gives the same bytes as the separate ops.

namespace ctq::kernels {

/// Output op: requantizes to 8-bit integers with a multiplier per channel, packed with the weights.
template <quantized Q>
struct requantize_per_channel {
  using output = Q;
  output_range to{};
};

/// Output op: stores the int32 accumulators, modulo 2^32.
struct store_accumulators {
  using output = std::int32_t;
};

/// Post-op: adds a tensor of the output's shape, as reference::binary_add.
/// Requires  other does not overlap the output
template <quantized Q>
struct residual_add {
  const Q* other{};
  qparams from{};  // of the post-op's input
  qparams other_q{};
  qparams to{};
  bool relu{};
};

/// Post-op: table[q], indexed by the bits of q; any elementwise function (see
/// reference::make_table).
template <quantized Q>
struct lookup_table {
  const Q* table{};  // 256
};

/// Post-ops, applied in order.
template <class... PostOp>
struct post_op_chain {};

template <class First, class... Next>
struct post_op_chain<First, Next...> {
  First first;
  [[no_unique_address]] post_op_chain<Next...> next;

  constexpr explicit post_op_chain(const First& f, const Next&... n) : first(f), next(n...) {}
  /// Constructs each post-op from the corresponding one of another chain.
  template <class Other, class... Others>
  constexpr explicit post_op_chain(const post_op_chain<Other, Others...>& o)
      : first(o.first), next(o.next) {}
};

/// An output op and its post-ops.
template <class OutputOp, class... PostOp>
struct epilogue {
  using output = typename OutputOp::output;

  OutputOp output_op;
  [[no_unique_address]] post_op_chain<PostOp...> post_ops;

  constexpr explicit epilogue(const OutputOp& e, const PostOp&... s)
      : output_op(e), post_ops(s...) {}
};

}  // namespace ctq::kernels
