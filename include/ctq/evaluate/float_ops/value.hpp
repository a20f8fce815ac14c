// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// Values of a graph that is evaluated op by op, as in Python: tensors of any rank with run-time
// shapes, numbers, strings, lists of these.

namespace ctq::float_ops {

/// The extents of a tensor, in PyTorch's logical order (N, C, H, W); empty for a scalar.
using extents = std::vector<int>;

/// The number of elements.
[[nodiscard]] inline std::size_t numel(const extents& shape) {
  std::size_t n = 1;
  for (const int extent : shape) n *= static_cast<std::size_t>(extent);
  return n;
}

[[nodiscard]] inline int rank(const extents& shape) { return static_cast<int>(shape.size()); }

/// A tensor around one of its axes: the product of the extents before it, and of those after it.
struct axis_surroundings {
  std::size_t rows = 1, row = 1;
};
[[nodiscard]] inline axis_surroundings around(const extents& shape, std::size_t axis) {
  axis_surroundings s;
  for (std::size_t a = 0; a < shape.size(); ++a)
    if (a != axis) (a < axis ? s.rows : s.row) *= static_cast<std::size_t>(shape[a]);
  return s;
}

/// A row-major tensor: the last axis is contiguous.
template <class T>
struct array {
  extents shape;
  std::vector<T> data;
};

using tensor = array<float>;
using index_tensor = array<std::int64_t>;
using byte_tensor = array<std::uint8_t>;  // of a quantized tensor, for ops that move elements

template <class T = float>
[[nodiscard]] array<T> filled(extents shape, T with = {}) {
  const std::size_t n = numel(shape);
  return {std::move(shape), std::vector<T>(n, with)};
}

/// Indices as floats, which are exact up to 2^24.
[[nodiscard]] inline tensor as_floats(const index_tensor& t) {
  return {t.shape, {t.data.begin(), t.data.end()}};
}

/// Floats as indices, if all of them are integers.
[[nodiscard]] inline std::optional<index_tensor> as_indices(const tensor& t) {
  index_tensor out{t.shape, {}};
  for (const float x : t.data) {
    if (!(std::fabs(x) < 0x1p63F) || x != std::trunc(x)) return {};
    out.data.push_back(static_cast<std::int64_t>(x));
  }
  return out;
}

/// Python's None.
struct none {
  friend bool operator==(none, none) = default;
};

/// Python's x[..., 0].
struct ellipsis {
  friend bool operator==(ellipsis, ellipsis) = default;
};

/// Python's x[start:stop:step].
struct slice {
  std::optional<std::int64_t> start{}, stop{}, step{};

  friend bool operator==(const slice&, const slice&) = default;
};

class value;
using list = std::vector<value>;  // a list, a tuple, a torch.Size

/// Immutable and cheap to copy: tensors are shared.
class value {
 public:
  value() = default;
  value(none) {}                                                             // NOLINT
  value(ellipsis e) : state_(e) {}                                           // NOLINT
  value(slice s) : state_(s) {}                                              // NOLINT
  value(bool b) : state_(b) {}                                               // NOLINT
  value(std::integral auto i) : state_(static_cast<std::int64_t>(i)) {}      // NOLINT
  value(std::floating_point auto x) : state_(static_cast<double>(x)) {}      // NOLINT
  value(std::string text) : state_(std::move(text)) {}                       // NOLINT
  value(std::string_view text) : state_(std::string(text)) {}                // NOLINT
  value(const char* text) : state_(std::string(text)) {}                     // NOLINT
  value(tensor t) : state_(std::make_shared<const tensor>(std::move(t))) {}  // NOLINT
  value(index_tensor t)                                                      // NOLINT
      : state_(std::make_shared<const index_tensor>(std::move(t))) {}
  value(byte_tensor t)  // NOLINT
      : state_(std::make_shared<const byte_tensor>(std::move(t))) {}
  value(list items) : state_(std::make_shared<const list>(std::move(items))) {}  // NOLINT

  /// The value as a T: bool, std::int64_t, double, std::string, tensor, index_tensor, byte_tensor,
  /// list, slice; null if it is something else.
  template <class T>
  [[nodiscard]] const T* get_if() const {
    if constexpr (is_shared<T>) {
      const auto* held = std::get_if<std::shared_ptr<const T>>(&state_);
      return held == nullptr ? nullptr : held->get();
    } else {
      return std::get_if<T>(&state_);
    }
  }

  template <class T>
  [[nodiscard]] bool is() const {
    return get_if<T>() != nullptr;
  }

  /// The shared tensor or list, or null if it is not a T. With a weak_ptr to it caches notice when
  /// it is destroyed.
  template <class T>
  [[nodiscard]] std::shared_ptr<const T> share() const {
    const auto* held = std::get_if<std::shared_ptr<const T>>(&state_);
    return held == nullptr ? nullptr : *held;
  }

  /// Python's `is` for tensors and lists, == for other values.
  [[nodiscard]] bool is_same(const value& other) const { return state_ == other.state_; }

 private:
  template <class T>
  static constexpr bool is_shared = std::same_as<T, tensor> || std::same_as<T, index_tensor> ||
                                    std::same_as<T, byte_tensor> || std::same_as<T, list>;

  std::variant<none, ellipsis, slice, bool, std::int64_t, double, std::string,
               std::shared_ptr<const tensor>, std::shared_ptr<const index_tensor>,
               std::shared_ptr<const byte_tensor>, std::shared_ptr<const list>>
      state_;
};

/// A shape as a Python list.
[[nodiscard]] inline list as_list(const extents& shape) { return {shape.begin(), shape.end()}; }

/// An int, or a bool, which is an int in Python.
[[nodiscard]] inline std::optional<std::int64_t> as_integer(const value& v) {
  if (const auto* i = v.get_if<std::int64_t>()) return *i;
  if (const auto* b = v.get_if<bool>()) return *b ? 1 : 0;
  return {};
}

/// A float, an int or a bool.
[[nodiscard]] inline std::optional<double> as_real(const value& v) {
  if (const auto* x = v.get_if<double>()) return *x;
  if (const auto i = as_integer(v)) return static_cast<double>(*i);
  return {};
}

}  // namespace ctq::float_ops
