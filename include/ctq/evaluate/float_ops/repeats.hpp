// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/getitem.hpp"
#include "ctq/evaluate/float_ops/strided.hpp"
#include "ctq/evaluate/float_ops/views.hpp"

// Repetition of elements: expand, repeat, repeat_interleave.

namespace ctq::float_ops::implementation {

/// Broadcasts axes of one element; -1 keeps an axis.
inline result<value> expand(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    extents shape = from.integers("shape");
    from.require(shape.size() >= in.shape.size(), "expand needs one size per axis");
    if (from.failed()) return from.failure();
    const std::size_t missing = shape.size() - in.shape.size();
    for (std::size_t a = missing; a < shape.size(); ++a) {
      const int own = in.shape[a - missing];
      if (shape[a] == -1) shape[a] = own;
      from.require(own == shape[a] || own == 1, "an axis of more elements cannot be expanded");
    }
    for (const int e : shape) from.require(e >= 0, "an extent is negative");
    if (from.failed()) return from.failure();
    return value(copy(in, expanded(strided_of(in.shape), shape)));
  });
}

/// Tiles the tensor repeats[a] times along axis a.
inline result<value> repeat(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    const std::vector<int> repeats = from.integers("repeats");
    from.require(repeats.size() >= in.shape.size(), "repeats needs one number per axis");
    for (const int r : repeats) from.require(r >= 0, "repeats must not be negative");
    if (from.failed()) return from.failure();
    // An axis of n elements repeated r times is two axes, (r, n), the first with stride 0.
    const std::size_t missing = repeats.size() - in.shape.size();
    const strided own = strided_of(in.shape);
    strided seen;
    extents shape;
    for (std::size_t a = 0; a < repeats.size(); ++a) {
      const int n = a < missing ? 1 : in.shape[a - missing];
      seen.shape.insert(seen.shape.end(), {repeats[a], n});
      seen.stride.insert(seen.stride.end(), {0, a < missing ? 0 : own.stride[a - missing]});
      const std::int64_t extent = std::int64_t{repeats[a]} * n;
      from.require(extent <= INT32_MAX, "repeats is too large");
      shape.push_back(from.failed() ? 0 : static_cast<int>(extent));
    }
    if (from.failed()) return from.failure();
    return viewing::with_shape(copy(in, seen), std::move(shape));
  });
}

/// Repeats element i along an axis repeats[i] times, or all equally often; without an axis, the
/// elements of the flattened tensor.
inline result<value> repeat_interleave(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    auto flat = in;
    int axis = 0;
    if (from.is_none("dim")) {
      flat.shape = {static_cast<int>(in.data.size())};
    } else {
      axis = from.axis("dim", rank(in.shape));
      if (flat.shape.empty()) flat.shape = {1};
    }
    const auto* each = from.indices_or_null("repeats");
    const auto at = static_cast<std::size_t>(axis);
    const auto count = static_cast<std::size_t>(flat.shape[at]);
    std::vector<std::int64_t> times;
    if (each == nullptr) {
      times.assign(count, from.integer("repeats"));
    } else {
      times = each->data;
      if (times.size() == 1) times.assign(count, times[0]);
    }
    from.require(times.size() == count, "repeats needs one number, or one per element");
    std::int64_t extent = 0;
    for (const std::int64_t t : times) {
      from.require(t >= 0, "repeats must not be negative");
      extent += t;
      from.require(t <= INT32_MAX && extent <= INT32_MAX, "repeats is too large");
      if (from.failed()) return from.failure();
    }
    if (from.failed()) return from.failure();
    index_tensor chosen{{static_cast<int>(extent)}, {}};
    for (std::size_t i = 0; i < count; ++i)
      chosen.data.insert(chosen.data.end(), static_cast<std::size_t>(times[i]),
                         static_cast<std::int64_t>(i));
    return from.answer(indexing::take(flat, at, chosen));
  });
}

inline constexpr float_op repeats[] = {
    {"expand", "input, *shape", expand},
    {"repeat", "input, *repeats", repeat},
    {"repeat_interleave", "input, repeats, dim=None, *, output_size=None", repeat_interleave},
};

}  // namespace ctq::float_ops::implementation
