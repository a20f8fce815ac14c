// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// Element types, with PyTorch's names.

namespace ctq {

enum class dtype : std::uint8_t {
  none,
  float32,
  float16,
  quint8,
  qint8,
  qint32,
  quint4x2,
  int32,  // of indices
  int64,
};

inline constexpr dtype f32 = dtype::float32;
inline constexpr dtype f16 = dtype::float16;
inline constexpr dtype quint8 = dtype::quint8;
inline constexpr dtype qint8 = dtype::qint8;
inline constexpr dtype qint32 = dtype::qint32;
inline constexpr dtype quint4x2 = dtype::quint4x2;
inline constexpr dtype i32 = dtype::int32;
inline constexpr dtype i64 = dtype::int64;

/// The range of integers of a dtype, inclusive.
struct quant_range {
  std::int64_t min{};
  std::int64_t max{};

  friend constexpr bool operator==(quant_range, quant_range) = default;
};

[[nodiscard]] constexpr quant_range range_of(dtype d) {
  switch (d) {
    case dtype::quint8: return {0, 255};
    case dtype::qint8: return {-128, 127};
    case dtype::qint32: return {INT32_MIN, INT32_MAX};
    case dtype::quint4x2: return {0, 15};
    default: return {};
  }
}

[[nodiscard]] constexpr bool is_quantized(dtype d) { return range_of(d) != quant_range{}; }

/// Whether the elements are indices.
[[nodiscard]] constexpr bool is_index(dtype d) { return d == i32 || d == i64; }

/// Bytes of one element in memory (quint4x2: one byte per element, unpacked).
[[nodiscard]] constexpr std::size_t size_of(dtype d) {
  switch (d) {
    case dtype::float32:
    case dtype::qint32:
    case dtype::int32: return 4;
    case dtype::int64: return 8;
    case dtype::float16: return 2;
    case dtype::none: return 0;
    default: return 1;
  }
}

namespace elements {

template <dtype D>
struct type_of {
  using type = void;
};
template <>
struct type_of<f32> {
  using type = float;
};
template <>
struct type_of<quint8> {
  using type = std::uint8_t;
};
template <>
struct type_of<qint8> {
  using type = std::int8_t;
};
template <>
struct type_of<i32> {
  using type = std::int32_t;
};
template <>
struct type_of<i64> {
  using type = std::int64_t;
};

}  // namespace elements

/// The C++ type of an element.
template <dtype D>
using element_t = typename elements::type_of<D>::type;

namespace names {
inline constexpr std::string_view of_dtype[] = {"none",   "float32",  "float16", "quint8", "qint8",
                                                "qint32", "quint4x2", "int32",   "int64"};
}

/// PyTorch's name without "torch.".
[[nodiscard]] constexpr std::string_view name_of(dtype d) {
  return names::of_dtype[static_cast<std::size_t>(d)];
}

}  // namespace ctq
