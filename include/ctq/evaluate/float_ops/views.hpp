// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/strided.hpp"

// Reshape and permutation of tensors, and queries of their shape.

namespace ctq::float_ops {

/// Calls f(tensor) with the tensor of any type with this name; f returns a result<value>.
template <class F>
result<value> with_tensor(operands& from, std::string_view name, F f) {
  const value v = from.any(name);
  const auto* floats = v.get_if<tensor>();
  const auto* indices = v.get_if<index_tensor>();
  const auto* bytes = v.get_if<byte_tensor>();
  from.require(floats != nullptr || indices != nullptr || bytes != nullptr,
               std::string(name) + " is not a tensor");
  if (from.failed()) return from.failure();
  if (bytes != nullptr) return f(*bytes);
  return floats != nullptr ? f(*floats) : f(*indices);
}

namespace viewing {

/// Resolves an extent of -1 from the number of elements.
[[nodiscard]] inline result<extents> resolve(std::size_t elements, extents wanted) {
  std::size_t known = 1;
  int* open = nullptr;
  for (int& e : wanted) {
    if (e < -1 || (e == -1 && open != nullptr)) return fail({}, "only one extent may be -1");
    if (e == -1) {
      open = &e;
    } else {
      known *= static_cast<std::size_t>(e);
    }
  }
  if (open != nullptr) {
    if (known == 0 || elements % known != 0)
      return fail({}, "no size for -1 gives " + std::to_string(elements) + " elements");
    *open = static_cast<int>(elements / known);
  } else if (known != elements) {
    return fail({}, std::to_string(elements) + " elements do not make " + std::to_string(known));
  }
  return wanted;
}

/// 0, 1, …, count - 1.
inline std::vector<int> iota(std::size_t count) {
  std::vector<int> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<int>(i);
  return order;
}

template <class T>
value with_shape(const array<T>& in, extents shape) {
  return array<T>{std::move(shape), in.data};
}

}  // namespace viewing

namespace implementation {

inline result<value> reshape(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    const extents wanted = from.integers("shape");
    if (from.failed()) return from.failure();
    auto shape = viewing::resolve(in.data.size(), wanted);
    if (!shape) return from.failure(shape.error().cause);
    return viewing::with_shape(in, *std::move(shape));
  });
}

/// Merges the axes from start_dim to end_dim.
inline result<value> flatten(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    const int axes = rank(in.shape);
    const int start = from.axis("start_dim", axes), end = from.axis("end_dim", axes);
    from.require(start <= end, "start_dim comes after end_dim");
    if (from.failed()) return from.failure();
    extents shape(in.shape.begin(), in.shape.begin() + (axes == 0 ? 0 : start));
    int merged = 1;
    for (int a = start; a <= end && a < axes; ++a) merged *= in.shape[static_cast<std::size_t>(a)];
    shape.push_back(merged);
    for (int a = end + 1; a < axes; ++a) shape.push_back(in.shape[static_cast<std::size_t>(a)]);
    return viewing::with_shape(in, std::move(shape));
  });
}

inline result<value> permute(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    std::vector<int> order = from.integers("dims");
    std::vector<bool> seen(in.shape.size());
    from.require(order.size() == in.shape.size(), "dims does not name each dimension");
    for (int& axis : order) {
      axis = from.checked_axis(axis, rank(in.shape));
      if (from.failed()) return from.failure();
      from.require(!seen[static_cast<std::size_t>(axis)], "dims names a dimension twice");
      seen[static_cast<std::size_t>(axis)] = true;
    }
    if (from.failed()) return from.failure();
    return value(copy(in, permuted(strided_of(in.shape), order)));
  });
}

inline result<value> transpose(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    const int a = from.axis("dim0", rank(in.shape)), b = from.axis("dim1", rank(in.shape));
    if (from.failed()) return from.failure();
    std::vector<int> order = viewing::iota(in.shape.size());
    if (!order.empty())
      std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
    return value(copy(in, permuted(strided_of(in.shape), order)));
  });
}

/// Removes axes of one element: all, or those in dim.
inline result<value> squeeze(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    const std::vector<int> chosen = from.axes("dim", rank(in.shape));
    if (from.failed()) return from.failure();
    std::vector<bool> goes(in.shape.size());
    for (const int a : chosen)
      if (a < rank(in.shape)) goes[static_cast<std::size_t>(a)] = true;
    extents shape;
    for (std::size_t a = 0; a < in.shape.size(); ++a)
      if (!goes[a] || in.shape[a] != 1) shape.push_back(in.shape[a]);
    return viewing::with_shape(in, std::move(shape));
  });
}

inline result<value> unsqueeze(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    const int axis = from.axis("dim", rank(in.shape) + 1);
    if (from.failed()) return from.failure();
    extents shape = in.shape;
    shape.insert(shape.begin() + axis, 1);
    return viewing::with_shape(in, std::move(shape));
  });
}

