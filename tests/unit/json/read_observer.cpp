// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/read_observer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "parsed.hpp"

using namespace ctq;

namespace {

constexpr observer_record read(std::string_view text, findings& found) {
  const json::parsed in{text};
  observer_record out;
  json::reader r{ops<builtin>::value, found};
  json::read_observer(r, in.root(), out);
  return out;
}

/// Of a text in which nothing is wrong.
constexpr observer_record read(std::string_view text) {
  findings found;
  const observer_record out = read(text, found);
  return found.size() == 0 ? out : observer_record{};
}

std::string wrong(std::string_view text) {
  findings found;
  static_cast<void>(read(text, found));
  return json::printed(found, text);
}

// PyTorch's defaults depend on the class.
static_assert(json::default_args(observer_class::min_max) == observer_args{});
static_assert(json::default_args(observer_class::placeholder).dtype == f32);
static_assert(json::default_args(observer_class::noop).dtype == f16);
static_assert(json::default_args(observer_class::moving_average_per_channel_min_max).qscheme ==
              qscheme::per_channel_affine);
static_assert(json::default_observer(fake_quantize_class::fixed_qparams_fake_quantize) ==
              observer_class::fixed_qparams);
static_assert(json::default_observer(fake_quantize_class::fake_quantize) ==
              observer_class::moving_average_min_max);

// Each class is found by its name, and by nothing else.
static_assert([] {
  for (int i = 1; i < observer_class_count; ++i)
    if (json::observer_parts::find_class(name_of(static_cast<observer_class>(i))) !=
        static_cast<observer_class>(i))
      return false;
  for (int i = 1; i < fake_quantize_class_count; ++i)
    if (json::observer_parts::find_fake(name_of(static_cast<fake_quantize_class>(i))) !=
        static_cast<fake_quantize_class>(i))
      return false;
  return true;
}());
static_assert(json::observer_parts::find_class("None") == observer_class::none);
static_assert(json::observer_parts::find_class("FakeQuantize") == observer_class::none);
static_assert(json::observer_parts::find_fake("MinMaxObserver") == fake_quantize_class::none);

static_assert(read(R"({"class": "HistogramObserver", "reduce_range": true})") ==
              histogram_observer<{.reduce_range = true}>::value);
static_assert(read(R"({"class": "torch.ao.quantization.NoopObserver"})") == noop_observer<>::value);
static_assert(read(R"({"class": "PowerOfTwoHistogramObserver", "bins": 512})") ==
              power_of_two_histogram_observer<{.bins = 512}>::value);

TEST_CASE("the class decides the defaults, wherever it is given") {
  CHECK(read(R"({"bins": 4, "class": "PerChannelMinMaxObserver", "ch_axis": 1})") ==
        observer_record{observer_class::per_channel_min_max,
                        {.qscheme = qscheme::per_channel_affine, .ch_axis = 1, .bins = 4}});
  CHECK(read(R"({"is_dynamic": true, "class": "PlaceholderObserver"})") ==
        placeholder_observer<{.is_dynamic = true}>::value);
}

TEST_CASE("all arguments are read") {
  CHECK(read(R"({"class": "MinMaxObserver", "dtype": "torch.qint8",
                 "qscheme": "torch.per_tensor_symmetric", "reduce_range": true, "quant_min": -8,
                 "quant_max": 7, "eps": 0.5, "averaging_constant": 0.25, "ch_axis": 2, "bins": 3,
                 "upsample_rate": 4, "is_dynamic": true, "scale": 2, "zero_point": -5,
                 "use_grad_scaling": true})") ==
        min_max_observer<{.dtype = qint8,
                          .qscheme = qscheme::per_tensor_symmetric,
                          .reduce_range = true,
                          .quant_min = -8,
                          .quant_max = 7,
                          .eps = 0.5F,
                          .averaging_constant = 0.25,
                          .ch_axis = 2,
                          .bins = 3,
                          .upsample_rate = 4,
                          .is_dynamic = true,
                          .scale = 2.0F,
                          .zero_point = -5,
                          .use_grad_scaling = true}>::value);
}

TEST_CASE("a fake quantize is around an observer, with a default for each") {
  CHECK(read(R"({"class": "FakeQuantize"})") ==
        fake_quantize<moving_average_min_max_observer<>>::value);
  CHECK(read(R"({"class": "FixedQParamsFakeQuantize", "scale": 0.5})") ==
        fixed_qparams_fake_quantize<fixed_qparams_observer<{.scale = 0.5F}>>::value);
  CHECK(
      read(R"({"class": "_LearnableFakeQuantize", "use_grad_scaling": true})") ==
      learnable_fake_quantize<moving_average_min_max_observer<{.use_grad_scaling = true}>>::value);
  CHECK(read(R"({"observer": "torch.ao.quantization.PerChannelMinMaxObserver",
                 "class": "torch.ao.quantization.FusedMovingAvgObsFakeQuantize"})") ==
        observer_record{observer_class::per_channel_min_max,
                        {.qscheme = qscheme::per_channel_affine},
                        fake_quantize_class::fused_moving_avg_obs_fake_quantize});
}

TEST_CASE("an observer has no observer inside") {
  CHECK(wrong(R"({"class": "MinMaxObserver", "observer": "NoopObserver"})")
            .starts_with("f:1:29: error: observer is not a known key here"));
  CHECK(wrong(R"({"class": "FakeQuantize", "observer": "FakeQuantize"})")
            .starts_with("f:1:39: error: FakeQuantize is not a known observer"));
  CHECK(wrong(R"({"class": "FakeQuantize", "observer": null})") ==
        "f:1:39: error: expected a string, not null [wrong-type]\n");
}

TEST_CASE("no class, no arguments") {
  CHECK(wrong("null") == "f:1:1: error: expected an object, not null [wrong-type]\n");
  CHECK(wrong(R"("MinMaxObserver")") ==
        "f:1:1: error: expected an object, not a string [wrong-type]\n");
  CHECK(wrong(R"({"class": "FixedQParamsObserver", "zero_point": 3})") ==
        "f:1:1: error: a FixedQParamsObserver needs scale [missing-key]\n");
  CHECK(wrong(R"({"bins": "many"})") == "f:1:1: error: class is missing [missing-key]\n");
  CHECK(wrong(R"({"class": ["MinMaxObserver"]})") ==
        "f:1:11: error: expected a string, not an array [wrong-type]\n");
}

TEST_CASE("an unknown class is a finding, and its arguments are still checked") {
  CHECK(
      wrong(R"({"class": "HistogrammObserver", "bin": 7})") ==
      "f:1:11: error: HistogrammObserver is not a known observer, did you mean HistogramObserver? "
      "[unknown-value]\n"
      "f:1:33: error: bin is not a known key here, did you mean bins? [unknown-key]\n");
  CHECK(wrong(R"({"class": "None"})").find("None is not a known observer") != std::string::npos);
  CHECK(wrong(R"({"class": ""})") == "f:1:11: error:  is not a known observer [unknown-value]\n");
}

TEST_CASE("an argument twice is one too many") {
  CHECK(wrong(R"({"class": "NoopObserver", "bins": 1, "bins": 2})") ==
        "f:1:38: error: bins is duplicated [duplicate-key]\n");
}

}  // namespace
