// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instruction sets the library ctq-kernels has, and which of them this machine runs. Compiled
// once, for what every machine has.
//
//   CTQ_KERNELS_NAMES  what kernels.cpp defines, separated by commas

#include <algorithm>
#include <array>
#include <cstddef>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/machine.hpp"
#include "ctq/runtime/compiled_kernels/kernel_set.hpp"

namespace ctq {

namespace kernel_library {

extern const kernel_set CTQ_KERNELS_NAMES;

namespace {

/// Those that this machine runs, the fastest first.
struct usable_sets {
  std::array<const kernel_set*, 16> sets{};
  std::size_t count = 0;

  usable_sets() {
    const auto address = [](const kernel_set& s) { return &s; };
    const auto list = [&](const auto&... s) { return std::array{address(s)...}; };
    const auto built = list(CTQ_KERNELS_NAMES);
    isa::any_isa([&]<class Isa>() {
      const auto at = std::ranges::find(built, Isa::name, [](auto* s) { return s->isa; });
      if (at != built.end() && isa::supported<Isa>()) sets[count++] = *at;
      return false;
    });
  }
};

}  // namespace

}  // namespace kernel_library

namespace compiled_kernels {

template <int, int, int, std::size_t>
span<const kernel_set* const> of_release() noexcept {
  static const kernel_library::usable_sets usable;
  return span(usable.sets).first(usable.count);
}
template span<const kernel_set* const>
of_release<headers.major, headers.minor, headers.patch, headers.layout>() noexcept;

}  // namespace compiled_kernels

}  // namespace ctq
