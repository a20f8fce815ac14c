// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/packing/pack_steps.hpp"

#include <doctest/doctest.h>

#include <span>
#include <vector>

namespace {

constexpr std::size_t five_bytes(const ctq::kernel_signature&) { return 5; }

constexpr ctq::step three[3];
static_assert(ctq::packed_end({five_bytes, nullptr}, std::span(three)) == 192);

}  // namespace
