// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/activations.hpp"
#include "ctq/ops/in_float/multihead_attention.hpp"
#include "ctq/ops/norms.hpp"
#include "ctq/ops/rows/dot_products.hpp"
#include "ctq/ops/rows/layer_norm_rows.hpp"
#include "ctq/ops/rows/smooth_activations.hpp"

// nn.TransformerEncoderLayer and nn.TransformerDecoderLayer, which torch.fx does not trace into, so
// that PyTorch's backends leave them in float, as a whole. tools/export_fx.py writes an
// nn.TransformerEncoder as its layers and its norm, which is not quantized, either.

namespace ctq {

/// The activations that nn.TransformerEncoderLayer supports.
enum class transformer_activation : int { relu, gelu };
inline constexpr std::string_view transformer_activation_names[] = {"relu", "gelu"};
inline constexpr option_words_of transformer_activation_words{"transformer_activation",
                                                              {transformer_activation_names, 2}};

struct transformer_layer_options {
  int d_model = 0;  // 0: as many as the input has
  int nhead{};
  int dim_feedforward = 2048;
  float dropout = 0.1F;  // without effect: of training alone
  transformer_activation activation = transformer_activation::relu;
  float layer_norm_eps = 1e-5F;
  flag batch_first = false;
  flag norm_first = false;
  flag bias = true;
  int source_length = 0;    // of a decoder: 0: as many as the memory has
  int target_length = 0;    // 0: as many as the input has
  flag mask = false;        // of its own attention: a parameter of this name
  flag cross_mask = false;  // of a decoder's attention to the memory: the same
};

}  // namespace ctq

// clang-format off
#define CTQ_TRANSFORMER_LAYERS(OP) \
  OP(nn, module_op, transformer_encoder_layer, "torch.nn.TransformerEncoderLayer", transformer_layer_options, transformer_encoder_layer) \
  OP(nn, binary_module, transformer_decoder_layer, "torch.nn.TransformerDecoderLayer", transformer_layer_options, transformer_decoder_layer) \
  OP(nn, module_op, float_layer_norm, "ctq.LayerNorm", layer_norm_options, layer_norm)
// clang-format on

CTQ_TRANSFORMER_LAYERS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// The extents of a layer.
struct transformer_sizes {
  multihead_sizes own{};     // of the attention to its own input
  multihead_sizes memory{};  // of a decoder's attention to the output of the encoder
  int hidden{};
  bool has_memory = false;

  /// How many elements the output and the workspace have. The workspace holds, for one sequence,
  /// the input, two tensors of its size, the memory, and what attention or the linear layers need.
  [[nodiscard]] constexpr std::int64_t elements() const {
    const std::int64_t rows = own.targets, embed = own.embed;
    const std::int64_t sources = has_memory ? memory.sources : 0;
    const std::int64_t longest = sources > rows ? sources : rows;
    const std::int64_t attending = rows * embed + 2 * longest * embed + rows * longest;
    const std::int64_t linear = rows * hidden;
    return own.batch * rows * embed + 3 * rows * embed + sources * embed +
           (attending > linear ? attending : linear);
  }
};

/// From options that the shape rule has completed.
constexpr transformer_sizes transformer_sizes_of(const attributes& a, const shape& in) {
  const auto o = a.as<transformer_layer_options>();
  const auto attention = [&](int sources) {
    return multihead_sizes_of(attributes{multihead_attention_options{.num_heads = o.nhead,
                                                                     .batch_first = o.batch_first,
                                                                     .need_weights = false,
                                                                     .source_length = sources}},
                              in);
  };
  const int rows = attention(0).targets;
  return {attention(rows), attention(o.source_length), o.dim_feedforward, o.source_length > 0};
}

