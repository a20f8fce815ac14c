// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"

// Concatenation: cat along an existing axis, stack along a new one.

namespace ctq::float_ops {

namespace joining {

/// The shapes must be equal except along `axis`.
template <class T>
result<array<T>> cat(const std::vector<const array<T>*>& parts, std::size_t axis) {
  extents shape = parts[0]->shape;
  shape[axis] = 0;
  for (const array<T>* p : parts) {
    extents other = p->shape;
    if (other.size() != shape.size()) return fail({}, "the tensors have different axes");
    shape[axis] += std::exchange(other[axis], shape[axis]);
    other[axis] = shape[axis];
    if (other != shape) return fail({}, "the tensors have different extents");
  }
  array<T> out{shape, {}};
  out.data.reserve(numel(shape));
  const std::size_t rows = around(shape, axis).rows;
  for (std::size_t row = 0; row < rows; ++row)
    for (const array<T>* p : parts) {
      const std::size_t count = p->data.size() / rows;
      const auto from = p->data.begin() + static_cast<std::ptrdiff_t>(row * count);
      out.data.insert(out.data.end(), from, from + static_cast<std::ptrdiff_t>(count));
    }
  return out;
}

template <class T>
std::vector<const array<T>*> all_of_type(const list& items) {
  std::vector<const array<T>*> parts;
  for (const value& item : items)
    if (const auto* part = item.get_if<array<T>>()) parts.push_back(part);
  if (parts.size() != items.size()) parts.clear();
  return parts;
}

template <class T>
result<value> cat(operands& from, std::vector<const array<T>*> parts) {
  // PyTorch skips empty tensors of one axis, whatever the shapes of the others.
  std::vector<const array<T>*> full;
  for (const array<T>* p : parts)
    if (p->shape != extents{0}) full.push_back(p);
  if (full.empty()) return value(*parts[0]);
  const int axis = from.axis("dim", rank(full[0]->shape));
  from.require(!full[0]->shape.empty(), "cannot join scalars");
  if (from.failed()) return from.failure();
  return from.answer(cat(full, static_cast<std::size_t>(axis)));
}

template <class T>
result<value> stack(operands& from, const std::vector<const array<T>*>& parts) {
  const int axis = from.axis("dim", rank(parts[0]->shape) + 1);
  if (from.failed()) return from.failure();
  std::vector<array<T>> wider;
  for (const array<T>* p : parts) {
    if (p->shape != parts[0]->shape) return from.failure("the tensors have different extents");
    wider.push_back(*p);
    wider.back().shape.insert(wider.back().shape.begin() + axis, 1);
  }
  std::vector<const array<T>*> each;
  for (const array<T>& w : wider) each.push_back(&w);
  return from.answer(cat(each, static_cast<std::size_t>(axis)));
}

}  // namespace joining

namespace implementation {

/// cat, or stack along a new axis.
template <bool Stack>
result<value> join(operands& from) {
  const list& items = from.items("tensors");
  if (from.failed()) return from.failure();
  const auto joined = [&from](const auto& parts) {
    return Stack ? joining::stack(from, parts) : joining::cat(from, parts);
  };
  const auto floats = joining::all_of_type<float>(items);
  if (!floats.empty()) return joined(floats);
  const auto integers = joining::all_of_type<std::int64_t>(items);
  if (!integers.empty()) return joined(integers);
  return from.failure("needs tensors of one type");
}

inline constexpr float_op concatenations[] = {
    {"cat concat concatenate", "tensors, ...", join<false>},
    {"stack", "tensors, ...", join<true>},
};

}  // namespace implementation
}  // namespace ctq::float_ops
