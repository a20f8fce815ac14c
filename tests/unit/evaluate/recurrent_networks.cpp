// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classifiers of sequences, through both executors and the evaluator.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "../io/quantized_net.hpp"
#include "../runtime/small_net.hpp"
#include "compare_evaluator.hpp"
#include "ctq/backends/native.hpp"
#include "ctq/backends/qconfigs.hpp"
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

/// The last step of the sequence, and the last hidden state of the last layer.
inline constexpr auto classifier = model(
    "words"_n = nn::placeholder({2, 9}, i64),
    "table"_n = nn::embedding("words"_n, {.num_embeddings = 50, .embedding_dim = 12}),
    "lstm"_n =
        nn::lstm("table"_n,
                 {.hidden_size = 20, .num_layers = 2, .batch_first = true, .bidirectional = true}),
    "y"_n = op::getitem("lstm"_n, {.index = {0}}),
    "last"_n = op::getitem("y"_n, {.index = {index::slice(), -1}}),
    "state"_n = op::getitem("lstm"_n, {.index = {1}}),
    "h"_n = op::getitem("state"_n, {.index = {0}}), "top"_n = op::getitem("h"_n, {.index = {-1}}),
    "both"_n = fn::cat({"last"_n, "top"_n}, {.dim = 1}),
    "classes"_n = nn::linear("both"_n, {.out_features = 5}), "out"_n = nn::output("classes"_n));

/// A sequence that begins with a given state, and one after it.
inline constexpr auto with_state =
    model("x"_n = nn::placeholder({6, 3, 7}), "h0"_n = nn::placeholder({1, 3, 10}),
          "c0"_n = nn::placeholder({1, 3, 10}),
          "lstm"_n = nn::lstm("x"_n, "h0"_n, "c0"_n, {.hidden_size = 10}),
          "y"_n = op::getitem("lstm"_n, {.index = {0}}),
          "gru"_n = nn::gru("y"_n, "h0"_n, {.hidden_size = 10, .bias = false}),
          "z"_n = op::getitem("gru"_n, {.index = {0}}),
          "h"_n = op::getitem("gru"_n, {.index = {1}}), "out"_n = nn::output("z"_n, "h"_n));

/// As many layers as a network can have, in both directions.
inline constexpr auto deepest = model(
    "x"_n = nn::placeholder({1, 5, 6}),
    "gru"_n = nn::gru(
        "x"_n, {.hidden_size = 6, .num_layers = 8, .batch_first = true, .bidirectional = true}),
    "y"_n = op::getitem("gru"_n, {.index = {0}}), "out"_n = nn::output("y"_n));

/// Single steps.
inline constexpr auto cells = model(
    "x"_n = nn::placeholder({3, 7}), "lstm"_n = nn::lstm_cell("x"_n, {.hidden_size = 10}),
    "h"_n = op::getitem("lstm"_n, {.index = {0}}),
    "gru"_n = nn::gru_cell("h"_n, "h"_n, {.hidden_size = 10}),
    "rnn"_n = nn::rnn_cell("gru"_n, {.hidden_size = 8, .nonlinearity = rnn_nonlinearity::relu}),
    "out"_n = nn::output("rnn"_n));

template <class QConfig>
struct all_layers
    : qconfig_mapping<object_type<nn::lstm, QConfig>, object_type<nn::gru, QConfig>,
                      object_type<nn::lstm_cell, QConfig>, object_type<nn::gru_cell, QConfig>,
                      object_type<nn::rnn_cell, QConfig>, object_type<nn::linear, QConfig>,
                      object_type<nn::embedding, float_qparams_weight_only_qconfig>> {};
using int8 = all_layers<default_dynamic_qconfig>;
using half = all_layers<float16_dynamic_qconfig>;

template <class T, int... Extent>
node_value value_of(const tensor<T, Extent...>& t) {
  if constexpr (std::is_same_v<T, float>) {
    return node_value(float_ops::tensor{{Extent...}, {t.begin(), t.end()}});
  } else {
    return node_value(float_ops::index_tensor{{Extent...}, {t.begin(), t.end()}});
  }
}

template <class T, int... Extent>
void draw(tensor<T, Extent...>& t, std::mt19937& random) {
  if constexpr (std::is_same_v<T, float>) {
    small::fill(t, random);
  } else {
    for (T& i : t.values) i = static_cast<T>(random() % 50);
  }
}

