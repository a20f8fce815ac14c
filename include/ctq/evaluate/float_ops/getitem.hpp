// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/strided.hpp"
#include "ctq/evaluate/float_ops/views.hpp"

// Python's x[index] for lists and tensors, and attributes of a tensor: x.shape, x.ndim.

namespace ctq::float_ops {

namespace indexing {

/// The elements of a slice: start, start + step, …, `count` in all.
struct range {
  std::size_t start{}, count{}, step = 1;
};

[[nodiscard]] inline result<range> range_of(const slice& s, std::size_t extent) {
  const std::int64_t step = s.step.value_or(1);
  if (step < 1) return fail({}, "the step of a slice is at least 1");
  const auto n = static_cast<std::int64_t>(extent);
  const auto clipped = [&](std::int64_t i) {
    if (i < 0) i += n;
    return i < 0 ? std::int64_t{0} : i > n ? n : i;
  };
  const std::int64_t start = clipped(s.start.value_or(0)), stop = clipped(s.stop.value_or(n));
  const std::int64_t count = stop > start ? (stop - start + step - 1) / step : 0;
  return range{static_cast<std::size_t>(start), static_cast<std::size_t>(count),
               static_cast<std::size_t>(step)};
}

/// Normalizes an index; negative ones count from the end.
[[nodiscard]] inline result<std::size_t> index_of(std::int64_t i, std::size_t extent) {
  const auto n = static_cast<std::int64_t>(extent);
  if (i < -n || i >= n)
    return fail({},
                "index " + std::to_string(i) + " is outside " + std::to_string(n) + " elements");
  return static_cast<std::size_t>(i < 0 ? i + n : i);
}

inline result<value> of_list(const list& items, const value& index) {
  if (const auto* s = index.get_if<slice>()) {
    const auto r = range_of(*s, items.size());
    if (!r) return unexpected{r.error()};
    list chosen;
    for (std::size_t i = 0; i < r->count; ++i) chosen.push_back(items[r->start + i * r->step]);
    return value(std::move(chosen));
  }
  const auto i = as_integer(index);
  if (!i) return fail({}, "the index of a list is an integer or a slice");
  const auto place = index_of(*i, items.size());
  if (!place) return unexpected{place.error()};
  return items[*place];
}

/// Gathers along an axis by an integer tensor, whose shape replaces the axis.
template <class T>
result<array<T>> take(const array<T>& in, std::size_t axis, const index_tensor& chosen) {
  const auto [rows, row] = around(in.shape, axis);
  const auto extent = static_cast<std::size_t>(in.shape[axis]);
  array<T> out{in.shape, {}};
  out.shape.erase(out.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  out.shape.insert(out.shape.begin() + static_cast<std::ptrdiff_t>(axis), chosen.shape.begin(),
                   chosen.shape.end());
  out.data.reserve(rows * chosen.data.size() * row);
  for (std::size_t r = 0; r < rows; ++r)
    for (const std::int64_t i : chosen.data) {
      const auto place = index_of(i, extent);
      if (!place) return unexpected{place.error()};
      const auto from = in.data.begin() + static_cast<std::ptrdiff_t>((r * extent + *place) * row);
      out.data.insert(out.data.end(), from, from + static_cast<std::ptrdiff_t>(row));
    }
  return out;
}

/// The number of axes that an index consumes.
inline std::size_t axes_of(const value& index) {
  return index.is<none>() || index.is<ellipsis>() ? 0 : 1;
}

/// Merges adjacent axes, and the tensors of their indices.
///   axis  the first of them
template <class T>
result<index_tensor> joined(array<T>& in, std::size_t axis, std::vector<index_tensor> chosen) {
  index_tensor all = filled<std::int64_t>(chosen[0].shape);
  int extents = 1;
  for (const index_tensor& each : chosen) {
    if (each.shape != all.shape) return fail({}, "the tensors of indices have different shapes");
    const int extent = in.shape[axis];
    in.shape.erase(in.shape.begin() + static_cast<std::ptrdiff_t>(axis));
    extents *= extent;
    for (std::size_t i = 0; i < all.data.size(); ++i) {
      const auto place = index_of(each.data[i], static_cast<std::size_t>(extent));
      if (!place) return unexpected{place.error()};
      all.data[i] = all.data[i] * extent + static_cast<std::int64_t>(*place);
    }
  }
  in.shape.insert(in.shape.begin() + static_cast<std::ptrdiff_t>(axis), extents);
  return all;
}

/// The indices of a tensor or a list of integers; nullopt if it is neither.
inline std::optional<index_tensor> listed(const value& index) {
  if (const auto* chosen = index.get_if<index_tensor>()) return *chosen;
  const auto* each = index.get_if<list>();
  if (each == nullptr) return {};
  index_tensor all{{static_cast<int>(each->size())}, {}};
  for (const value& item : *each) {
    const auto place = as_integer(item);
    if (!place || item.is<bool>()) return {};
    all.data.push_back(*place);
  }
  return all;
}

/// Integers, slices, None and ... select a view; then tensors of integers, for adjacent axes,
/// gather.
template <class T>
result<value> of_tensor(const array<T>& in, const list& indices) {
  std::size_t used = 0, dots = 0;
  for (const value& i : indices) {
    used += axes_of(i);
    dots += i.is<ellipsis>() ? 1 : 0;
  }
  if (used > in.shape.size()) return fail({}, "more indices than dimensions");
  if (dots > 1) return fail({}, "takes one ...");
  strided s = strided_of(in.shape);
  std::size_t axis = 0, taken_axis = 0;
  std::vector<index_tensor> taken;
  for (const value& i : indices) {
    if (i.is<ellipsis>()) {
      axis += in.shape.size() - used;
    } else if (i.is<none>()) {
      s.shape.insert(s.shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
      s.stride.insert(s.stride.begin() + static_cast<std::ptrdiff_t>(axis), 0);
      ++axis;
    } else if (const auto* cut = i.get_if<slice>()) {
      const auto r = range_of(*cut, static_cast<std::size_t>(s.shape[axis]));
      if (!r) return unexpected{r.error()};
      s = sliced(std::move(s), axis, r->start, r->count, r->step);
      ++axis;
    } else if (const auto number = as_integer(i)) {
      const auto place = index_of(*number, static_cast<std::size_t>(s.shape[axis]));
      if (!place) return unexpected{place.error()};
      s = without_axis(sliced(std::move(s), axis, *place, 1), axis);
    } else if (auto chosen = listed(i)) {
      if (taken.empty()) taken_axis = axis;
      if (axis++ != taken_axis + taken.size())
        return fail({}, "tensors of indices belong to adjacent axes");
      taken.push_back(*std::move(chosen));
    } else {
      return fail({}, "the index is not an integer, slice, None, ... or tensor of integers");
    }
  }
  array<T> seen = copy(in, s);
  if (taken.empty()) return value(std::move(seen));
  const auto all = joined(seen, taken_axis, std::move(taken));
  if (!all) return unexpected{all.error()};
  auto out = take(seen, taken_axis, *all);
  if (!out) return unexpected{out.error()};
  return value(*std::move(out));
}

/// Splits an axis into parts of these extents.
template <class T>
result<value> parts_of(const array<T>& in, std::size_t axis, const std::vector<int>& extent) {
  list parts;
  std::size_t start = 0;
  for (const int e : extent) {
    const auto count = static_cast<std::size_t>(e);
    if (start + count > static_cast<std::size_t>(in.shape[axis]))
      return fail({}, "the parts have more elements than the dimension");
    parts.push_back(copy(in, sliced(strided_of(in.shape), axis, start, count)));
    start += count;
  }
  if (start != static_cast<std::size_t>(in.shape[axis]))
    return fail({}, "the parts have fewer elements than the dimension");
  return value(std::move(parts));
}

}  // namespace indexing

namespace implementation {

inline result<value> getitem(operands& from) {
  const value in = from.any("input"), index = from.any("index");
  if (from.failed()) return from.failure();
  if (const auto* items = in.get_if<list>()) return from.answer(indexing::of_list(*items, index));
  const auto* several = index.get_if<list>();
  const list indices = several != nullptr ? *several : list{index};
  return with_tensor(from, "input", [&](const auto& t) -> result<value> {
    return from.answer(indexing::of_tensor(t, indices));
  });
}

/// getattr(x, "shape"): attributes of a tensor.
inline result<value> getattr(operands& from) {
  const std::string name = from.text("name");
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    if (name == "shape") return value(as_list(in.shape));
    if (name == "ndim") return value(rank(in.shape));
    if (name == "T") {
      std::vector<int> order = viewing::iota(in.shape.size());
      return value(copy(in, permuted(strided_of(in.shape), {order.rbegin(), order.rend()})));
    }
    return from.failure("a tensor has no attribute " + name);
  });
}

/// Splits an axis into parts of split_size elements, or of the sizes in a list.
inline result<value> split(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    const int axis = from.axis("dim", rank(in.shape));
    const value size = from.any("split_size_or_sections");
    std::vector<int> parts = from.integers("split_size_or_sections");
    from.require(!in.shape.empty(), "a scalar cannot be split");
    for (const int p : parts) from.require(p >= 0, "a part has less than 0 elements");
    if (from.failed()) return from.failure();
    const int extent = in.shape[static_cast<std::size_t>(axis)];
    if (as_integer(size)) {
      const int step = parts[0];
      if (step == 0) return from.failure("a part has no elements");
      parts.clear();
      for (int rest = extent; rest > 0 || parts.empty(); rest -= step)
        parts.push_back(rest < step ? rest : step);
    }
    return from.answer(indexing::parts_of(in, static_cast<std::size_t>(axis), parts));
  });
}

