// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Networks that look up words, through both executors and the evaluator.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "../io/quantized_net.hpp"
#include "../runtime/small_net.hpp"
#include "compare_evaluator.hpp"
#include "ctq/backends/qconfigs.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/io/load_quantized.hpp"
#include "ctq/io/save_quantized.hpp"
#include "ctq/runtime/convert.hpp"
#include "ctq/runtime/float_model.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "ctq/runtime/observed_model.hpp"
#include "ctq/runtime/session.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

/// Bags of words, whose mean is classified.
inline constexpr auto bags = model(
    "words"_n = nn::placeholder({30}, i64), "begins"_n = nn::placeholder({4}, i64),
    "table"_n =
        nn::embedding_bag("words"_n, "begins"_n, {.num_embeddings = 50, .embedding_dim = 21}),
    "hidden"_n = nn::linear("table"_n, {.out_features = 16}), "relu"_n = nn::relu("hidden"_n),
    "classes"_n = nn::linear("relu"_n, {.out_features = 5}), "out"_n = nn::output("classes"_n));

/// A sentence of a fixed length.
inline constexpr auto phrase = model(
    "words"_n = nn::placeholder({2, 6}, i32),
    "table"_n = nn::embedding("words"_n, {.num_embeddings = 40, .embedding_dim = 11}),
    "joined"_n = fn::flatten("table"_n, {.start_dim = 1}),
    "classes"_n = nn::linear("joined"_n, {.out_features = 3}), "out"_n = nn::output("classes"_n));

/// Categories in columns, the tables of which are one behind another.
inline constexpr auto columns = model(
    "row"_n = nn::placeholder({3, 4}, i64),
    "first"_n = op::getitem("row"_n, {.index = {index::slice(), 0}}),
    "others"_n = op::getitem("row"_n, {.index = {index::slice(), index::slice(1, 4)}}),
    "behind"_n = op::add("others"_n, 7),
    "one"_n = nn::embedding("first"_n, {.num_embeddings = 9, .embedding_dim = 5}),
    "three"_n = nn::embedding_bag("behind"_n, {.num_embeddings = 20, .embedding_dim = 5}),
    "both"_n = fn::cat({"one"_n, "three"_n}, {.dim = 1}),
    "classes"_n = nn::linear("both"_n, {.out_features = 3}), "out"_n = nn::output("classes"_n));

/// The mean of the words that are not 0.
inline constexpr auto masked = model(
    "words"_n = nn::placeholder({2, 6}, i64),
    "table"_n = nn::embedding("words"_n, {.num_embeddings = 9, .embedding_dim = 5}),
    "used"_n = fn::ne("words"_n, 0), "mask"_n = fn::unsqueeze("used"_n, {.dim = 2}),
    "words_used"_n = fn::mul("table"_n, "mask"_n),
    "total"_n = fn::sum("words_used"_n, {.dim = {1}}), "count"_n = fn::sum("mask"_n, {.dim = {1}}),
    "some"_n = fn::clamp("count"_n, {.min = 1}), "mean"_n = op::truediv("total"_n, "some"_n),
    "classes"_n = nn::linear("mean"_n, {.out_features = 3}), "out"_n = nn::output("classes"_n));

/// What gives integers of integers and masks.
inline constexpr auto counts = model(
    "i"_n = nn::placeholder({2, 4}, i64), "mask"_n = op::ne("i"_n, 0),
    "max"_n = fn::max("i"_n, {.dim = {1}}), "value"_n = op::getitem("max"_n, {.index = {0}}),
    "place"_n = op::getitem("max"_n, {.index = {1}}), "top"_n = fn::topk("i"_n, {.k = 2}),
    "largest"_n = op::getitem("top"_n, {.index = {0}}), "column"_n = fn::amax("i"_n, {.dim = {0}}),
    "same"_n = method::clone("mask"_n), "count"_n = method::sum("same"_n, {.dim = {1}}),
    "total"_n = method::sum("i"_n, {.dim = {1}}), "position"_n = fn::cumsum("mask"_n, {.dim = 1}),
    "shifted"_n = fn::pad("i"_n, {.pad = {1, -1}, .value = 5}),
    "turned"_n = fn::flip("i"_n, {.dims = {1}}),
    "filled"_n = fn::masked_fill("i"_n, "mask"_n, {.value = 7}),
    "chosen"_n = fn::where("mask"_n, "i"_n, "position"_n), "square"_n = op::pow("i"_n, 2),
    "next"_n = op::add("place"_n, 1),
    "out"_n = nn::output("value"_n, "place"_n, "largest"_n, "column"_n, "count"_n, "total"_n,
                         "position"_n, "shifted"_n, "turned"_n, "filled"_n, "chosen"_n, "square"_n,
                         "next"_n));

