// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/packing.hpp"

using namespace ctq;

namespace {

static_assert(packing::padded(0) == 0 && packing::padded(1) == 64);
static_assert(packing::padded(64) == 64 && packing::padded(65) == 128);
static_assert(packing::vector_bytes(16) == 64 && packing::vector_bytes(17) == 128);

}  // namespace
