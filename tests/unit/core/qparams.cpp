// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/qparams.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

static_assert(qparams{} == qparams{1.0F, 0, 0, 255});
static_assert(qparams{0.5F, 3, 0, 255} != qparams{0.5F, 4, 0, 255});

static_assert(!is_per_channel(qscheme::per_tensor_affine));
static_assert(!is_per_channel(qscheme::per_tensor_symmetric));
static_assert(is_per_channel(qscheme::per_channel_affine));
static_assert(is_per_channel(qscheme::per_channel_symmetric));
static_assert(is_per_channel(qscheme::per_channel_affine_float_qparams));

TEST_CASE("schemes have PyTorch's names") {
  CHECK(name_of(qscheme::per_tensor_affine) == "per_tensor_affine");
  CHECK(name_of(qscheme::per_tensor_symmetric) == "per_tensor_symmetric");
  CHECK(name_of(qscheme::per_channel_affine) == "per_channel_affine");
  CHECK(name_of(qscheme::per_channel_symmetric) == "per_channel_symmetric");
  CHECK(name_of(qscheme::per_channel_affine_float_qparams) == "per_channel_affine_float_qparams");
}

}  // namespace