using static_int8 = qconfig<histogram_observer<>, per_channel_min_max_observer<>>;

struct bytes : qconfig_mapping<global<static_int8>,
                               object_type<nn::embedding, float_qparams_weight_only_qconfig>,
                               object_type<nn::embedding_bag, float_qparams_weight_only_qconfig>> {
};
struct half_bytes
    : qconfig_mapping<global<static_int8>,
                      object_type<nn::embedding, float_qparams_weight_only_qconfig_4bit>,
                      object_type<nn::embedding_bag, float_qparams_weight_only_qconfig_4bit>> {};
struct only_means
    : qconfig_mapping<global<static_int8>, object_type<fn::ne, qconfig_none>,
                      object_type<fn::unsqueeze, qconfig_none>, object_type<fn::sum, qconfig_none>,
                      object_type<fn::clamp, qconfig_none>, object_type<op::truediv, qconfig_none>,
                      object_type<nn::embedding, float_qparams_weight_only_qconfig>> {};
struct only_layers : qconfig_mapping<global<static_int8>, object_type<nn::embedding, qconfig_none>,
                                     object_type<nn::embedding_bag, qconfig_none>> {};

template <class T, int... Extent>
node_value value_of(const tensor<T, Extent...>& t) {
  return node_value(float_ops::index_tensor{{Extent...}, {t.begin(), t.end()}});
}

template <class T, int... Extent>
void draw(tensor<T, Extent...>& t, std::mt19937& random, int rows) {
  for (T& i : t.values) i = static_cast<T>(random() % static_cast<unsigned>(rows));
}
void draw(tensor<std::int32_t, 2, 6>& words, std::mt19937& random) { draw(words, random, 40); }
void draw(tensor<std::int64_t, 3, 4>& row, std::mt19937& random) { draw(row, random, 9); }
void draw(tensor<std::int64_t, 2, 6>& words, std::mt19937& random) { draw(words, random, 9); }
void draw(std::tuple<tensor<std::int64_t, 30>, tensor<std::int64_t, 4>>& x, std::mt19937& random) {
  draw(std::get<0>(x), random, 50);
  std::get<1>(x).values = {0, 7, 7, 21};
}

template <class Tensor, class F>
void with_inputs(const Tensor& x, F f) {
  f(x);
}
template <class... Tensor, class F>
void with_inputs(const std::tuple<Tensor...>& x, F f) {
  std::apply(f, x);
}

/// The bits of the table in the plan.
template <class Plan>
int table_bits() {
  for (const step& s : Plan::int8_schedule.steps)
    if (kernels::facts_of(s.signature.kernel).has_table)
      return s.signature.as<embedding_shape>().bits;
  return 0;
}

template <const auto& Model, class Mapping>
void check(int bits, float most) {
  std::mt19937 random{5};
  const auto weights = small::checked_weights<Model>(3);
  auto observed = prepare<Model, x86, Mapping>(weights);
  using plan = typename decltype(observed)::plan;
  CHECK(table_bits<plan>() == bits);
  typename io_types<plan::int8_schedule>::input x;
  typename io_types<plan::int8_schedule>::output ours, expected, in_float, again;
  for (int i = 0; i < 8; ++i) {
    draw(x, random);
    with_inputs(x, [&](const auto&... in) { observed(in...); });
  }
  const auto int8 = convert(observed);
  REQUIRE(int8);
  const quantized_net::temporary_file file;
  REQUIRE(int8->save(file.name()));
  const auto loaded = load_quantized<plan>(file.name());
  REQUIRE(loaded);
  auto oracle = interpreter<reference_kernels>::make(plan::lowered.view(), weights.get(),
                                                     int8->qparams(), plan::backend, plan::mapping);
  REQUIRE(oracle);
  model_qparams qparams;
  for (std::size_t i = 0; i < int8->qparams().size(); ++i) {
    const ctq::qparams& q = int8->qparams()[i];
    qparams.activations[static_cast<int>(i)] = {
        .dtype = quint8, .scale = {static_cast<double>(q.scale)}, .zero_point = {q.zero_point}};
  }
  const module_state modules = small::state_of(weights.get());
  evaluator<stage::lowered> eval(plan::lowered.view(), modules, {.qparams = &qparams});
  float_model<Model, x86> reference{weights};
  session session{*int8};
  float error = 0, size = 0, differs = 0;
  for (int i = 0; i < 5; ++i) {
    draw(x, random);
    with_inputs(x, [&](const auto&... in) {
      CHECK(session.check_indices(in...));
      session(in..., ours);
      (*loaded)(in..., again);
      const void* const from[] = {in.data()...};
      void* const to[] = {expected.data()};
      oracle->run(std::span(from), std::span(to));
      reference(in..., in_float);
      const auto values = eval.run({value_of(in)...});
      if (!values) FAIL(values.error().message());
      const auto& last = values->back().real().template get_if<float_ops::tensor>()->data;
      for (std::size_t k = 0; k < ours.size; ++k) differs += std::fabs(ours[k] - last[k]);
    });
    CHECK(ours.values == expected.values);
    CHECK(ours.values == again.values);
    for (std::size_t k = 0; k < ours.size; ++k) {
      error += std::fabs(ours[k] - in_float[k]);
      size += std::fabs(in_float[k]);
    }
  }
  CHECK(error < most * size);
  CHECK(differs <= 0.01F * size);
}

}  // namespace

