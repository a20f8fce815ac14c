// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transformer blocks as PyTorch's users write them, through both executors and the evaluator.

#include <doctest/doctest.h>

#include "compare_evaluator.hpp"
#include "ctq/backends/native.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/ops/builtin_ops.hpp"

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

}  // namespace

TEST_CASE("transformer blocks have the same bytes in both executors and the evaluator") {
  small::check_with_evaluator<vit, x86>();
  small::check_with_evaluator<bert, native>();
}
