// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/dtype.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

static_assert(range_of(quint8) == quant_range{0, 255});
static_assert(range_of(qint8) == quant_range{-128, 127});
static_assert(range_of(qint32) == quant_range{-2147483648LL, 2147483647LL});
static_assert(range_of(quint4x2) == quant_range{0, 15});
static_assert(range_of(f32) == quant_range{});
static_assert(range_of(dtype::none) == quant_range{});

static_assert(is_quantized(quint8) && is_quantized(qint8) && is_quantized(qint32) &&
              is_quantized(quint4x2));
static_assert(!is_quantized(f32) && !is_quantized(f16) && !is_quantized(dtype::none));

static_assert(size_of(f32) == 4 && size_of(qint32) == 4 && size_of(f16) == 2);
static_assert(size_of(quint8) == 1 && size_of(qint8) == 1 && size_of(quint4x2) == 1);
static_assert(size_of(dtype::none) == 0);

TEST_CASE("dtypes have PyTorch's names") {
  CHECK(name_of(dtype::none) == "none");
  CHECK(name_of(f32) == "float32");
  CHECK(name_of(f16) == "float16");
  CHECK(name_of(quint8) == "quint8");
  CHECK(name_of(qint8) == "qint8");
  CHECK(name_of(qint32) == "qint32");
  CHECK(name_of(quint4x2) == "quint4x2");
}

}  // namespace
