// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Networks of the ops between layers: reductions, pads, parts and stacks of tensors, attention.
// Both executors and the evaluator have the same bytes, in float where x86 does not list an op, and
// on integers with a backend that lists more of them.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "compare_evaluator.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

using a8 = dtype_configs<activation_int8>;
template <const auto&... Op>
struct listing
    : x86::set<"listing", backend_pattern_config<pattern<Op>, a8, share_observer_with_input>...> {};
using wide = listing<fn::amax, fn::amin, method::amin, fn::pad, nn::constant_pad2d,
                     nn::reflection_pad2d, nn::replication_pad2d, nn::adaptive_max_pool2d>;

/// How many nodes of this op compute on integers.
template <const auto& Model, class Backend>
constexpr int on_integers_of(op_id op) {
  using made = plan<Model, Backend, small::everywhere, unsupported::skip>;
  int count = 0;
  for (int i = 0; i < made::lowered.count; ++i)
    count += made::lowered.nodes[i].op == op && made::lowered.nodes[i].dtype == quint8 ? 1 : 0;
  return count;
}

/// Squeeze and excitation, and reductions along other axes.
inline constexpr auto reduced =
    model("x"_n = nn::placeholder({2, 3, 5, 7}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 3, .padding = 1}),
          "squeezed"_n = fn::mean("conv"_n, {.dim = {2, 3}, .keepdim = true}),
          "excited"_n = nn::conv2d("squeezed"_n, {.out_channels = 8, .kernel_size = 1}),
          "scaled"_n = op::mul("conv"_n, "excited"_n),
          "rows"_n = method::mean("scaled"_n, {.dim = {1, 3}}),
          "most"_n = fn::amax("scaled"_n, {.dim = {2, -1}}),
          "least"_n = fn::amin("scaled"_n, {.dim = 1, .keepdim = true}),
          "total"_n = fn::sum("least"_n, {.dim = {1, -1}}),
          "all"_n = fn::cat({"rows"_n, "most"_n, "total"_n}, {.dim = 1}),
          "fc"_n = nn::linear("all"_n, {.out_features = 6}),
          "centered"_n = method::mean("fc"_n, {.dim = -1, .keepdim = true}),
          "out"_n = nn::output("centered"_n));
static_assert(reduced.nodes[5].shape == shape{2, 5});
static_assert(on_integers_of<reduced, x86>(fn::mean.id()) == 1);
static_assert(on_integers_of<reduced, x86>(method::mean.id()) == 2);
static_assert(on_integers_of<reduced, x86>(fn::amax.id()) == 0);
static_assert(on_integers_of<reduced, wide>(fn::amax.id()) == 1);

/// Parts of different sizes, which become axes.
inline constexpr auto parts = model(
    "x"_n = nn::placeholder({2, 10}), "fc"_n = nn::linear("x"_n, {.out_features = 11}),
    "split"_n = method::split("fc"_n, {.split_size_or_sections = {4, 7}, .dim = 1}),
    "a"_n = op::getitem("split"_n, {.index = {0}}), "b"_n = op::getitem("split"_n, {.index = {-1}}),
    "chunks"_n = fn::chunk("fc"_n, {.chunks = 3, .dim = -1}),
    "c"_n = op::getitem("chunks"_n, {.index = {2}}),
    "fa"_n = nn::linear("a"_n, {.out_features = 6}),
    "fb"_n = nn::linear("b"_n, {.out_features = 6}),
    "fd"_n = nn::linear("c"_n, {.out_features = 6}),
    "stack"_n = fn::stack({"fa"_n, "fb"_n, "fd"_n}, {.dim = 1}),
    "last"_n = nn::linear("stack"_n, {.out_features = 4}),
    "deep"_n = fn::stack({"last"_n, "last"_n}, {.dim = -1}), "out"_n = nn::output("deep"_n));
