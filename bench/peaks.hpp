// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>

#include "elementwise.hpp"
#include "layer.hpp"
#include "subject.hpp"

// What the machine can do, measured beside the kernels, since its clock changes with its load.

namespace bench {

/// Dot products of the instruction set in use, on registers alone: of vectors, or of tiles where a
/// `layer` may use them and there are any. Sets what the case has to know of them.
[[nodiscard]] subject dot_peak(const layer& of, bench_case& in);
/// Sums, in the nearest cache, that become outputs.
[[nodiscard]] subject epilogue_loop(const layer& of, bench_case& in);
/// Reads so many bytes once, in as many streams as memory wants.
[[nodiscard]] subject read_loop(std::span<const std::byte> bytes);
/// Reads and writes what an elementwise kernel does, a register at a time.
[[nodiscard]] subject copy_loop(const elementwise& of);
/// memcpy of half of the bytes that such a kernel moves, in memory of its own.
[[nodiscard]] subject memcpy_loop(std::size_t bytes);

}  // namespace bench
