// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>

#include "elementwise.hpp"
#include "layer.hpp"
#include "op.hpp"
#include "subject.hpp"

// Limits of the machine, measured together with the kernels, since the clock frequency depends on
// the load.

namespace bench {

/// Dot products of the instruction set in use, on registers only: of vectors, or of tiles if
/// available and usable by the layer. Sets the case's parameters of the peak.
[[nodiscard]] subject dot_peak(const layer& of, bench_case& in);
/// The same for an op with this many products.
[[nodiscard]] subject dot_peak(double products, bench_case& in);
/// Requantization of accumulators in the L1 cache.
[[nodiscard]] subject epilogue_loop(const layer& of, bench_case& in);
/// Reads that many bytes once, in several streams for maximum bandwidth.
[[nodiscard]] subject read_loop(std::span<const std::byte> bytes);
/// Reads and writes the same bytes as an elementwise kernel, one register at a time.
[[nodiscard]] subject copy_loop(const elementwise& of);
/// The same for an op: all of its inputs are read, or of an embedding the rows.
[[nodiscard]] subject copy_loop(const op& of);
/// memcpy of half of the bytes that such a kernel transfers, in separate memory.
[[nodiscard]] subject memcpy_loop(std::size_t bytes);

}  // namespace bench