static_assert(parts.nodes[4].shape == shape{2, 7} && parts.nodes[6].shape == shape{2, 3});
static_assert(parts.nodes[10].shape == shape{2, 3, 6});
static_assert(parts.nodes[12].shape == shape{2, 3, 4, 2});
static_assert(on_integers_of<parts, x86>(fn::stack.id()) == 2);

/// Parts of an image, which lie among its channels.
inline constexpr auto image_parts = model(
    "x"_n = nn::placeholder({1, 2, 4, 3}),
    "conv"_n = nn::conv2d("x"_n, {.out_channels = 7, .kernel_size = 1}),
    "split"_n = fn::split("conv"_n, {.split_size_or_sections = 4, .dim = 1}),
    "a"_n = op::getitem("split"_n, {.index = {0}}), "b"_n = op::getitem("split"_n, {.index = {1}}),
    "ca"_n = nn::conv2d("a"_n, {.out_channels = 2, .kernel_size = 3}),
    "cb"_n = nn::conv2d("b"_n, {.out_channels = 2, .kernel_size = 3}),
    "sum"_n = op::add("ca"_n, "cb"_n), "out"_n = nn::output("sum"_n));

inline constexpr auto bordered =
    model("x"_n = nn::placeholder({1, 3, 6, 5}),
          "zeros"_n = nn::constant_pad2d("x"_n, {.padding = {1, 2, 0, 1}, .value = 0.5F}),
          "conv1"_n = nn::conv2d("zeros"_n, {.out_channels = 4, .kernel_size = 3}),
          "mirrored"_n = nn::reflection_pad2d("conv1"_n, {.padding = {2, 2, 2, 2}}),
          "slopes"_n = nn::prelu("mirrored"_n, {.num_parameters = 4}),
          "conv2"_n = nn::conv2d("slopes"_n, {.out_channels = 5, .kernel_size = 3}),
          "edges"_n = nn::replication_pad2d("conv2"_n, {.padding = {1, 0, 1, 2}}),
          "circle"_n = fn::pad("edges"_n, {.pad = {1, -1}, .mode = padding_rule::circular}),
          "slope"_n = nn::prelu("circle"_n), "dropped"_n = fn::dropout2d("slope"_n),
          "pooled"_n = nn::adaptive_max_pool2d("dropped"_n, {.output_size = {4, 3}}),
          "conv3"_n = nn::conv2d("pooled"_n, {.out_channels = 2, .kernel_size = 1}),
          "out"_n = nn::output("conv3"_n));
static_assert(bordered.nodes[7].shape == bordered.nodes[8].shape);
static_assert(on_integers_of<bordered, wide>(fn::pad.id()) == 1);
static_assert(on_integers_of<bordered, wide>(nn::adaptive_max_pool2d.id()) == 1);

/// Masks from images, of numbers and of tensors that broadcast, and what reads them.
inline constexpr auto masked = model(
    "x"_n = nn::placeholder({2, 3, 4, 5}), "limit"_n = nn::get_attr({3, 1, 1}),
    "a"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 3, .padding = 1}),
    "b"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}), "gt"_n = op::gt("a"_n, "b"_n),
    "le"_n = op::le("b"_n, 0.25F), "above"_n = op::lt(-1.0F, "a"_n),
    "lt"_n = fn::lt("a"_n, "limit"_n), "both"_n = op::and_("gt"_n, "le"_n),
    "not"_n = op::invert("both"_n), "any"_n = fn::logical_or("not"_n, "lt"_n),
    "filled"_n = method::masked_fill("a"_n, "lt"_n, {.value = -2.0F}),
    "rest"_n = fn::masked_fill("filled"_n, "above"_n, {.value = 1.0F, .unless = true}),
    "chosen"_n = fn::where("any"_n, "rest"_n, "limit"_n), "ones"_n = fn::ones_like("chosen"_n),
    "scaled"_n = method::mul("chosen"_n, "ones"_n), "gated"_n = method::mul("scaled"_n, "gt"_n),
    "c"_n = nn::conv2d("gated"_n, {.out_channels = 4, .kernel_size = 1}),
    "out"_n = nn::output("c"_n));

