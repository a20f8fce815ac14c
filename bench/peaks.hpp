// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "subject.hpp"

// What the machine can do, measured beside the kernels, since its clock changes with its load.

namespace bench {

/// Dot products of the instruction set in use, on registers alone. `operations`: of one run.
[[nodiscard]] subject dot_peak(double& operations);
/// Reads so many bytes once, in as many streams as memory wants.
[[nodiscard]] subject read_loop(std::size_t bytes);
/// Reads and writes in this ratio, a register at a time: what an elementwise kernel moves.
[[nodiscard]] subject copy_loop(std::size_t count, int read, int written);
/// memcpy of half of the bytes that such a kernel moves.
[[nodiscard]] subject memcpy_loop(std::size_t bytes);

}  // namespace bench