/// The layer of an encoder reads (L, E), (L, N, E) or, with batch_first, (N, L, E); that of a
/// decoder also reads the memory, the same with S for L.
template <int Tensors>
constexpr shape transformer_layer_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, Tensors, 0)) return {};
  auto o = a.as<transformer_layer_options>();
  const shape &x = in[0], &memory = in[Tensors - 1];
  const shape read[] = {x, memory, memory};
  attributes attention{multihead_attention_options{.embed_dim = o.d_model,
                                                   .num_heads = o.nhead,
                                                   .batch_first = o.batch_first,
                                                   .target_length = o.target_length}};
  if (multihead_shape_rule({read, 3}, attention, d) == shape{}) return {};
  o.d_model = x[x.rank - 1];
  const auto settled = attention.as<multihead_attention_options>();
  o.target_length = settled.target_length;
  if (Tensors == 2) o.source_length = settled.source_length;
  a = attributes{o};
  if (o.dim_feedforward < 1) {
    complain(d, "dim_feedforward is ", o.dim_feedforward);
    return {};
  }
  if (!countable_weight(d, {o.dim_feedforward, o.d_model})) return {};
  if (transformer_sizes_of(a, x).elements() > INT32_MAX) {
    complain(d, "more than 2^31 - 1 elements in");
    d.line("what the layer computes");
    return {};
  }
  return x;
}

/// In the order of PyTorch's state_dict.
template <int Tensors>
constexpr op_parameters transformer_layer_parameters(const attributes& a) {
  const auto o = a.as<transformer_layer_options>();
  const int n = o.d_model;
  op_parameters all;
  const auto add = [&all](std::string_view name, const shape& s) {
    all.item[all.count++] = {name, s};
  };
  const auto layer = [&](std::string_view weight, std::string_view bias, const shape& s) {
    add(weight, s);
    if (o.bias) add(bias, {s[0]});
  };
  layer("self_attn.in_proj_weight", "self_attn.in_proj_bias", {3 * n, n});
  layer("self_attn.out_proj.weight", "self_attn.out_proj.bias", {n, n});
  if (Tensors == 2) {
    layer("multihead_attn.in_proj_weight", "multihead_attn.in_proj_bias", {3 * n, n});
    layer("multihead_attn.out_proj.weight", "multihead_attn.out_proj.bias", {n, n});
  }
  layer("linear1.weight", "linear1.bias", {o.dim_feedforward, n});
  layer("linear2.weight", "linear2.bias", {n, o.dim_feedforward});
  layer("norm1.weight", "norm1.bias", {n});
  layer("norm2.weight", "norm2.bias", {n});
  if (Tensors == 2) layer("norm3.weight", "norm3.bias", {n});
  if (o.mask) add("mask", {o.target_length, o.target_length});
  if (Tensors == 2 && o.cross_mask) add("cross_mask", {o.target_length, o.source_length});
  return all;
}

/// The elements of the value: the output and the workspace.
constexpr kernel_signature::sizes transformer_layer_elements(attributes a, shape, shape out) {
  return of_elements(transformer_sizes_of(a, out).elements());
}

namespace functions {

/// The layer of one sequence, whose vectors are contiguous.
template <class Isa>
class transformer_layer {
 public:
  transformer_layer(const transformer_sizes& s, const transformer_layer_options& o,
                    const parameter_refs& p, float* workspace)
      : sizes_(s),
        options_(o),
        parameters_(p),
        rows_(static_cast<std::size_t>(s.own.targets)),
        embed_(static_cast<std::size_t>(s.own.embed)),
        normal_(workspace),
        change_(normal_ + rows_ * embed_),
        rest_(change_ + rows_ * embed_) {}

  /// Computes the layer in place.
  ///   memory  that of a decoder; else null
  void operator()(float* x, const float* memory) noexcept {
    int norm = after_linears();
    attend(x, nullptr, sizes_.own, norm);
    if (memory != nullptr) attend(x, memory, sizes_.memory, norm);
    feed_forward(x, norm);
  }

 private:
  /// How many parameters a linear layer or a norm has.
  [[nodiscard]] int step() const { return options_.bias ? 2 : 1; }
  /// The first parameter of the norms, after those of one attention or two, of two linear layers
  /// each, and of two further linear layers.
  [[nodiscard]] int after_linears() const { return step() * (sizes_.has_memory ? 6 : 4); }
  [[nodiscard]] const float* weight(int at) const { return parameters_[at].floats; }
  [[nodiscard]] const float* bias(int at) const {
    return options_.bias ? parameters_[at + 1].floats : nullptr;
  }

  void normalize(const float* x, float* y, int& norm) noexcept {
    normalize_rows(x, rows_, embed_, weight(norm), bias(norm), options_.layer_norm_eps, y);
    norm += step();
  }
  /// The input of a part of the layer.
  const float* before(const float* x, int& norm) noexcept {
    if (!options_.norm_first) return x;
    normalize(x, normal_, norm);
    return normal_;
  }
  /// Adds the output of a part.
  void after(float* x, int& norm) noexcept {
    for (std::size_t i = 0; i < rows_ * embed_; ++i) x[i] += change_[i];
    if (!options_.norm_first) normalize(x, x, norm);
  }