/// Sums along axes of two tensors that are views.
inline constexpr auto summed = model(
    "x"_n = nn::placeholder({2, 5, 8}), "q"_n = nn::linear("x"_n, {.out_features = 8}),
    "k"_n = nn::linear("x"_n, {.out_features = 8}),
    "heads"_n = method::view("q"_n, {.shape = {2, 5, 2, 4}}),
    "turned"_n = fn::swapaxes("heads"_n, {.dim0 = 1, .dim1 = 2}),
    "keys"_n = method::view("k"_n, {.shape = {2, 5, 2, 4}}),
    "scores"_n = fn::einsum("turned"_n, "keys"_n,
                            {.other_axes = {0, 4, 1, 3}, .out_axes = {0, 2, 1, 4}, .axes = 4}),
    "flat"_n = method::reshape("scores"_n, {.shape = {2, 5, 10}}),
    "last"_n = nn::linear("flat"_n, {.out_features = 6}), "out"_n = nn::output("last"_n));
static_assert(summed.nodes[6].shape == shape{2, 5, 2, 5});

/// A block of Swin Transformer, and the patches that follow.
inline constexpr auto windows = model(
    "x"_n = nn::placeholder({2, 3, 5, 4}),
    "conv"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 1}),
    "image"_n = method::permute("conv"_n, {.dims = {0, 2, 3, 1}}),
    "norm"_n = nn::layer_norm("image"_n), "positions"_n = nn::get_attr({1, 2, 6, 6}),
    "attn"_n = nn::shifted_window_attention(
        "norm"_n, "positions"_n, {.num_heads = 2, .window_size = {3, 2}, .shift_size = {1, 1}}),
    "add"_n = op::add("attn"_n, "image"_n),
    "cosine"_n = nn::shifted_window_attention(
        "add"_n, "positions"_n,
        {.num_heads = 2, .window_size = {3, 2}, .proj_bias = false, .cosine = true}),
    "merged"_n = fn::patch_merging_pad("cosine"_n),
    "fc"_n = nn::linear("merged"_n, {.out_features = 6}), "out"_n = nn::output("fc"_n));
static_assert(windows.nodes[8].shape == shape{2, 3, 2, 32});

/// Attention of two heads, and of one that reads what is before it.
inline constexpr auto attending =
    model("x"_n = nn::placeholder({2, 5, 12}), "q"_n = nn::linear("x"_n, {.out_features = 12}),
          "k"_n = nn::linear("x"_n, {.out_features = 12}),
          "v"_n = nn::linear("x"_n, {.out_features = 12}),
          "heads_q"_n = method::view("q"_n, {.shape = {2, 5, 2, 6}}),
          "heads_k"_n = method::view("k"_n, {.shape = {2, 5, 2, 6}}),
          "heads_v"_n = method::view("v"_n, {.shape = {2, 5, 2, 6}}),
          "tq"_n = method::transpose("heads_q"_n, {.dim0 = 1, .dim1 = 2}),
          "tk"_n = method::transpose("heads_k"_n, {.dim0 = 1, .dim1 = 2}),
          "tv"_n = method::transpose("heads_v"_n, {.dim0 = 1, .dim1 = 2}),
          "attention"_n = fn::scaled_dot_product_attention("tq"_n, "tk"_n, "tv"_n),
          "back"_n = method::transpose("attention"_n, {.dim0 = 1, .dim1 = 2}),
          "joined"_n = method::reshape("back"_n, {.shape = {2, 5, 12}}),
          "memory"_n = fn::narrow("v"_n, {.dim = 2, .start = 0, .length = 3}),
          "causal"_n = fn::scaled_dot_product_attention("joined"_n, "k"_n, "memory"_n,
                                                        {.is_causal = true, .scale = 0.25F}),
          "fc"_n = nn::linear("causal"_n, {.out_features = 4}), "out"_n = nn::output("fc"_n));
static_assert(attending.nodes[10].shape == shape{2, 2, 5, 6});
static_assert(attending.nodes[14].shape == shape{2, 5, 3});