/// Splits an axis into at most `chunks` parts, all but the last of the same extent.
inline result<value> chunk(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    const int axis = from.axis("dim", rank(in.shape));
    const int chunks = from.integer("chunks");
    from.require(!in.shape.empty() && chunks > 0, "needs a dimension and at least one chunk");
    if (from.failed()) return from.failure();
    const int extent = in.shape[static_cast<std::size_t>(axis)];
    const int step = extent == 0 ? 0 : (extent - 1) / chunks + 1;
    std::vector<int> parts;
    for (int rest = extent; rest > 0; rest -= step) parts.push_back(rest < step ? rest : step);
    if (extent == 0) parts.assign(static_cast<std::size_t>(chunks), 0);
    return from.answer(indexing::parts_of(in, static_cast<std::size_t>(axis), parts));
  });
}

/// The slices along an axis, without it.
inline result<value> unbind(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    const auto axis = static_cast<std::size_t>(from.axis("dim", rank(in.shape)));
    from.require(!in.shape.empty(), "a scalar has no dimensions");
    if (from.failed()) return from.failure();
    list all;
    const strided whole = strided_of(in.shape);
    for (std::size_t i = 0; i < static_cast<std::size_t>(in.shape[axis]); ++i)
      all.push_back(copy(in, without_axis(sliced(whole, axis, i, 1), axis)));
    return value(std::move(all));
  });
}

inline constexpr float_op selections[] = {
    {"getitem", "input, index", getitem},
    {"getattr", "input, name", getattr},
    {"split", "input, split_size_or_sections, dim=0", split},
    {"chunk", "input, chunks, dim=0", chunk},
    {"unbind", "input, dim=0", unbind},
};

}  // namespace implementation
}  // namespace ctq::float_ops