  void attend(float* x, const float* memory, multihead_sizes s, int& norm) noexcept {
    s.batch = 1;
    s.batch_first = true;
    const projections own{parameters_, memory == nullptr ? 0 : 2 * step(), options_.bias};
    const int masks = after_linears() + step() * (sizes_.has_memory ? 3 : 2);
    const float* mask = nullptr;
    if (memory == nullptr ? options_.mask : options_.cross_mask)
      mask = parameters_[masks + (memory != nullptr && options_.mask ? 1 : 0)].floats;
    const float* const queries = before(x, norm);
    const float* const keys = memory == nullptr ? queries : memory;
    functions::attend<Isa>(s, queries, keys, keys, own, mask, change_, nullptr, rest_);
    after(x, norm);
  }

  void feed_forward(float* x, int& norm) noexcept {
    const auto hidden = static_cast<std::size_t>(sizes_.hidden);
    const int first = after_linears() - 2 * step(), second = first + step();
    const float* const in = before(x, norm);
    dot_products<Isa>({in, rows_, embed_}, {weight(first), hidden, embed_}, embed_,
                      {rest_, hidden, 1});
    add_to_columns(rest_, rows_, hidden, bias(first));
    if (options_.activation == transformer_activation::gelu) {
      double_lanes::for_row<Isa, double_lanes::gelu>(rest_, rows_ * hidden, rest_);
    } else {
      for (std::size_t i = 0; i < rows_ * hidden; ++i) rest_[i] = relu(rest_[i]);
    }
    dot_products<Isa>({rest_, rows_, hidden}, {weight(second), embed_, hidden}, hidden,
                      {change_, embed_, 1});
    add_to_columns(change_, rows_, embed_, bias(second));
    after(x, norm);
  }

  const transformer_sizes& sizes_;
  const transformer_layer_options& options_;
  const parameter_refs& parameters_;
  std::size_t rows_, embed_;
  float* normal_;
  float* change_;
  float* rest_;
};

/// Copies each sequence, which need not be contiguous, computes the layer, and writes the output.
template <int Tensors, class Isa>
[[gnu::noinline]] void transformer_layers(const op_arguments<float>& x,
                                          const attributes& a) noexcept {
  const transformer_sizes s = transformer_sizes_of(a, x.out.shape);
  const auto o = a.as<transformer_layer_options>();
  const auto embed = static_cast<std::size_t>(s.own.embed);
  const auto step = static_cast<std::size_t>(s.own.step());
  const auto rows = static_cast<std::size_t>(s.own.targets);
  const auto sources = static_cast<std::size_t>(s.has_memory ? s.memory.sources : 0);
  float* const sequence = x.out.data + x.out.size();
  float* const memory = sequence + rows * embed;
  transformer_layer<Isa> layer{s, o, x.parameters, memory + sources * embed};
  for (int n = 0; n < s.own.batch; ++n) {
    const int first = n * s.own.next_sequence(s.own.targets);
    copy_vectors({x.in[0].data + first, rows, step}, embed, {sequence, embed, 1});
    if (Tensors == 2)
      copy_vectors({x.in[1].data + n * s.own.next_sequence(s.memory.sources), sources, step}, embed,
                   {memory, embed, 1});
    layer(sequence, Tensors == 2 ? memory : nullptr);
    copy_vectors({sequence, rows, embed}, embed, {x.out.data + first, step, 1});
  }
}

}  // namespace functions

template <int Tensors>
constexpr op_descriptor transformer_layer_descriptor() {
  return {.infer_shape = &transformer_layer_rule<Tensors>,
          .functions = {.tensors = Tensors,
                        .apply = &functions::transformer_layers<Tensors, isa::native>},
          .parameters = &transformer_layer_parameters<Tensors>,
          .schedule = {.how = schedule_as::function, .sizes = &transformer_layer_elements}};
}
inline constexpr op_descriptor transformer_encoder_layer = transformer_layer_descriptor<1>();
inline constexpr op_descriptor transformer_decoder_layer = transformer_layer_descriptor<2>();

}  // namespace ctq::descriptors

CTQ_TRANSFORMER_LAYERS(CTQ_DESCRIBE_OP)