/// The classes of an image, one for each pixel, and the pixel of the largest score.
inline constexpr auto segmented =
    model("x"_n = nn::placeholder({2, 3, 4, 5}),
          "scores"_n = nn::conv2d("x"_n, {.out_channels = 9, .kernel_size = 1}),
          "classes"_n = fn::argmax("scores"_n, {.dim = {1}}),
          "worst"_n = method::argmin("scores"_n, {.dim = {-3}, .keepdim = true}),
          "rows"_n = fn::argmax("scores"_n, {.dim = {2}, .keepdim = true}),
          "first"_n = fn::argmax("scores"_n), "most"_n = fn::max("scores"_n, {.dim = {3}}),
          "values"_n = op::getitem("most"_n, {.index = {0}}),
          "places"_n = op::getitem("most"_n, {.index = {-1}}),
          "out"_n = nn::output("scores"_n, "classes"_n, "worst"_n, "rows"_n, "first"_n, "values"_n,
                               "places"_n));
static_assert(segmented.nodes[7].dtype == f32 && segmented.nodes[8].dtype == i64);
static_assert(segmented.nodes[2].shape == shape{2, 4, 5} && segmented.nodes[2].dtype == i64);
static_assert(plan<segmented, x86, small::everywhere, unsupported::skip>::lowered.count > 0);

/// Products of matrices and vectors, and batch norms without weights, of which a layer has one.
inline constexpr auto with_vectors = model(
    "x"_n = nn::placeholder({2, 3, 4, 5}),
    "conv"_n = nn::conv2d("x"_n, {.out_channels = 6, .kernel_size = 3}),
    "folded"_n = nn::batch_norm2d("conv"_n, {.affine = false}), "relu"_n = nn::relu("folded"_n),
    "sum"_n = op::add("relu"_n, 0.5F), "norm"_n = nn::batch_norm2d("sum"_n, {.affine = false}),
    "rows"_n = fn::flatten("norm"_n, {.start_dim = 2}), "weight"_n = nn::get_attr({6}),
    "of_channels"_n = op::matmul("rows"_n, "weight"_n), "row"_n = nn::get_attr({6}),
    "left"_n = fn::matmul("row"_n, "rows"_n), "both"_n = op::add("left"_n, "of_channels"_n),
    "turned"_n = method::transpose("rows"_n, {.dim0 = 1, .dim1 = 2}),
    "part"_n = op::getitem("turned"_n, {.index = {0, 0}}),
    "scalar"_n = method::matmul("part"_n, "row"_n), "all"_n = op::add("both"_n, "scalar"_n),
    "fc"_n = nn::linear("all"_n, {.out_features = 3}), "out"_n = nn::output("fc"_n));
static_assert(with_vectors.nodes[8].shape == shape{2, 6} &&
              with_vectors.nodes[10].shape == shape{2, 6} &&
              with_vectors.nodes[14].shape == shape{});

/// Products to which something is added: a row, a column, or a matrix.
inline constexpr auto added_products =
    model("x"_n = nn::placeholder({5, 7}), "fc"_n = nn::linear("x"_n, {.out_features = 6}),
          "bias"_n = nn::get_attr({11}), "weight"_n = nn::get_attr({6, 11}),
          "a"_n = fn::addmm("bias"_n, "fc"_n, "weight"_n), "column"_n = nn::get_attr({5, 1}),
          "square"_n = nn::get_attr({11, 6}),
          "b"_n = fn::addmm("column"_n, "a"_n, "square"_n, {.beta = 0.5F, .alpha = 0.25F}),
          "turned"_n = fn::transpose("b"_n, {.dim0 = 0, .dim1 = 1}),
          "narrow"_n = fn::narrow("square"_n, {.dim = 1, .start = 0, .length = 5}),
          "c"_n = fn::addmm("turned"_n, "weight"_n, "narrow"_n, {.beta = -1.0F}),
          "fc2"_n = nn::linear("c"_n, {.out_features = 3}), "out"_n = nn::output("fc2"_n));