/// Elements [start, start + length) of an axis.
inline result<value> narrow(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    const int axis = from.axis("dim", rank(in.shape));
    int start = from.integer("start");
    const int length = from.integer("length");
    from.require(!in.shape.empty(), "a scalar cannot be narrowed");
    if (from.failed()) return from.failure();
    const int n = in.shape[static_cast<std::size_t>(axis)];
    if (start < 0) start += n;
    if (start < 0 || length < 0 || start > n - length)
      return from.failure("start and length reach outside the dimension");
    return value(
        copy(in, sliced(strided_of(in.shape), static_cast<std::size_t>(axis),
                        static_cast<std::size_t>(start), static_cast<std::size_t>(length))));
  });
}

/// The first elements in the new shape. A larger shape, for which PyTorch leaves elements
/// undefined, is an error.
inline result<value> resize(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    const extents shape = from.integers("shape");
    for (const int e : shape) from.require(e >= 0, "an extent is negative");
    if (from.failed()) return from.failure();
    if (numel(shape) > in.data.size()) return from.failure("the tensor has fewer elements");
    auto out = in;
    out.shape = shape;
    out.data.resize(numel(shape));
    return value(std::move(out));
  });
}

/// Transposes a matrix; a vector is unchanged.
inline result<value> matrix_transpose(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    from.require(rank(in.shape) <= 2, "requires a matrix");
    if (from.failed()) return from.failure();
    std::vector<int> order = viewing::iota(in.shape.size());
    std::reverse(order.begin(), order.end());
    return value(copy(in, permuted(strided_of(in.shape), order)));
  });
}

/// Splits one axis into several.
inline result<value> unflatten(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    const auto axis = from.axis("dim", rank(in.shape));
    const extents wanted = from.integers("unflattened_size");
    from.require(!in.shape.empty(), "a scalar has no dimensions");
    if (from.failed()) return from.failure();
    const auto at = in.shape.begin() + axis;
    const auto parts = viewing::resolve(static_cast<std::size_t>(*at), wanted);
    if (!parts) return from.failure(parts.error().cause);
    extents shape(in.shape.begin(), at);
    shape.insert(shape.end(), parts->begin(), parts->end());
    shape.insert(shape.end(), at + 1, in.shape.end());
    return viewing::with_shape(in, std::move(shape));
  });
}

/// Reshapes to the shape of another tensor with as many elements, or expands to it.
template <bool Expands>
result<value> to_shape_of(operands& from) {
  return with_tensor(from, "other", [&](const auto& other) -> result<value> {
    const extents& shape = other.shape;
    return with_tensor(from, "input", [&](const auto& in) -> result<value> {
      if constexpr (!Expands) {
        from.require(in.data.size() == numel(shape), "other has not as many elements");
        if (from.failed()) return from.failure();
        return viewing::with_shape(in, shape);
      } else {
        auto common = broadcast(in.shape, shape);
        if (!common || *common != shape) return from.failure("cannot be expanded to that shape");
        return value(copy(in, expanded(strided_of(in.shape), shape)));
      }
    });
  });
}

/// Integers become floats.
inline result<value> to_float(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    return value(tensor{in.shape, std::vector<float>(in.data.begin(), in.data.end())});
  });
}

/// Floats become integers, rounded towards zero.
inline result<value> to_integer(operands& from) {
  const value in = from.any("input");
  if (in.is<index_tensor>()) return in;
  tensor whole = from.floats("input");
  for (float& x : whole.data) x = descriptors::functions::to_integer(x);
  auto integers = as_indices(whole);
  from.require(integers.has_value(), "a number is not finite, or too large");
  if (from.failed()) return from.failure();
  return value(*std::move(integers));
}

/// The extent of one axis, or all of them.
inline result<value> size(operands& from) {
  return with_tensor(from, "input", [&](const auto& in) -> result<value> {
    if (from.is_none("dim")) return value(as_list(in.shape));
    const int axis = from.axis("dim", rank(in.shape));
    from.require(!in.shape.empty(), "a scalar has no dimensions");
    if (from.failed()) return from.failure();
    return value(in.shape[static_cast<std::size_t>(axis)]);
  });
}

inline result<value> dim(operands& from) {
  return with_tensor(from, "input",
                     [](const auto& in) -> result<value> { return value(rank(in.shape)); });
}

inline constexpr float_op views[] = {
    {"flatten", "input, ...", flatten},
    {"reshape view", "input, *shape", reshape},
    {"resize", "input, *shape", resize},
    {"permute permute_copy", "input, *dims", permute},
    {"transpose swapaxes", "input, dim0, dim1", transpose},
    {"t", "input", matrix_transpose},
    {"unflatten", "input, ...", unflatten},
    {"expand_as", "input, other", to_shape_of<true>},
    {"reshape_as view_as", "input, other", to_shape_of<false>},
    {"float", "input, memory_format=None", to_float},
    {"long int", "input, memory_format=None", to_integer},
    {"squeeze", "input, dim=None", squeeze},
    {"unsqueeze", "input, dim", unsqueeze},
    {"narrow", "input, dim, start, length", narrow},
    {"dim", "input", dim},
    {"size shape", "input, dim=None", size},
};

}  // namespace implementation
}  // namespace ctq::float_ops
