// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/convert.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>

#include "../io/quantized_net.hpp"
#include "ctq/io/load_quantized.hpp"
#include "ctq/io/save_quantized.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "small_net.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr int first[] = {0};
struct quantized_ends : plan_options {
  static constexpr prepare_custom_config prepare{.input_quantized_indexes = {first, 1},
                                                 .output_quantized_indexes = {first, 1}};
};
struct quantized_input : plan_options {
  static constexpr prepare_custom_config prepare{.input_quantized_indexes = {first, 1}};
};

/// Images, of which the output is one, too: both orders of the axes, and a copy of the input.
inline constexpr auto images =
    model("x"_n = nn::placeholder({1, 3, 5, 4}),
          "pool"_n = nn::max_pool2d("x"_n, {.kernel_size = 3, .stride = 1, .padding = 1}),
          "cat"_n = fn::cat({"x"_n, "pool"_n}, {.dim = 1}), "out"_n = nn::output("cat"_n));

/// With the weights below, the relu gives zeros for all inputs that are not negative.
inline constexpr auto dead = sequential({1, 600}, nn::linear({.out_features = 3}), nn::relu(),
                                        nn::linear({.out_features = 2}));

template <const auto& Model, class Options>
auto observed_with() {
  auto observed = prepare<Model, x86, small::int8, unsupported::error, isa::of_models, Options>(
      small::checked_weights<Model>(5));
  std::mt19937 random{2};
  typename decltype(observed)::input x;
  static_assert(std::is_same_v<float, std::remove_cvref_t<decltype(x[0])>>);
  for (int i = 0; i < 8; ++i) {
    small::fill(x, random);
    observed(x);
  }
  return observed;
}

template <class Tensor>
auto quantized(const Tensor& x, const qparams& q) {
  const auto integer = [&](float v) {
    const float steps = std::nearbyint(v / q.scale) + static_cast<float>(q.zero_point);
    return static_cast<std::uint8_t>(std::fmin(255.0F, std::fmax(0.0F, steps)));
  };
  std::vector<std::uint8_t> all;
  for (const float v : x) all.push_back(integer(v));
  return all;
}

/// How often a model that takes and gives integers differs from one that quantizes its input with
/// the same qparams and dequantizes its output, and from the interpreter.
template <const auto& Model>
int differences() {
  const auto floats = convert(observed_with<Model, plan_options>()).value_or_exit();
  const qparams of_input = floats.qparams()[0];
  const auto observed = observed_with<Model, quantized_ends>();
  const auto integers = convert(observed, input_qparams{{of_input}}).value_or_exit();
  using plan = typename std::remove_cvref_t<decltype(integers)>::plan;
  CHECK(integers.input_qparams() == of_input);
  auto oracle =
      interpreter<reference_kernels>::make(plan::lowered.view(), small::random_weights<Model>(5),
                                           integers.qparams(), plan::backend, plan::mapping);
  REQUIRE(oracle);
  std::mt19937 random{7};
  int different = 0;
  for (int i = 0; i < 20; ++i) {
    typename io_types<plan::observed_schedule>::input x;
    small::fill(x, random);
    typename io_types<plan::int8_schedule>::input bytes;
    static_assert(std::is_same_v<std::uint8_t, std::remove_cvref_t<decltype(bytes[0])>>);
    std::ranges::copy(quantized(x, of_input), bytes.begin());
    const auto out = integers(bytes);
    static_assert(std::is_same_v<const std::uint8_t&, decltype(out[0])>);
    auto expected = out;
    oracle->run(bytes.data(), expected.data());
    if (out.values != expected.values) ++different;
    const auto real = floats(x);
    const qparams q = integers.output_qparams();
    for (std::size_t k = 0; k < out.size; ++k)
      if (real[k] != static_cast<float>(out[k] - q.zero_point) * q.scale) ++different;
  }
  return different;
}

}  // namespace

TEST_CASE("models with quantized ends give what models with float ends round") {
  CHECK(differences<small::mlp>() == 0);
}

TEST_CASE("quantized ends may be images") {
  const auto model = convert(observed_with<images, quantized_ends>(), input_qparams{{{0.02F, 128}}})
                         .value_or_exit();
  using plan = std::remove_cvref_t<decltype(model)>::plan;
  auto oracle =
      interpreter<reference_kernels>::make(plan::lowered.view(), small::random_weights<images>(5),
                                           model.qparams(), plan::backend, plan::mapping);
  REQUIRE(oracle);
  std::mt19937 random{3};
  tensor<std::uint8_t, 1, 3, 5, 4> x;
  for (int i = 0; i < 20; ++i) {
    for (std::uint8_t& v : x) v = static_cast<std::uint8_t>(random());
    const auto out = model(x);
    auto expected = out;
    oracle->run(x.data(), expected.data());
    CHECK(out.values == expected.values);
  }
}