/// Elements in another order, of images that lie channels last, and upsampled ones.
inline constexpr auto rearranged =
    model("x"_n = nn::placeholder({2, 3, 4, 5}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 6, .kernel_size = 3, .padding = 1}),
          "shuffled"_n = nn::channel_shuffle("conv"_n, {.groups = 2}),
          "flipped"_n = fn::flip("shuffled"_n, {.dims = {3}}),
          "rolled"_n = method::roll("flipped"_n, {.shifts = {-1, 2}, .dims = {2, 3}}),
          "shares"_n = nn::softmax2d("rolled"_n),
          "near"_n = nn::upsampling_nearest2d("shares"_n, {.scale_factor = 2}),
          "far"_n = nn::upsampling_bilinear2d("shares"_n, {.size = {8, 10}}),
          "both"_n = op::add("near"_n, "far"_n),
          "conv2"_n = nn::conv2d("both"_n, {.out_channels = 4, .kernel_size = 1}),
          "part"_n = method::narrow("conv2"_n, {.dim = 2, .start = 2, .length = 5}),
          "column"_n = method::select("part"_n, {.dim = 3, .index = -2}),
          "row"_n = fn::select("column"_n, {.dim = 1, .index = 1}),
          "fc"_n = nn::linear("row"_n, {.out_features = 3}), "out"_n = nn::output("fc"_n));
static_assert(rearranged.nodes[11].shape == shape{2, 4, 5});

/// Blocks of images that are summed again, normed by their neighbours, and compared.
inline constexpr auto compared = model(
    "x"_n = nn::placeholder({2, 3, 6, 5}),
    "conv"_n = nn::conv2d("x"_n, {.out_channels = 6, .kernel_size = 3, .padding = 1}),
    "relu"_n = nn::relu("conv"_n),
    "norm"_n = nn::local_response_norm("relu"_n, {.size = 5, .alpha = 0.5F}),
    "blocks"_n = nn::unfold("norm"_n, {.kernel_size = {2, 3}, .padding = 1, .stride = 2}),
    "sums"_n = method::cumsum("blocks"_n, {.dim = 1}),
    "image"_n = fn::fold("sums"_n,
                         {.output_size = {6, 5}, .kernel_size = {2, 3}, .padding = 1, .stride = 2}),
    "conv2"_n = nn::conv2d("image"_n, {.out_channels = 4, .kernel_size = 1}),
    "rows"_n = fn::flatten("conv2"_n, {.start_dim = 2}), "other"_n = nn::get_attr({7, 30}),
    "far"_n = fn::cdist("rows"_n, "other"_n), "row"_n = nn::get_attr({4, 1}),
    "angles"_n = nn::cosine_similarity("rows"_n, "row"_n),
    "fc"_n = nn::linear("angles"_n, {.out_features = 7}),
    "of_each"_n = fn::unsqueeze("fc"_n, {.dim = 1}),
    "apart"_n = fn::pairwise_distance("far"_n, "of_each"_n),
    "product"_n = fn::cumprod("apart"_n, {.dim = 1}), "shrunk"_n = nn::softshrink("product"_n),
    "least"_n = nn::softmin("shrunk"_n, {.dim = 1}), "out"_n = nn::output("least"_n));

