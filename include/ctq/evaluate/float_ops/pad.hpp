// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/kernels/reference/data_movement/pad.hpp"

// Padding of tensors; negative padding crops.

namespace ctq::float_ops {

using padding_mode = padding_rule;

[[nodiscard]] inline result<padding_mode> padding_mode_of(std::string_view name) {
  if (name == "constant" || name == "zeros") return padding_mode::constant;
  if (name == "reflect") return padding_mode::reflect;
  if (name == "replicate") return padding_mode::replicate;
  if (name == "circular") return padding_mode::circular;
  return fail({}, "unknown padding mode " + std::string(name));
}

/// amounts as in F.pad: last axis first, {before, after} for each.
inline result<tensor> pad(const tensor& in, const std::vector<int>& amounts, padding_mode mode,
                          float filler) {
  const std::size_t axes = amounts.size() / 2;
  if (amounts.size() % 2 != 0 || axes > in.shape.size())
    return fail({}, "padding needs two numbers per axis");
  extents shape = in.shape;
  std::vector<std::vector<int>> index(in.shape.size());  // of the element at each position
  for (std::size_t a = 0; a < in.shape.size(); ++a) {
    const std::size_t from_last = in.shape.size() - 1 - a;
    const int n = in.shape[a];
    const int before = from_last < axes ? amounts[2 * from_last] : 0;
    const int after = from_last < axes ? amounts[2 * from_last + 1] : 0;
    const int limit = mode == padding_mode::reflect ? n - 1 : n;
    const bool outside = mode == padding_mode::reflect || mode == padding_mode::circular;
    if (outside && (before > limit || after > limit))
      return fail({}, "the padding is larger than the input");
    shape[a] = n + before + after;
    if (shape[a] < 0 || (n == 0 && mode != padding_mode::constant))
      return fail({}, "the padding leaves nothing of the input");
    for (int i = 0; i < shape[a]; ++i)
      index[a].push_back(kernels::reference::padded_index(i - before, n, mode));
  }
  tensor out = filled(shape, filler);
  if (out.data.empty()) return out;
  std::vector<int> at(shape.size(), 0);
  for (float& to : out.data) {
    std::size_t from = 0;
    bool inside = true;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      const int i = index[a][static_cast<std::size_t>(at[a])];
      inside = inside && i >= 0;
      from = from * static_cast<std::size_t>(in.shape[a]) + static_cast<std::size_t>(i < 0 ? 0 : i);
    }
    if (inside) to = in.data[from];
    for (std::size_t a = shape.size(); a-- > 0 && ++at[a] == shape[a];) at[a] = 0;
  }
  return out;
}

namespace implementation {

inline result<value> pad(operands& from) {
  const tensor& in = from.floats("input");
  const std::vector<int> amounts = from.integers("pad");
  const auto mode = padding_mode_of(from.text("mode"));
  const double filler = from.is_none("value") ? 0.0 : from.real("value");
  if (from.failed()) return from.failure();
  if (!mode) return from.failure(mode.error().cause);
  return from.answer(float_ops::pad(in, amounts, *mode, static_cast<float>(filler)));
}

template <padding_mode Mode, bool HasValue = false>
result<value> pad_module(operands& from) {
  const tensor& in = from.floats("input");
  const std::vector<int> amounts = from.integers("padding", 2 * from.window_axes());
  const double filler = HasValue ? from.real("value") : 0.0;
  if (from.failed()) return from.failure();
  return from.answer(float_ops::pad(in, amounts, Mode, static_cast<float>(filler)));
}

inline constexpr float_op pads[] = {
    {"pad", "input, ...", pad},
    {"constant_pad?d", "input, ...", pad_module<padding_mode::constant, true>},
    {"zero_pad?d", "input, ..., value=0", pad_module<padding_mode::constant>},
    {"reflection_pad?d", "input, ...", pad_module<padding_mode::reflect>},
    {"replication_pad?d", "input, ...", pad_module<padding_mode::replicate>},
};

}  // namespace implementation
}  // namespace ctq::float_ops
