// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/core/no_contract.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/multihead_attention.hpp"
#include "ctq/ops/rows/dot_products.hpp"

// The attention of torchvision's Swin Transformers, within windows of an image (N, H, W, C) that is
// shifted and, for whole windows, padded with zeros. torch.fx does not trace into it, so PyTorch's
// backends leave it in float; tools/export_fx.py writes it as a module with its weights, which
// reads the image and the bias of relative positions.

namespace ctq {

struct window_attention_options {
  int num_heads{};
  extent2d window_size{};
  extent2d shift_size{};
  flag qkv_bias = true;
  flag proj_bias = true;
  flag cosine = false;  // of Swin V2: queries and keys have length 1 and a factor, logit_scale
  int channels = 0;     // 0: as many as the input has
};

}  // namespace ctq

// clang-format off
#define CTQ_WINDOW_ATTENTION(OP) \
  OP(nn, binary_module, shifted_window_attention, "torchvision.models.swin_transformer.ShiftedWindowAttention", window_attention_options, window_attention)
// clang-format on

CTQ_WINDOW_ATTENTION(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// The extents of a call.
struct window_sizes {
  int batch{}, height{}, width{}, channels{}, heads{};
  extent2d window{}, shift{}, padded{};  // whole windows

  [[nodiscard]] constexpr int vectors() const { return window.h * window.w; }
  /// How many elements the output and the workspace have. The workspace holds, for a window, its
  /// vectors, queries, keys, values, scores, and the results of the heads.
  [[nodiscard]] constexpr std::int64_t elements() const {
    const std::int64_t one = 1;
    return one * batch * height * width * channels + one * 5 * vectors() * channels +
           one * vectors() * vectors();
  }
};

constexpr window_sizes window_sizes_of(const attributes& a, const shape& in) {
  const auto o = a.as<window_attention_options>();
  window_sizes s{.batch = in[0],
                 .height = in[1],
                 .width = in[2],
                 .channels = in[3],
                 .heads = o.num_heads,
                 .window = o.window_size,
                 .shift = o.shift_size};
  const auto whole = [](int extent, int window) { return (extent + window - 1) / window * window; };
  s.padded = {whole(s.height, s.window.h), whole(s.width, s.window.w)};
  // One window needs no shift.
  if (s.window.h >= s.padded.h) s.shift.h = 0;
  if (s.window.w >= s.padded.w) s.shift.w = 0;
  return s;
}

constexpr shape window_attention_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, 2, 0)) return {};
  auto o = a.as<window_attention_options>();
  const shape& x = in[0];
  const auto wrong = [&](const auto&... what) {
    complain(d, what...);
    show_input(d, x);
    return shape{};
  };
  if (x.rank != 4) return wrong("requires an image, (N, H, W, C)");
  if (!settle(d, "channels", o.channels, x[3], x)) return {};
  const auto fits = [](int window, int shift) {
    return window > 0 && window <= 1 << 10 && shift >= 0 && shift < window;
  };
  if (!fits(o.window_size.h, o.shift_size.h) || !fits(o.window_size.w, o.shift_size.w))
    return wrong("window_size and shift_size do not fit");
  if (o.num_heads < 1 || o.channels % o.num_heads != 0)
    return wrong("num_heads is ", o.num_heads, ";\nit divides the channels, ", o.channels);
  const int vectors = o.window_size.h * o.window_size.w;
  if (in[1] != shape{1, o.num_heads, vectors, vectors}) {
    complain(d, "the bias of relative positions does not\nfit heads and windows");
    show_input(d, in[1]);
    return {};
  }
  a = attributes{o};
  if (!countable_weight(d, {3 * o.channels, o.channels})) return {};
  if (window_sizes_of(a, x).elements() > INT32_MAX)
    return wrong("more than 2^31 - 1 elements in\nthe output and a window");
  return x;
}

constexpr kernel_signature::sizes window_attention_elements(attributes a, shape, shape out) {
  return of_elements(window_sizes_of(a, out).elements());
}