/// A spatial transformer, and elements that indices choose; masks are indices of 0 and 1.
inline constexpr auto sampled = model(
    "x"_n = nn::placeholder({2, 3, 6, 5}),
    "conv"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3, .padding = 1}),
    "swapped"_n = fn::select_each("conv"_n, {.dim = 1, .index = {2, 1, 0, -1}}),
    "theta"_n = nn::get_attr({2, 2, 3}),
    "grid"_n = fn::affine_grid("theta"_n, {.size = {2, 4, 4, 7}}),
    "seen"_n = fn::grid_sample("swapped"_n, "grid"_n,
                               {.padding_mode = sampling_padding::border, .align_corners = true}),
    "conv2"_n = nn::conv2d("seen"_n, {.out_channels = 3, .kernel_size = 1}),
    "limits"_n = nn::get_attr({6}), "places"_n = op::gt("limits"_n, 0.0F),
    "columns"_n = fn::index_select("conv2"_n, "places"_n, {.dim = 3}),
    "limits2"_n = nn::get_attr({2, 3, 4, 2}), "of_each"_n = op::lt("limits2"_n, 0.0F),
    "few"_n = method::gather("columns"_n, "of_each"_n, {.dim = -1}),
    "top"_n = fn::topk("columns"_n, {.k = 2, .dim = 3}),
    "most"_n = op::getitem("top"_n, {.index = {0}}), "order"_n = method::sort("most"_n, {.dim = 2}),
    "up"_n = op::getitem("order"_n, {.index = {0}}),
    "places_in_order"_n = op::getitem("order"_n, {.index = {1}}),
    "in_order"_n = fn::gather("few"_n, "places_in_order"_n, {.dim = 2}),
    "all_few"_n = op::add("in_order"_n, "up"_n),
    "lower"_n = fn::tril("all_few"_n, {.diagonal = -1}), "upper"_n = method::triu("columns"_n),
    "near"_n = fn::flatten("lower"_n, {.start_dim = 2}),
    "far"_n = fn::flatten("upper"_n, {.start_dim = 2}),
    "both"_n = nn::bilinear("near"_n, "far"_n, {.out_features = 5}),
    "fc2"_n = nn::linear("both"_n, {.out_features = 3}), "out"_n = nn::output("fc2"_n));
static_assert(sampled.nodes[5].shape == shape{2, 4, 4, 7});

/// Functions of a tensor and a number.
inline constexpr auto numbers =
    model("x"_n = nn::placeholder({2, 6}), "fc1"_n = nn::linear("x"_n, {.out_features = 8}),
          "square"_n = op::pow("fc1"_n, 2.0F), "power"_n = op::pow(0.5F, "square"_n),
          "root"_n = method::pow("power"_n, 0.75F), "rest"_n = fn::rsub("root"_n, 1.0F),
          "curve"_n = fn::gelu("rest"_n, {.approximate = gelu_rule::tanh}),
          "copy"_n = method::clone("curve"_n), "sum"_n = method::add_("copy"_n, "rest"_n),
          "product"_n = method::mul_("sum"_n, 0.5F),
          "part"_n = fn::narrow("product"_n, {.dim = 1, .start = 1, .length = 5}),
          "fc2"_n = nn::linear("part"_n, {.out_features = 3}),
          "shares"_n = method::log_softmax("fc2"_n, {.dim = 1}), "out"_n = nn::output("shares"_n));

}  // namespace

TEST_CASE("networks with reductions have the same bytes in both executors and the evaluator") {
  small::check_with_evaluator<reduced, x86>();
  small::check_with_evaluator<reduced, wide>();
}

TEST_CASE("networks of parts and stacks of tensors have the same bytes") {
  small::check_with_evaluator<parts, x86>();
  small::check_with_evaluator<image_parts, x86>();
}

TEST_CASE("networks of elements in another order have the same bytes") {
  small::check_with_evaluator<rearranged, x86>();
}

TEST_CASE(
    "networks of vectors, of sums with products and of batch norms without weights have the same "
    "bytes") {
  small::check_with_evaluator<with_vectors, x86>();
  small::check_with_evaluator<added_products, x86>();
}

TEST_CASE("networks with masks have the same bytes") { small::check_with_evaluator<masked, x86>(); }

TEST_CASE("networks with sums along axes and attention in windows have the same bytes") {
  small::check_with_evaluator<summed, x86>();
  small::check_with_evaluator<windows, x86>();
}

TEST_CASE("networks with attention have the same bytes") {
  small::check_with_evaluator<attending, x86>();
}

TEST_CASE("networks with distances, running sums and blocks of images have the same bytes") {
  small::check_with_evaluator<compared, x86>();
}

TEST_CASE("networks with grids and chosen elements have the same bytes") {
  small::check_with_evaluator<sampled, x86>();
}

