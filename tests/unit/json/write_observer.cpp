// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/write_observer.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "parsed.hpp"

using namespace ctq;

namespace {

template <class T>
std::string value(const T& v) {
  std::string text;
  json::writer out{text};
  json::write_value(out, v);
  return text;
}

std::string written(const observer_record& o) {
  std::string text;
  json::writer out{text};
  json::write_observer(out, o);
  return text;
}

observer_record read(std::string_view text) {
  const json::parsed in{text};
  findings found;
  observer_record out;
  json::reader r{ops<builtin>::value, found};
  json::read_observer(r, in.root(), out);
  CHECK(json::printed(found, text).empty());
  return out;
}

static_assert([] {
  static_text<100> text;
  json::writer out{text};
  json::write_observer(out, histogram_observer<{.dtype = qint8, .reduce_range = true}>::value);
  return text.view() ==
         R"({"class": "HistogramObserver", "dtype": "torch.qint8", "reduce_range": true})";
}());

TEST_CASE("the size of a group and the eps of a placeholder come back") {
  const observer_record groups =
      per_channel_min_max_observer<{.quant_min = -8, .quant_max = 7, .group_size = 32}>::value;
  CHECK(written(groups).find(R"("group_size": 32)") != std::string::npos);
  CHECK(read(written(groups)) == groups);
  const observer_record in_row =
      placeholder_observer<{.dtype = qint8, .eps = 0x1p-12F, .is_dynamic = true}>::value;
  CHECK(read(written(in_row)) == in_row);
}

TEST_CASE("values are written as the reader wants them") {
  CHECK(value(true) == "true");
  CHECK(value(-7) == "-7");
  CHECK(value(0.5F) == "0.5");
  CHECK(value(quint4x2) == R"("torch.quint4x2")");
  CHECK(value(qscheme::per_channel_symmetric) == R"("torch.per_channel_symmetric")");
  CHECK(value(optional_int{0}) == "0");
  CHECK(value(optional_int{}) == "null");
  CHECK(value(optional_real{0x1p-8}) == "0.00390625");
  CHECK(value(optional_real{}) == "null");
}

TEST_CASE("an observer as PyTorch makes it is its class alone") {
  for (int i = 1; i < observer_class_count; ++i) {
    const auto type = static_cast<observer_class>(i);
    if (type == observer_class::fixed_qparams) continue;  // it has required arguments
    CHECK(written({type, json::default_args(type)}) ==
          R"({"class": ")" + std::string{name_of(type)} + "\"}");
  }
}

TEST_CASE("what is the default of another class is written") {
  CHECK(written({observer_class::placeholder, {}}) ==
        R"({"class": "PlaceholderObserver", "dtype": "torch.quint8"})");
  CHECK(written({observer_class::per_channel_min_max, {}}) ==
        R"({"class": "PerChannelMinMaxObserver", "qscheme": "torch.per_tensor_affine"})");
}

TEST_CASE("a fake quantize names its observer where PyTorch would take another") {
  CHECK(written(fake_quantize<moving_average_min_max_observer<>>::value) ==
        R"({"class": "FakeQuantize"})");
  CHECK(written(fake_quantize<histogram_observer<{.bins = 7}>>::value) ==
        R"({"class": "FakeQuantize", "observer": "HistogramObserver", "bins": 7})");
  CHECK(written(fixed_qparams_fake_quantize<fixed_qparams_observer<{.scale = 0x1p-8F}>>::value) ==
        R"({"class": "FixedQParamsFakeQuantize", "scale": 0.00390625})");
}

TEST_CASE("the scale of a FixedQParamsObserver is always written") {
  CHECK(written({observer_class::fixed_qparams, {}}) ==
        R"({"class": "FixedQParamsObserver", "scale": 1.0})");
  CHECK(written(fixed_qparams_observer<{.scale = 0.5F, .zero_point = 3}>::value) ==
        R"({"class": "FixedQParamsObserver", "scale": 0.5, "zero_point": 3})");
}

TEST_CASE("observers with odd arguments are read back as they were") {
  const observer_args odd{.dtype = qint32,
                          .qscheme = qscheme::per_channel_affine_float_qparams,
                          .reduce_range = true,
                          .quant_min = -2147483649,
                          .quant_max = 0,
                          .eps = std::numeric_limits<float>::denorm_min(),
                          .averaging_constant = 0.1,
                          .ch_axis = -1,
                          .bins = 2147483647,
                          .upsample_rate = 0,
                          .is_dynamic = true,
                          .scale = std::numeric_limits<float>::max(),
                          .zero_point = 1 - (std::int64_t{1} << 53),
                          .use_grad_scaling = true};
  for (int c = 1; c < observer_class_count; ++c)
    for (int f = 0; f < fake_quantize_class_count; ++f) {
      const observer_record o{static_cast<observer_class>(c), odd,
                              static_cast<fake_quantize_class>(f)};
      CHECK(read(written(o)) == o);
    }
}

}  // namespace
