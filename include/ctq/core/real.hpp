// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A floating-point template argument: scale_min<0x1p-12>. A class, since every C++20 compiler
// accepts it, and error messages print it as real{2.44140625e-4}.

namespace ctq {

struct real {
  double value{};

  constexpr real() = default;
  constexpr real(double v) : value(v) {}  // NOLINT(google-explicit-constructor)

  friend constexpr bool operator==(real, real) = default;
};

}  // namespace ctq