TEST_CASE("networks with pads, slopes and numbers have the same bytes") {
  small::check_with_evaluator<bordered, x86>();
  small::check_with_evaluator<bordered, wide>();
  small::check_with_evaluator<numbers, x86>();
}

TEST_CASE(
    "indices of extremes are outputs of int64, the same in both executors and the evaluator") {
  const auto weights = small::checked_weights<segmented>(3);
  auto observed = prepare<segmented, x86, small::everywhere, unsupported::skip>(weights);
  using plan = typename decltype(observed)::plan;
  std::mt19937 random{5};
  tensor<float, 2, 3, 4, 5> x;
  small::fill(x, random);
  observed(x);
  const auto int8 = convert(observed);
  REQUIRE(int8);
  session net{*int8};
  const auto [scores, classes, worst, rows, first, values, places] = net(x);
  static_assert(std::is_same_v<decltype(classes), const tensor<std::int64_t, 2, 4, 5>>);
  static_assert(std::is_same_v<decltype(first), const tensor<std::int64_t>>);
  const auto score = [&scores = scores](std::size_t n, std::size_t channel, std::size_t pixel) {
    return scores[(n * 9 + channel) * 20 + pixel];
  };
  for (std::size_t i = 0; i < classes.size; ++i) {
    const float best = score(i / 20, static_cast<std::size_t>(classes[i]), i % 20);
    const float least = score(i / 20, static_cast<std::size_t>(worst[i]), i % 20);
    for (std::size_t c = 0; c < 9; ++c) {
      CHECK(score(i / 20, c, i % 20) <= best);
      CHECK(score(i / 20, c, i % 20) >= least);
      if (c < static_cast<std::size_t>(classes[i])) CHECK(score(i / 20, c, i % 20) < best);
    }
  }
  CHECK(scores[static_cast<std::size_t>(first[0])] ==
        *std::max_element(scores.begin(), scores.end()));
  for (std::size_t i = 0; i < values.size; ++i) {
    const auto row = scores.begin() + static_cast<std::ptrdiff_t>(5 * i);
    const auto most = std::max_element(row, row + 5);
    CHECK(values[i] == *most);
    CHECK(places[i] == most - row);
  }

  auto oracle = interpreter<reference_kernels>::make(plan::lowered.view(), weights.get(),
                                                     int8->qparams(), plan::backend, plan::mapping);
  REQUIRE(oracle);
  auto [scores_too, classes_too, worst_too, rows_too, first_too, values_too, places_too] =
      decltype(net(x)){};
  const void* const in[] = {x.data()};
  void* const out[] = {scores_too.data(), classes_too.data(), worst_too.data(), rows_too.data(),
                       first_too.data(),  values_too.data(),  places_too.data()};
  oracle->run(in, out);
  CHECK(scores_too.values == scores.values);
  CHECK(classes_too.values == classes.values);
  CHECK(worst_too.values == worst.values);
  CHECK(rows_too.values == rows.values);
  CHECK(first_too.values == first.values);
  CHECK(values_too.values == values.values);
  CHECK(places_too.values == places.values);

  const auto state = small::state_of(weights.get());
  const model_qparams qparams = small::qparams_of(*int8);
  evaluator<stage::lowered> run(plan::lowered.view(), state, {.qparams = &qparams});
  const auto evaluated =
      run.run({node_value(float_ops::tensor{{2, 3, 4, 5}, {x.begin(), x.end()}})});
  REQUIRE(evaluated);
  const float_ops::value all = evaluated->back().real();
  REQUIRE(all.is<float_ops::list>());
  const auto same = [&](std::size_t item, const auto& ours) {
    const auto* const y =
        (*all.get_if<float_ops::list>())[item].template get_if<float_ops::index_tensor>();
    REQUIRE(y != nullptr);
    CHECK(y->data == std::vector<std::int64_t>(ours.begin(), ours.end()));
  };
  same(1, classes);
  same(2, worst);
  same(3, rows);
  same(4, first);
  same(6, places);
}
