// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/model_calls.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>

#include "ctq/runtime/convert.hpp"
#include "ctq/runtime/dispatched.hpp"
#include "ctq/runtime/float_model.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "small_net.hpp"

namespace several {

namespace nn = ctq::nn;
namespace fn = ctq::fn;
using namespace ctq::literals;

/// Inputs of different shapes, one of them unused; outputs that are read inside, that are an input,
/// and that are returned twice.
inline constexpr auto net = ctq::model(
    "image"_n = nn::placeholder({1, 3, 5, 4}), "unused"_n = nn::placeholder({2}),
    "size"_n = nn::placeholder({1, 2}),
    "conv"_n = nn::conv2d("image"_n, {.out_channels = 4, .kernel_size = 1}),
    "features"_n = nn::relu("conv"_n), "flat"_n = fn::flatten("features"_n, {.start_dim = 1}),
    "all"_n = fn::cat({"flat"_n, "size"_n}, {.dim = 1}),
    "scores"_n = nn::linear("all"_n, {.out_features = 3}),
    "boxes"_n = nn::linear("scores"_n, {.out_features = 4}),
    "out"_n = nn::output("boxes"_n, "features"_n, "scores"_n, "size"_n, "boxes"_n));
using plan = ctq::plan<net, ctq::x86, small::int8>;

/// Parameters and buffers as operands, one of them returned.
inline constexpr auto constants = ctq::model(
    "x"_n = nn::placeholder({1, 3, 2}), "block.pos"_n = nn::get_attr({3, 2}),
    "sum"_n = ctq::op::add("x"_n, "block.pos"_n), "act"_n = nn::relu("sum"_n),
    "flat"_n = fn::flatten("act"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 2}), "scale"_n = nn::get_attr({2}),
    "scaled"_n = ctq::op::mul("fc"_n, "scale"_n), "out"_n = nn::output("scaled"_n, "block.pos"_n));

}  // namespace several

template struct ctq::dispatched<several::plan>;

namespace {

using several::net;

using image = ctq::tensor<float, 1, 3, 5, 4>;
using pair = ctq::tensor<float, 2>;
using row_of_2 = ctq::tensor<float, 1, 2>;
using row_of_3 = ctq::tensor<float, 1, 3>;
using row_of_4 = ctq::tensor<float, 1, 4>;
using features = ctq::tensor<float, 1, 4, 5, 4>;

struct all_inputs {
  image x;
  pair unused;
  row_of_2 size;
};
all_inputs random_tensors(unsigned seed) {
  std::mt19937 random{seed};
  all_inputs t;
  small::fill(t.x, random);
  small::fill(t.size, random);
  return t;
}

struct all_outputs {
  row_of_4 boxes;
  features read;
  row_of_3 scores;
  row_of_2 size;
  row_of_4 again;

  void* at[5] = {boxes.data(), read.data(), scores.data(), size.data(), again.data()};
};

template <class Outputs>
bool equal(const Outputs& ours, const all_outputs& wanted) {
  const auto& [boxes, read, scores, size, again] = ours;
  return boxes.values == wanted.boxes.values && read.values == wanted.read.values &&
         scores.values == wanted.scores.values && size.values == wanted.size.values &&
         again.values == wanted.again.values;
}

template <class Interpreter>
void interpret(Interpreter& run, const all_inputs& t, all_outputs& to) {
  const void* const in[] = {t.x.data(), t.unused.data(), t.size.data()};
  run.run(std::span(in), std::span<void* const>(to.at));
}

}  // namespace

