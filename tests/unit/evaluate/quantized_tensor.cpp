// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/quantized_tensor.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace ctq;

namespace {

const tensor_qparams tenths{quint8, -1, {0.1}, {10}, {}};

}  // namespace

TEST_CASE("quantize rounds ties to even and uses the whole range of the dtype") {
  const tensor_qparams halves{qint8, -1, {1.0}, {0}, {}};
  const auto t = quantize({{6}, {0.5F, 1.5F, 2.5F, -0.5F, 1e9F, -1e9F}}, halves);
  CHECK(t.int_repr() == std::vector<std::int32_t>{0, 2, 2, 0, 127, -128});
}

TEST_CASE("dequantize counts from the zero point") {
  const quantized_tensor t{tenths, {3}, {10, 11, 0}};
  CHECK(dequantize(t).data == std::vector<float>{0.0F, 0.1F, -1.0F});
}

TEST_CASE("what is no number becomes the zero point") {
  const auto t = quantize({{1}, {std::numeric_limits<float>::quiet_NaN()}}, tenths);
  CHECK(t.int_repr()[0] == 10);
}

TEST_CASE("each channel has its own scale") {
  const tensor_qparams s{qint8, 1, {1.0, 0.5}, {0, 1}, {}};
  const auto t = quantize({{2, 2, 1}, {3.0F, 3.0F, -1.0F, -1.0F}}, s);
  CHECK(t.int_repr() == std::vector<std::int32_t>{3, 7, -1, -1});
  CHECK(dequantize(t).data == std::vector<float>{3.0F, 3.0F, -1.0F, -1.0F});
}

TEST_CASE("each group of a channel has its own scale, and 4 bits") {
  const tensor_qparams s{qint8, 0, {1.0, 0.5, 2.0, 1.0}, {0, 0, 0, 0}, {}, 2};
  const auto t = quantize({{2, 3, 1}, {3.0F, -9.0F, 1.0F, 8.0F, 20.0F, -1.0F}}, s);
  CHECK(t.int_repr() == std::vector<std::int32_t>{3, -8, 2, 4, 7, -1});
  CHECK(dequantize(t).data == std::vector<float>{3.0F, -8.0F, 1.0F, 8.0F, 14.0F, -1.0F});
}

TEST_CASE("the real zero points of embeddings are added before rounding") {
  const tensor_qparams s{quint8, 0, {0.5}, {}, {0.25F}};
  const auto t = quantize({{1, 2}, {0.25F, 0.0F}}, s);
  CHECK(t.int_repr() == std::vector<std::int32_t>{1, 0});
  CHECK(dequantize(t).data[0] == doctest::Approx(0.375));
}

TEST_CASE("integers survive the way to real numbers and back") {
  float_ops::tensor x{{256}, {}};
  for (int q = 0; q < 256; ++q) x.data.push_back(static_cast<float>(q - 10) * 0.1F);
  const auto t = quantize(x, tenths);
  for (int q = 0; q < 256; ++q) CHECK(t.int_repr()[static_cast<std::size_t>(q)] == q);
}

TEST_CASE("dynamic quantization covers the values it is shown") {
  const float_ops::tensor x{{3}, {-1.0F, 0.0F, 3.0F}};
  const tensor_qparams s = dynamic_qparams(x, quint8);
  CHECK(s.scale[0] == doctest::Approx(4.0 / 255));
  CHECK(s.zero_point[0] == 64);
  CHECK(dynamic_qparams(x, quint8, true).scale[0] == doctest::Approx(4.0 / 127));
}

TEST_CASE("half precision has 11 bits, and fewer near zero") {
  CHECK(rounded_to_float16(2049.0F) == 2048.0F);
  CHECK(rounded_to_float16(2051.0F) == 2052.0F);
  CHECK(rounded_to_float16(0x1p-24F) == 0x1p-24F);
  CHECK(rounded_to_float16(0x1p-25F) == 0.0F);
  CHECK(rounded_to_float16(65504.0F) == 65504.0F);
  CHECK(std::isinf(rounded_to_float16(65520.0F)));
}

TEST_CASE("the integers are bytes, or of 64 bits") {
  const quantized_tensor signs{{qint8, -1, {1.0}, {0}, {}}, {2, 1}, {-128, 127}};
  CHECK(signs.shape() == float_ops::extents{2, 1});
  CHECK(signs.as<std::int8_t>()[0] == -128);
  CHECK(signs.elements().get_if<float_ops::byte_tensor>()->data ==
        std::vector<std::uint8_t>{128, 127});
  const quantized_tensor bytes{tenths, {2}, {128, 255}};
  CHECK(bytes.as<std::uint8_t>()[1] == 255);
  CHECK(bytes.int_repr() == std::vector<std::int32_t>{128, 255});
  const quantized_tensor wide{{qint32, -1, {1.0}, {0}, {}}, {2}, {INT32_MIN, 256}};
  CHECK(wide.elements().get_if<float_ops::index_tensor>()->data ==
        std::vector<std::int64_t>{INT32_MIN, 256});
  CHECK(dequantize(wide).data == std::vector<float>{-0x1p31F, 256.0F});
}