constexpr op_parameters window_attention_parameters(const attributes& a) {
  const auto o = a.as<window_attention_options>();
  const int n = o.channels;
  op_parameters all{op_parameter{"qkv.weight", {3 * n, n}}, op_parameter{"proj.weight", {n, n}}};
  if (o.qkv_bias) all.item[all.count++] = {"qkv.bias", {3 * n}};
  if (o.proj_bias) all.item[all.count++] = {"proj.bias", {n}};
  if (o.cosine) all.item[all.count++] = {"logit_scale", {o.num_heads, 1, 1}};
  return all;
}

namespace functions {

/// Computes attention window by window.
template <class Isa>
class window_attention {
 public:
  window_attention(const op_arguments<float>& x, const attributes& a)
      : x_(x),
        sizes_(window_sizes_of(a, x.out.shape)),
        channels_(size(sizes_.channels)),
        vectors_(size(sizes_.vectors())),
        tokens_(x.out.data + x.out.size()),
        queries_(tokens_ + vectors_ * channels_),
        keys_(queries_ + vectors_ * channels_),
        values_(keys_ + vectors_ * channels_),
        heads_(values_ + vectors_ * channels_),
        scores_(heads_ + vectors_ * channels_) {
    const auto o = a.as<window_attention_options>();
    int next = 2;
    if (o.qkv_bias) qkv_bias_ = x.parameters[next++].floats;
    if (o.proj_bias) proj_bias_ = x.parameters[next++].floats;
    if (o.cosine) logit_scale_ = x.parameters[next].floats;
  }

  void operator()() noexcept {
    for (int n = 0; n < sizes_.batch; ++n)
      for (int y = 0; y < sizes_.padded.h; y += sizes_.window.h)
        for (int x = 0; x < sizes_.padded.w; x += sizes_.window.w) {
          gather(n, y, x);
          project();
          for (int h = 0; h < sizes_.heads; ++h) attend(h, y, x);
          dot_products<Isa>({heads_, vectors_, channels_},
                            {x_.parameters[1].floats, channels_, channels_}, channels_,
                            {tokens_, channels_, 1});
          add_to_columns(tokens_, vectors_, channels_, proj_bias_);
          scatter(n, y, x);
        }
  }

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// Calls f with the offset in the image of each vector of a window; -1 if it is padding.
  template <class F>
  void for_each_vector(int n, int y, int x, F f) const {
    std::size_t vector = 0;
    for (int i = 0; i < sizes_.window.h; ++i)
      for (int j = 0; j < sizes_.window.w; ++j) {
        const int row = (y + i + sizes_.shift.h) % sizes_.padded.h;
        const int column = (x + j + sizes_.shift.w) % sizes_.padded.w;
        const bool is_inside = row < sizes_.height && column < sizes_.width;
        f(vector++, is_inside ? (n * sizes_.height + row) * sizes_.width + column : -1);
      }
  }

  void gather(int n, int y, int x) noexcept {
    for_each_vector(n, y, x, [this](std::size_t vector, int pixel) {
      float* const to = tokens_ + vector * channels_;
      const float* const from = pixel < 0 ? nullptr : x_.in[0].data + size(pixel) * channels_;
      for (std::size_t k = 0; k < channels_; ++k) to[k] = from == nullptr ? 0.0F : from[k];
    });
  }
  void scatter(int n, int y, int x) noexcept {
    for_each_vector(n, y, x, [this](std::size_t vector, int pixel) {
      if (pixel < 0) return;
      float* const to = x_.out.data + size(pixel) * channels_;
      for (std::size_t k = 0; k < channels_; ++k) to[k] = tokens_[vector * channels_ + k];
    });
  }

  /// Queries and keys (vectors, channels), values (channels, vectors). With a cosine keys have no
  /// bias.
  void project() noexcept {
    const float_vectors from{tokens_, vectors_, channels_};
    const auto part = [&](std::size_t which) {
      return float_vectors{x_.parameters[0].floats + which * channels_ * channels_, channels_,
                           channels_};
    };
    const auto bias = [&](std::size_t which) {
      return qkv_bias_ == nullptr ? nullptr : qkv_bias_ + which * channels_;
    };
    dot_products<Isa>(from, part(0), channels_, {queries_, channels_, 1});
    add_to_columns(queries_, vectors_, channels_, bias(0));
    dot_products<Isa>(from, part(1), channels_, {keys_, channels_, 1});
    if (logit_scale_ == nullptr) add_to_columns(keys_, vectors_, channels_, bias(1));
    dot_products<Isa>(from, part(2), channels_, {values_, 1, vectors_});
    add_to_rows(values_, channels_, vectors_, bias(2));
  }