TEST_CASE(
    "several inputs and outputs have the bytes of the interpreter, however a model is called") {
  const auto weights = small::checked_weights<net>(3);
  auto observed = ctq::prepare<net, ctq::x86, small::int8>(weights);
  for (unsigned seed = 0; seed < 3; ++seed) {
    const all_inputs t = random_tensors(seed);
    const auto [boxes, read, scores, size, again] = observed(t.x, t.unused, t.size);
    CHECK(size.values == t.size.values);
    CHECK(boxes.values == again.values);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(read)>, features>);
  }
  const auto model = ctq::convert(observed).value_or_exit();
  using several::plan;
  auto oracle = ctq::interpreter<ctq::reference_kernels>::make(
      plan::lowered.view(), weights.get(), model.qparams(), plan::backend, plan::mapping);
  REQUIRE(oracle);
  const all_inputs t = random_tensors(9);
  all_outputs wanted;
  interpret(*oracle, t, wanted);
  CHECK(wanted.boxes.values != row_of_4{}.values);

  CHECK(equal(model(t.x, t.unused, t.size), wanted));
  ctq::session run{model};
  CHECK(equal(run(t.x, t.unused, t.size), wanted));
  static_assert(noexcept(run(t.x, t.unused, t.size)));
  all_outputs ours;
  run(t.x, t.unused, t.size, ours.boxes, ours.read, ours.scores, ours.size, ours.again);
  CHECK(equal(std::tie(ours.boxes, ours.read, ours.scores, ours.size, ours.again), wanted));
  const auto memory = std::make_unique<decltype(model)::arena>();
  all_outputs in_place;
  model.run(t.x, t.unused, t.size, in_place.boxes, in_place.read, in_place.scores, in_place.size,
            in_place.again, *memory);
  CHECK(
      equal(std::tie(in_place.boxes, in_place.read, in_place.scores, in_place.size, in_place.again),
            wanted));
  CHECK(run.check_finite(t.x, t.unused, t.size));

  ctq::session dispatched{ctq::convert(observed, ctq::dispatch).value_or_exit()};
  CHECK(equal(dispatched(t.x, t.unused, t.size), wanted));
}

TEST_CASE("float models have several inputs and outputs") {
  const auto weights = small::checked_weights<net>(3);
  ctq::float_model<net, ctq::x86> run{weights};
  auto oracle = ctq::interpreter<ctq::reference_kernels>::make(net.view(), weights.get());
  REQUIRE(oracle);
  const all_inputs t = random_tensors(4);
  all_outputs wanted;
  interpret(*oracle, t, wanted);
  const auto [boxes, read, scores, size, again] = run(t.x, t.unused, t.size);
  for (std::size_t i = 0; i < boxes.size; ++i) CHECK(boxes[i] == doctest::Approx(wanted.boxes[i]));
  for (std::size_t i = 0; i < read.size; ++i) CHECK(read[i] == doctest::Approx(wanted.read[i]));
  CHECK(again.values == boxes.values);
  CHECK(size.values == t.size.values);
}

TEST_CASE("parameters and buffers that are operands come from the weights, and are quantized") {
  using several::constants;
  const auto weights = small::checked_weights<constants>(6);
  const ctq::weight_tensor& pos = *weights.get().find("block.pos");
  auto observed = ctq::prepare<constants, ctq::x86, small::int8>(weights);
  using plan = decltype(observed)::plan;
  std::mt19937 random{2};
  ctq::tensor<float, 1, 3, 2> x;
  for (int i = 0; i < 3; ++i) {
    small::fill(x, random);
    const auto [y, same] = observed(x);
    CHECK(std::equal(same.begin(), same.end(), pos.values.begin()));
  }
  const auto model = ctq::convert(observed).value_or_exit();
  auto oracle = ctq::interpreter<ctq::reference_kernels>::make(
      plan::lowered.view(), weights.get(), model.qparams(), plan::backend, plan::mapping);
  REQUIRE(oracle);
  ctq::float_model<constants, ctq::x86> in_float{weights};
  const auto [wanted, wanted_pos] = in_float(x);
  const auto [ours, our_pos] = model(x);
  row_of_2 expected;
  ctq::tensor<float, 3, 2> expected_pos;
  const void* const in[] = {x.data()};
  void* const out[] = {expected.data(), expected_pos.data()};
  oracle->run(in, out);
  CHECK(ours.values == expected.values);
  CHECK(our_pos.values == expected_pos.values);
  CHECK(our_pos.values == wanted_pos.values);
  for (std::size_t i = 0; i < ours.size; ++i) CHECK(std::abs(ours[i] - wanted[i]) < 0.1F);

  // The quantized constant is that of its observer.
  const auto is_quantized_constant = [](const ctq::step& s) {
    return s.in[0].in == ctq::place::area::constant && s.signature.kernel == ctq::kernel::quantize;
  };
  int quantized = 0;
  for (int i = 0; i < plan::int8_schedule.count; ++i)
    quantized += is_quantized_constant(plan::int8_schedule.steps[i]) ? 1 : 0;
  CHECK(quantized == 2);

  auto fewer = weights.get().tensors();
  std::erase_if(fewer, [](const ctq::weight_tensor& t) { return t.name == "scale"; });
  const auto missing = ctq::model_weights<constants>::check(ctq::weights{fewer});
  CHECK(missing.error().message() == "tensor scale: is missing; the model needs [2]");
}
