// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/value.hpp"

// Strided views of a tensor: transposed, sliced, broadcast. copy() materializes them.

namespace ctq::float_ops {

/// Element i of axis a is at offset stride[a] * i.
struct strided {
  extents shape{};
  std::vector<std::size_t> stride{};
  std::size_t first{};
};

[[nodiscard]] inline strided strided_of(const extents& shape) {
  strided s{.shape = shape, .stride = std::vector<std::size_t>(shape.size())};
  std::size_t elements = 1;
  for (std::size_t a = shape.size(); a-- > 0;) {
    s.stride[a] = elements;
    elements *= static_cast<std::size_t>(shape[a]);
  }
  return s;
}

template <class T>
[[nodiscard]] array<T> copy(const array<T>& from, const strided& s) {
  array<T> out = filled<T>(s.shape);
  if (out.data.empty()) return out;
  const std::size_t axes = s.shape.size();
  const std::size_t row = axes == 0 ? 1 : static_cast<std::size_t>(s.shape[axes - 1]);
  const std::size_t step = axes == 0 ? 1 : s.stride[axes - 1];
  std::vector<int> at(axes, 0);
  std::size_t place = s.first;
  for (std::size_t begin = 0; begin < out.data.size(); begin += row) {
    for (std::size_t i = 0; i < row; ++i) out.data[begin + i] = from.data[place + i * step];
    for (std::size_t a = axes - (axes == 0 ? 0 : 1); a-- > 0;) {
      place += s.stride[a];
      if (++at[a] < s.shape[a]) break;
      place -= s.stride[a] * static_cast<std::size_t>(s.shape[a]);
      at[a] = 0;
    }
  }
  return out;
}

/// Axis i of the result is axis order[i].
[[nodiscard]] inline strided permuted(const strided& s, const std::vector<int>& order) {
  strided p{.first = s.first};
  for (const int axis : order) {
    p.shape.push_back(s.shape[static_cast<std::size_t>(axis)]);
    p.stride.push_back(s.stride[static_cast<std::size_t>(axis)]);
  }
  return p;
}

/// Elements start, start + step, … of one axis, `count` in all.
[[nodiscard]] inline strided sliced(strided s, std::size_t axis, std::size_t start,
                                    std::size_t count, std::size_t step = 1) {
  s.first += count == 0 ? 0 : start * s.stride[axis];
  s.shape[axis] = static_cast<int>(count);
  s.stride[axis] *= step;
  return s;
}

/// Removes an axis.
[[nodiscard]] inline strided without_axis(strided s, std::size_t axis) {
  s.shape.erase(s.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  s.stride.erase(s.stride.begin() + static_cast<std::ptrdiff_t>(axis));
  return s;
}

/// Broadcasts s to `shape`.
[[nodiscard]] inline strided expanded(const strided& s, const extents& shape) {
  strided e{.shape = shape, .stride = std::vector<std::size_t>(shape.size(), 0), .first = s.first};
  const std::size_t missing = shape.size() - s.shape.size();
  for (std::size_t a = 0; a < s.shape.size(); ++a)
    if (s.shape[a] != 1) e.stride[missing + a] = s.stride[a];
  return e;
}

/// The common broadcast shape.
[[nodiscard]] inline result<extents> broadcast(const extents& a, const extents& b) {
  extents out(a.size() > b.size() ? a.size() : b.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return fail(
          {}, "extents " + std::to_string(x) + " and " + std::to_string(y) + " do not broadcast");
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

/// For each element of shape `to`, the index of the element of a tensor of shape `from` that is
/// broadcast to it.
[[nodiscard]] inline std::vector<std::size_t> broadcast_indices(const extents& from,
                                                                const extents& to) {
  array<std::size_t> all = filled<std::size_t>(from);
  for (std::size_t i = 0; i < all.data.size(); ++i) all.data[i] = i;
  return copy(all, expanded(strided_of(from), to)).data;
}

}  // namespace ctq::float_ops
