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

/// An encoder block of torchvision's ViT: attention is one module, which stays in float.
inline constexpr auto encoder = model(
    "x"_n = nn::placeholder({2, 5, 24}), "fc"_n = nn::linear("x"_n, {.out_features = 24}),
    "ln_1"_n = nn::layer_norm("fc"_n),
    "self_attention"_n = nn::multihead_attention(
        "ln_1"_n, "ln_1"_n, "ln_1"_n, {.num_heads = 3, .batch_first = true, .need_weights = false}),
    "attended"_n = op::getitem("self_attention"_n, {.index = {0}}),
    "dropout"_n = nn::dropout("attended"_n), "add"_n = op::add("dropout"_n, "fc"_n),
    "ln_2"_n = nn::layer_norm("add"_n), "mlp.0"_n = nn::linear("ln_2"_n, {.out_features = 40}),
    "mlp.1"_n = nn::gelu("mlp.0"_n), "mlp.3"_n = nn::linear("mlp.1"_n, {.out_features = 24}),
    "add_1"_n = op::add("add"_n, "mlp.3"_n), "out"_n = nn::output("add_1"_n));

/// A decoder's attention to images: keys and values differ and are views or channels last, and the
/// weights are read, too.
inline constexpr auto decoder = model(
    "x"_n = nn::placeholder({2, 3, 4, 4}),
    "key"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 3, .stride = 2, .padding = 1}),
    "value"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 2, .stride = 2}),
    "flat_k"_n = fn::flatten("key"_n, {.start_dim = 2}),
    "k"_n = method::permute("flat_k"_n, {.dims = {2, 0, 1}}),
    "flat_v"_n = fn::flatten("value"_n, {.start_dim = 2}),
    "v"_n = method::permute("flat_v"_n, {.dims = {2, 0, 1}}),
    "pooled"_n = fn::mean("k"_n, {.dim = 0, .keepdim = true}),
    "queries"_n = fn::cat({"pooled"_n, "v"_n}, {.dim = 0}),
    "attention"_n = nn::multihead_attention(
        "queries"_n, "k"_n, "v"_n,
        {.num_heads = 2, .bias = false, .average_attn_weights = false, .mask = true}),
    "y"_n = op::getitem("attention"_n, {.index = {0}}),
    "weights"_n = op::getitem("attention"_n, {.index = {1}}),
    "rows"_n = method::mean("weights"_n, {.dim = 1}),
    "seen"_n = nn::linear("rows"_n, {.out_features = 8}),
    "of_time"_n = method::permute("y"_n, {.dims = {1, 0, 2}}),
    "both"_n = op::add("of_time"_n, "seen"_n), "last"_n = nn::linear("both"_n, {.out_features = 6}),
    "out"_n = nn::output("last"_n));
static_assert(decoder.nodes[11].shape == shape{2, 2, 5, 4});

/// nn.Transformer, as tools/export_fx.py writes it: whole layers in float, which read views and
/// what is computed on integers.
inline constexpr auto transformer = model(
    "x"_n = nn::placeholder({2, 3, 4, 4}),
    "conv"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 3, .padding = 1}),
    "flat"_n = fn::flatten("conv"_n, {.start_dim = 2}),
    "src"_n = method::permute("flat"_n, {.dims = {2, 0, 1}}),
    "encoder.0"_n =
        nn::transformer_encoder_layer("src"_n, {.nhead = 2, .dim_feedforward = 12, .mask = true}),
    "encoder.1"_n =
        nn::transformer_encoder_layer("encoder.0"_n, {.nhead = 4,
                                                      .dim_feedforward = 5,
                                                      .activation = transformer_activation::gelu,
                                                      .norm_first = true,
                                                      .bias = false}),
    "encoder.norm"_n = nn::float_layer_norm("encoder.1"_n),
    "part"_n = op::getitem("src"_n, {.index = {index::slice(1, 8, 3)}}),
    "tgt"_n = nn::linear("part"_n, {.out_features = 8}),
    "decoder.0"_n = nn::transformer_decoder_layer(
        "tgt"_n, "encoder.norm"_n,
        {.nhead = 2, .dim_feedforward = 40, .mask = true, .cross_mask = true}),
    "last"_n = nn::linear("decoder.0"_n, {.out_features = 6}), "out"_n = nn::output("last"_n));

using transformed = plan<transformer, x86, small::everywhere, unsupported::skip>;
/// The norm of an encoder is part of what PyTorch leaves in float.
constexpr bool is_in_float(op_id op) {
  for (int i = 0; i < transformed::lowered.count; ++i)
    if (transformed::lowered.nodes[i].op == op) return transformed::lowered.nodes[i].dtype == f32;
  return false;
}
static_assert(transformer.nodes[9].shape == shape{3, 2, 8});
static_assert(is_in_float(nn::float_layer_norm.id()) &&
              is_in_float(nn::transformer_decoder_layer.id()));

using made = plan<encoder, x86, small::everywhere, unsupported::skip>;
/// What runs on integers around the module, and what does not.
constexpr dtype dtype_of_op(op_id op) {
  for (int i = 0; i < made::lowered.count; ++i)
    if (made::lowered.nodes[i].op == op) return made::lowered.nodes[i].dtype;
  return dtype::none;
}
static_assert(dtype_of_op(nn::multihead_attention.id()) == f32);
static_assert(dtype_of_op(q::add.id()) == quint8 && dtype_of_op(q::linear.id()) == quint8);

}  // namespace

TEST_CASE("attention as a module has the same bytes in both executors and the evaluator") {
  small::check_with_evaluator<encoder, x86>();
  small::check_with_evaluator<decoder, native>();
}

TEST_CASE("whole layers have the same bytes in both executors and the evaluator") {
  small::check_with_evaluator<transformer, x86>();
}

TEST_CASE("transformer blocks have the same bytes in both executors and the evaluator") {
  small::check_with_evaluator<vit, x86>();
  small::check_with_evaluator<bert, native>();
}