  void attend(int head, int y, int x) noexcept {
    const std::size_t depth = channels_ / size(sizes_.heads);
    const std::size_t first = size(head) * depth;
    float factor = inverse_root(static_cast<int>(depth));
    if (logit_scale_ != nullptr) {
      constexpr float most = 4.6051702F;  // log(100)
      const float scale = logit_scale_[head];
      factor = exp(scale > most ? most : scale);
      normalize(queries_ + first, depth);
      normalize(keys_ + first, depth);
    }
    dot_products<Isa>({queries_ + first, vectors_, channels_}, {keys_ + first, vectors_, channels_},
                      depth, {scores_, vectors_, 1});
    const float* const bias = x_.in[1].data + size(head) * vectors_ * vectors_;
    const bool is_shifted = sizes_.shift.h + sizes_.shift.w > 0;
    for (std::size_t i = 0; i < vectors_; ++i)
      for (std::size_t k = 0; k < vectors_; ++k) {
        float& score = scores_[i * vectors_ + k];
        score = no_contract(score * factor) + bias[i * vectors_ + k];
        if (is_shifted && region(i, y, x) != region(k, y, x)) score += -100.0F;
      }
    for (std::size_t i = 0; i < vectors_; ++i)
      scaled_softmax<Isa>(scores_ + i * vectors_, vectors_, 1.0F);
    dot_products<Isa>({scores_, vectors_, vectors_}, {values_ + first * vectors_, depth, vectors_},
                      vectors_, {heads_ + first, channels_, 1});
  }

  /// Scales the vectors of a head to length 1.
  void normalize(float* x, std::size_t depth) const noexcept {
    for (std::size_t i = 0; i < vectors_; ++i, x += channels_) {
      double squares = 0;
      for (std::size_t k = 0; k < depth; ++k)
        squares += no_contract(static_cast<double>(x[k]) * static_cast<double>(x[k]));
      const auto length = static_cast<float>(__builtin_sqrt(squares));
      for (std::size_t k = 0; k < depth; ++k) x[k] /= length > 1e-12F ? length : 1e-12F;
    }
  }

  /// Which part of the image a vector of a window comes from: a shift puts distant parts into one
  /// window.
  [[nodiscard]] int region(std::size_t vector, int y, int x) const noexcept {
    const auto part = [](int at, int padded, int window, int shift) {
      return shift == 0 || at < padded - window ? 0 : at < padded - shift ? 1 : 2;
    };
    const int i = static_cast<int>(vector) / sizes_.window.w;
    const int j = static_cast<int>(vector) % sizes_.window.w;
    return 3 * part(y + i, sizes_.padded.h, sizes_.window.h, sizes_.shift.h) +
           part(x + j, sizes_.padded.w, sizes_.window.w, sizes_.shift.w);
  }

  const op_arguments<float>& x_;
  window_sizes sizes_;
  std::size_t channels_, vectors_;
  float *tokens_, *queries_, *keys_, *values_, *heads_, *scores_;
  const float* qkv_bias_ = nullptr;
  const float* proj_bias_ = nullptr;
  const float* logit_scale_ = nullptr;
};

template <class Isa>
[[gnu::noinline]] void attend_to_windows(const op_arguments<float>& x,
                                         const attributes& a) noexcept {
  window_attention<Isa>{x, a}();
}

}  // namespace functions

inline constexpr op_descriptor window_attention{
    .infer_shape = &window_attention_rule,
    .functions = {.tensors = 2, .apply = &functions::attend_to_windows<isa::native>},
    .parameters = &window_attention_parameters,
    .schedule = {.how = schedule_as::function, .sizes = &window_attention_elements}};

}  // namespace ctq::descriptors

CTQ_WINDOW_ATTENTION(CTQ_DESCRIBE_OP)