TEST_CASE("embeddings of 32, 8 and 4 bits have the same bytes in both executors") {
  check<bags, bytes>(8, 0.05F);
  check<bags, half_bytes>(4, 0.2F);
  check<bags, only_layers>(32, 0.05F);
  check<phrase, bytes>(8, 0.05F);
  check<phrase, half_bytes>(4, 0.2F);
}

TEST_CASE("models compute with indices") {
  check<columns, bytes>(8, 0.05F);
  check<columns, only_layers>(32, 0.05F);
  check<masked, only_means>(8, 0.05F);
}

TEST_CASE("models give integers of integers and of masks") {
  const std::int64_t ids[] = {0, 5, 3, 0, 2, 9, 0, 1};
  const std::vector<std::int64_t> expected[] = {{5, 9},
                                                {1, 1},
                                                {5, 3, 9, 2},
                                                {2, 9, 3, 1},
                                                {2, 3},
                                                {8, 12},
                                                {0, 1, 2, 2, 1, 2, 2, 3},
                                                {5, 0, 5, 3, 5, 2, 9, 0},
                                                {0, 3, 5, 0, 1, 0, 9, 2},
                                                {0, 7, 7, 0, 7, 7, 0, 7},
                                                {0, 5, 3, 2, 2, 9, 2, 1},
                                                {0, 25, 9, 0, 4, 81, 0, 1},
                                                {2, 2}};
  const auto run = [&](auto made) {
    REQUIRE(made);
    std::vector<std::vector<std::int64_t>> got;
    std::vector<void*> out;
    for (const auto& numbers : expected) got.emplace_back(numbers.size());
    for (auto& numbers : got) out.push_back(numbers.data());
    const void* const in[] = {ids};
    made->run(in, out);
    for (std::size_t k = 0; k < got.size(); ++k) CHECK(got[k] == expected[k]);
  };
  run(interpreter<reference_kernels>::make(counts.view(), {}));
  run(interpreter<fast_kernels>::make(counts.view(), {}));
}

TEST_CASE("an index outside of the table is an error before a run, and a row of NaN in one") {
  const auto weights = small::checked_weights<phrase>(3);
  auto observed = prepare<phrase, x86, bytes>(weights);
  tensor<std::int32_t, 2, 6> words;
  observed(words);
  const auto int8 = convert(observed);
  REQUIRE(int8);
  session session{*int8};
  words[7] = 40;
  const status wrong = session.check_indices(words);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message() == "node table: index 7 is 40; the table has 40 rows");
  words[7] = -1;
  CHECK_FALSE(session.check_indices(words));
  observed(words);
  CHECK_FALSE(convert(observed));
}

TEST_CASE("offsets of bags that decrease are an error before a run") {
  const auto weights = small::checked_weights<bags>(3);
  auto observed = prepare<bags, x86, bytes>(weights);
  tensor<std::int64_t, 30> words;
  tensor<std::int64_t, 4> begins;
  observed(words, begins);
  const auto int8 = convert(observed);
  REQUIRE(int8);
  begins.values = {0, 9, 4, 10};
  const status wrong = session{*int8}.check_indices(words, begins);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message() ==
        "node table: the offsets of bag 1 decrease or lie outside of the 30 indices");
}
