// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/quantizer.hpp"

#include <doctest/doctest.h>

using namespace ctq;
using namespace ctq::kernels;

static_assert(quantized<std::uint8_t> && quantized<std::int8_t>);
static_assert(!quantized<std::int32_t> && !quantized<float>);

static_assert(quantizer_of({0.5F, 10, 0, 255}).inverse == 2.0F);
static_assert(quantizer_of({0.5F, 10, 0, 255}).low == -10.0F);
static_assert(quantizer_of({0.5F, 10, 0, 255}).high == 245.0F);
static_assert(with_relu(quantizer_of({0.5F, 10, 0, 255})).low == 0.0F);
static_assert(with_relu(quantizer_of({0.5F, 0, 0, 255})).low == 0.0F);
// A clamp whose maximum is below 0, after a relu.
static_assert(with_relu(quantizer_of({0.5F, 10, 0, 5})).low == -5.0F &&
              with_relu(quantizer_of({0.5F, 10, 0, 5})).high == -5.0F);

static_assert(same_scale_and_zero_point({0.5F, 10, 0, 255}, {0.5F, 10, 0, 127}));
static_assert(!same_scale_and_zero_point({0.5F, 10, 0, 255}, {0.5F, 11, 0, 255}));
static_assert(!same_scale_and_zero_point({0.5F, 10, 0, 255}, {0.25F, 10, 0, 255}));
static_assert(!same_scale_and_zero_point({0x1p-140F, 10, 0, 255}, {0x1p-140F, 10, 0, 255}));
