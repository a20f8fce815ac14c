// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

// The machine and the software versions of the measurements.

namespace bench {

/// Bytes of the data caches; 0 if unknown.
struct caches {
  double l1, l2, l3;
};
[[nodiscard]] caches caches_of_machine();

/// "AMD EPYC 9654, caches of 32 KiB, 1 MiB and 384 MiB"
[[nodiscard]] std::string machine_line();
/// The compiler and the other libraries, with their versions.
[[nodiscard]] std::string programs();

[[nodiscard]] std::string onednn_version();
[[nodiscard]] std::string onnxruntime_version();  // empty without it

}  // namespace bench