/// Calls f with one tensor or several.
template <class Tensor, class F>
void with_tensors(Tensor& x, F f) {
  f(x);
}
template <class... Tensor, class F>
void with_tensors(std::tuple<Tensor...>& x, F f) {
  std::apply(f, x);
}

/// The elements of tensors, and of lists of them.
void append(std::vector<float>& all, const float_ops::value& v) {
  if (const auto* t = v.get_if<float_ops::tensor>())
    all.insert(all.end(), t->data.begin(), t->data.end());
  if (const auto* l = v.get_if<float_ops::list>())
    for (const float_ops::value& part : *l) append(all, part);
}

/// same_bytes: of the compiled model, the interpreter and evaluators.
template <const auto& Model, class Mapping>
void check(float most, bool same_bytes) {
  std::mt19937 random{5};
  const auto weights = small::checked_weights<Model>(3);
  auto observed = prepare<Model, native, Mapping>(weights);
  using plan = typename decltype(observed)::plan;
  typename io_types<plan::int8_schedule>::input x;
  typename io_types<plan::int8_schedule>::output ours, expected, in_float, again;
  const auto converted = convert(observed);
  REQUIRE(converted);
  const quantized_net::temporary_file file;
  REQUIRE(converted->save(file.name()));
  const auto loaded = load_quantized<plan>(file.name());
  REQUIRE(loaded);
  auto oracle = interpreter<reference_kernels>::make(
      plan::lowered.view(), weights.get(), converted->qparams(), plan::backend, plan::mapping);
  REQUIRE(oracle);
  const module_state modules = small::state_of(weights.get());
  model_qparams none;
  evaluator<stage::lowered> eval(plan::lowered.view(), modules, {.qparams = &none});
  evaluator<stage::lowered, fast_kernels> fast(plan::lowered.view(), modules, {.qparams = &none});
  float_model<Model, native> reference{weights};
  session session{*converted};
  float error = 0, size = 0, differs = 0, apart = 0;
  for (int i = 0; i < 5; ++i) {
    with_tensors(x, [&](auto&... in) {
      (draw(in, random), ...);
      with_tensors(ours, [&](auto&... out) { session(in..., out...); });
      with_tensors(again, [&](auto&... out) { (*loaded)(in..., out...); });
      with_tensors(in_float, [&](auto&... out) { reference(in..., out...); });
      with_tensors(expected, [&](auto&... out) {
        const void* const from[] = {in.data()...};
        void* const to[] = {out.data()...};
        oracle->run(std::span(from), std::span(to));
      });
      const auto values = eval.run({value_of(in)...});
      if (!values) FAIL(values.error().message());
      const auto fast_value = fast.forward({value_of(in)...});
      if (!fast_value) FAIL(fast_value.error().message());
      std::vector<float> evaluated, by_kernels, found, exact, same, read;
      append(evaluated, values->back().real());
      append(by_kernels, fast_value->real());
      const auto list = [](std::vector<float>& all) {
        return [&all](auto&... out) { (all.insert(all.end(), out.begin(), out.end()), ...); };
      };
      with_tensors(ours, list(found));
      with_tensors(in_float, list(exact));
      with_tensors(expected, list(same));
      with_tensors(again, list(read));
      if (same_bytes) {
        CHECK(found == same);
        CHECK(found == evaluated);
        CHECK(found == by_kernels);
      }
      CHECK(found == read);
      REQUIRE(evaluated.size() == found.size());
      for (std::size_t k = 0; k < found.size(); ++k) {
        error += std::fabs(found[k] - exact[k]);
        differs += std::fabs(found[k] - evaluated[k]);
        apart += std::fabs(found[k] - same[k]);
        size += std::fabs(exact[k]);
      }
    });
  }
  CHECK(error < most * size);
  CHECK(differs < most * size);
  CHECK(apart < 1e-5F * size);
}

}  // namespace

TEST_CASE("dynamic recurrent networks have the same bytes in both executors") {
  check<classifier, int8>(0.05F, true);
  check<with_state, int8>(0.05F, true);
  check<cells, int8>(0.05F, true);
  check<deepest, int8>(0.3F, true);
}

TEST_CASE("recurrent networks of float16 weights are near those of float32") {
  // Without fma, sums of floats differ from the reference in the last bits.
  constexpr bool same_bytes = kernels::simd::has_fma<isa::native>;
  check<classifier, half>(0.01F, same_bytes);
  check<cells, half>(0.01F, same_bytes);
}