TEST_CASE("a quantized input is read by other layers in float, too") {
  using leave_last = small::int8::set<module_name<"fc2", qconfig_none>>;
  static constexpr auto net = model(
      "x"_n = nn::placeholder({2, 8}), "fc1"_n = nn::linear("x"_n, {.out_features = 3}),
      "fc2"_n = nn::linear("x"_n, {.out_features = 3}), "out"_n = nn::output("fc1"_n, "fc2"_n));
  auto observed =
      prepare<net, x86, leave_last, unsupported::error, isa::of_models, quantized_input>(
          small::checked_weights<net>(5));
  tensor<float, 2, 8> real;
  std::mt19937 random{4};
  small::fill(real, random);
  observed(real);
  const qparams q{0.03F, 100};
  const auto int8 = convert(observed, input_qparams{{q}}).value_or_exit();
  tensor<std::uint8_t, 2, 8> bytes;
  std::ranges::copy(quantized(real, q), bytes.begin());
  for (std::size_t k = 0; k < 16; ++k) real[k] = static_cast<float>(bytes[k] - 100) * 0.03F;
  const auto [on_integers, in_float] = int8(bytes);
  const auto [expected, same] = observed(real);
  for (std::size_t k = 0; k < 6; ++k) {
    CHECK(in_float[k] == doctest::Approx(same[k]).epsilon(1e-5));
    CHECK(on_integers[k] == doctest::Approx(expected[k]).epsilon(0.2));
  }
}

TEST_CASE("a saved model has the qparams of its inputs") {
  const auto model =
      convert(observed_with<small::mlp, quantized_ends>(), input_qparams{{{0.02F, 128}}})
          .value_or_exit();
  const quantized_net::temporary_file path;
  REQUIRE(model.save(path.name()));
  const auto loaded = load_quantized<std::remove_cvref_t<decltype(model)>::plan>(path.name());
  REQUIRE(loaded);
  CHECK(loaded->input_qparams() == qparams{0.02F, 128, 0, 255});
  CHECK(std::ranges::equal(loaded->qparams(), model.qparams()));
  tensor<std::uint8_t, 3, 21> x;
  x.values.fill(77);
  CHECK((*loaded)(x).values == model(x).values);
}

TEST_CASE("qparams of inputs are checked") {
  const auto error = [](const input_qparams& given) {
    const auto all =
        with_inputs<plan<small::mlp, x86, small::int8, unsupported::error, quantized_ends>>({},
                                                                                            given);
    return all ? "" : all.error().message();
  };
  CHECK(error({{{0.5F, 3}}}) == "");
  CHECK(error({}) ==
        "input input: is quantized: give convert its scale and zero point as input_qparams");
  CHECK(error({{{0.5F, 3}, {0.5F, 3}}}) == "input_qparams: 2 are given, quantized inputs are 1");
  CHECK(error({{{0.0F, 3}}}) == "input input: the scale 0 is not positive");
  CHECK(error({{{0.5F, -1}}}) == "input input: the zero point -1 is not in [0, 255]");
}

TEST_CASE("integers are finite") {
  session run{convert(observed_with<small::mlp, quantized_ends>(), input_qparams{{{0.02F, 128}}})
                  .value_or_exit()};
  CHECK(run.check_finite(tensor<std::uint8_t, 3, 21>{}));
}

TEST_CASE("a layer whose output was always zero is converted") {
  const weights w{{{"0.weight", {3, 600}, std::vector<float>(1800, -0.5F)},
                   {"0.bias", {3}, {0.0F, -1.0F, -1e6F}},
                   {"2.weight", {2, 3}, {1.0F, -2.0F, 3.0F, 4.0F, 5.0F, -6.0F}},
                   {"2.bias", {2}, {0.25F, -1.5F}}}};
  auto observed = prepare<dead, x86, small::int8>(model_weights<dead>::check(w).value_or_exit());
  std::mt19937 random{2};
  tensor<float, 1, 600> x;
  const auto fill = [&] {
    for (float& v : x) v = std::uniform_real_distribution<float>{0.0F, 1.0F}(random);
  };
  for (int i = 0; i < 8; ++i) {
    fill();
    observed(x);
  }
  const auto converted = convert(observed);
  REQUIRE(converted);
  auto run = *converted;
  fill();
  const auto y = run(x);
  CHECK(y[0] == doctest::Approx(0.25).epsilon(0.01));
  CHECK(y[1] == doctest::Approx(-1.5).epsilon(0.01));
}
