// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transformer blocks as PyTorch's users write them, through both executors and the evaluator.

#include <doctest/doctest.h>

#include "../runtime/small_net.hpp"
#include "ctq/backends/native.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/runtime/convert.hpp"
#include "ctq/runtime/float_model.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "ctq/runtime/observed_model.hpp"
#include "ctq/runtime/session.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

/// A block of ViT: the queries, keys and values are parts of one linear layer.
inline constexpr auto vit = model(
    "x"_n = nn::placeholder({2, 5, 24}), "norm1"_n = nn::layer_norm("x"_n),
    "qkv"_n = nn::linear("norm1"_n, {.out_features = 72}),
    "heads"_n = method::reshape("qkv"_n, {.shape = {2, 5, 3, 2, 12}}),
    "parts"_n = method::permute("heads"_n, {.dims = {2, 0, 3, 1, 4}}),
    "list"_n = method::unbind("parts"_n, {.dim = 0}), "q"_n = op::getitem("list"_n, {.index = {0}}),
    "k"_n = op::getitem("list"_n, {.index = {1}}), "v"_n = op::getitem("list"_n, {.index = {2}}),
    "kt"_n = method::transpose("k"_n, {.dim0 = -2, .dim1 = -1}), "qk"_n = fn::matmul("q"_n, "kt"_n),
    "scaled"_n = op::mul("qk"_n, 0.2887F), "attention"_n = method::softmax("scaled"_n, {.dim = -1}),
    "av"_n = fn::matmul("attention"_n, "v"_n),
    "tokens"_n = method::transpose("av"_n, {.dim0 = 1, .dim1 = 2}),
    "joined"_n = method::reshape("tokens"_n, {.shape = {2, 5, -1}}),
    "proj"_n = nn::linear("joined"_n, {.out_features = 24}), "add1"_n = op::add("proj"_n, "x"_n),
    "norm2"_n = nn::layer_norm("add1"_n), "fc1"_n = nn::linear("norm2"_n, {.out_features = 40}),
    "gelu"_n = nn::gelu("fc1"_n), "fc2"_n = nn::linear("gelu"_n, {.out_features = 24}),
    "add2"_n = op::add("fc2"_n, "add1"_n),
    "cls"_n = op::getitem("add2"_n, {.index = {index::slice(), 0}}), "out"_n = nn::output("cls"_n));

/// The encoder layer of BERT: three linear layers, the norms after the sums.
inline constexpr auto bert = model(
    "x"_n = nn::placeholder({1, 7, 24}), "query"_n = nn::linear("x"_n, {.out_features = 24}),
    "key"_n = nn::linear("x"_n, {.out_features = 24}),
    "value"_n = nn::linear("x"_n, {.out_features = 24}),
    "view_q"_n = method::view("query"_n, {.shape = {1, 7, 3, 8}}),
    "view_k"_n = method::view("key"_n, {.shape = {1, 7, 3, 8}}),
    "view_v"_n = method::view("value"_n, {.shape = {1, 7, 3, 8}}),
    "q"_n = method::permute("view_q"_n, {.dims = {0, 2, 1, 3}}),
    "k"_n = method::permute("view_k"_n, {.dims = {0, 2, 1, 3}}),
    "v"_n = method::permute("view_v"_n, {.dims = {0, 2, 1, 3}}),
    "kt"_n = method::transpose("k"_n, {.dim0 = -1, .dim1 = -2}),
    "scores"_n = fn::matmul("q"_n, "kt"_n), "scaled"_n = op::truediv("scores"_n, 2.8284271F),
    "probs"_n = nn::softmax("scaled"_n, {.dim = -1}), "dropped"_n = nn::dropout("probs"_n),
    "context"_n = fn::matmul("dropped"_n, "v"_n),
    "back"_n = method::permute("context"_n, {.dims = {0, 2, 1, 3}}),
    "contiguous"_n = method::contiguous("back"_n),
    "joined"_n = method::view("contiguous"_n, {.shape = {1, 7, 24}}),
    "dense"_n = nn::linear("joined"_n, {.out_features = 24}), "sum1"_n = op::add("dense"_n, "x"_n),
    "norm1"_n = nn::layer_norm("sum1"_n, {.eps = 1e-12F}),
    "up"_n = nn::linear("norm1"_n, {.out_features = 48}), "gelu"_n = fn::gelu("up"_n),
    "down"_n = nn::linear("gelu"_n, {.out_features = 24}), "sum2"_n = op::add("down"_n, "norm1"_n),
    "norm2"_n = nn::layer_norm("sum2"_n, {.eps = 1e-12F}), "out"_n = nn::output("norm2"_n));

struct everywhere
    : qconfig_mapping<global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>> {};

/// What modules own, for the evaluator.
module_state state_of(const weights& w) {
  module_state all;
  for (const weight_tensor& t : w.tensors())
    all.set_tensor(t.name, float_ops::tensor{t.shape, t.values});
  return all;
}

/// The output of the evaluator.
template <class Evaluator, class Input>
std::vector<float> evaluated(Evaluator& run, const Input& x, const shape& s) {
  const auto values = run.run({node_value(
      float_ops::tensor{{s.extent, s.extent + s.rank}, {x.values.begin(), x.values.end()}})});
  if (!values) FAIL(values.error().message());
  return values->back().real().template get_if<float_ops::tensor>()->data;
}

template <const auto& Model, class Backend>
void check() {
  std::mt19937 random{5};
  const auto weights = small::checked_weights<Model>(3);
  auto observed = prepare<Model, Backend, everywhere, unsupported::skip>(weights);
  using plan = typename decltype(observed)::plan;
  typename io_types<plan::int8_schedule>::input x;
  typename io_types<plan::int8_schedule>::output ours, expected, in_float;
  for (int i = 0; i < 8; ++i) {
    small::fill(x, random);
    observed(x);
  }
  const auto int8 = convert(observed);
  REQUIRE(int8);
  auto oracle = interpreter<reference_kernels>::make(plan::lowered.view(), weights.get(),
                                                     int8->qparams(), plan::backend, plan::mapping);
  REQUIRE(oracle);
  quantizations steps;
  for (std::size_t i = 0; i < int8->qparams().size(); ++i) {
    const qparams& q = int8->qparams()[i];
    steps.activations[static_cast<int>(i)] = {
        .dtype = quint8, .scale = {static_cast<double>(q.scale)}, .zero_point = {q.zero_point}};
  }
  const module_state modules = state_of(weights.get());
  evaluator<stage::lowered> eval(plan::lowered.view(), modules, {.steps = &steps});
  evaluator<stage::lowered, fast_kernels> fast(plan::lowered.view(), modules, {.steps = &steps});
  float_model<Model, Backend> reference{weights};
  session session{*int8};
  float error = 0, size = 0;
  for (int i = 0; i < 5; ++i) {
    small::fill(x, random);
    session(x, ours);
    oracle->run(x.data(), expected.data());
    CHECK(ours.values == expected.values);
    const std::vector<float> bytes(ours.values.begin(), ours.values.end());
    CHECK(evaluated(eval, x, Model.nodes[0].shape) == bytes);
    CHECK(evaluated(fast, x, Model.nodes[0].shape) == bytes);
    reference(x, in_float);
    for (std::size_t k = 0; k < ours.size; ++k) {
      error += std::fabs(ours[k] - in_float[k]);
      size += std::fabs(in_float[k]);
    }
  }
  CHECK(error < 0.1F * size);
}

}  // namespace

TEST_CASE("transformer blocks have the same bytes in both executors and the evaluator") {
  check<vit, x86>();
  check<bert, native>();
}
