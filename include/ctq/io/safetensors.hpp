// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/io/message.hpp"

// Contents of a safetensors file: named tensors and metadata.
//
//   N (8 bytes, little-endian) | N bytes of JSON | data
//
//   {"__metadata__": {"format": "pt"},
//    "fc.weight": {"dtype": "F32", "shape": [10, 64], "data_offsets": [0, 2560]}}
//
// Elements are row-major and little-endian; offsets count from the end of the JSON. The tensors
// cover the data without gaps or overlaps.
//
// Source  huggingface/safetensors README.md "Format" and safetensors/src/tensor.rs

namespace ctq {

static_assert(std::endian::native == std::endian::little,
              "ctq: safetensors data are little-endian and are handed out as they lie in the file");

/// As in the reference implementation: a longer header is rejected before it is read.
inline constexpr std::uint64_t max_header_bytes = 100'000'000;

/// Element types of the format. The reverse of this order is the one in which writers lay out
/// tensors: wide elements first, so that all are aligned without padding.
enum class stored_dtype : std::uint8_t {
  boolean,
  u8,
  i8,
  f8_e5m2,
  f8_e4m3,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  f64,
  i64,
  u64
};

namespace stored_dtypes {
inline constexpr std::string_view names[] = {"BOOL", "U8",  "I8",  "F8_E5M2", "F8_E4M3",
                                             "I16",  "U16", "F16", "BF16",    "I32",
                                             "U32",  "F32", "F64", "I64",     "U64"};
inline constexpr std::uint8_t sizes[] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 8, 8, 8};
}  // namespace stored_dtypes

/// The name in the file: "F32".
[[nodiscard]] constexpr std::string_view name_of(stored_dtype d) {
  return stored_dtypes::names[static_cast<std::size_t>(d)];
}

/// Bytes of one element.
[[nodiscard]] constexpr std::size_t size_of(stored_dtype d) {
  return stored_dtypes::sizes[static_cast<std::size_t>(d)];
}

/// The dtype of this name, or nullopt.
[[nodiscard]] constexpr std::optional<stored_dtype> stored_dtype_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(stored_dtypes::names); ++i)
    if (stored_dtypes::names[i] == name) return static_cast<stored_dtype>(i);
  return std::nullopt;
}

/// Satisfied by the C++ types of elements: float, double, and integers except bool.
template <class T>
concept stored_element = std::same_as<T, float> || std::same_as<T, double> ||
    (std::integral<T> && !std::same_as<T, bool>);

template <stored_element T>
[[nodiscard]] consteval stored_dtype stored_dtype_of() {
  using enum stored_dtype;
  constexpr stored_dtype table[3][4] = {
      {u8, u16, u32, u64}, {i8, i16, i32, i64}, {u8, f16, f32, f64}};
  constexpr int row = std::floating_point<T> ? 2 : std::is_signed_v<T> ? 1 : 0;
  return table[row][std::bit_width(sizeof(T)) - 1];
}

/// Bytes of a tensor; nullopt if an extent is negative or the product of all nonzero extents
/// exceeds 63 bits. (Zeros are excluded, so that no partial product can overflow.)
[[nodiscard]] constexpr std::optional<std::int64_t> byte_count(stored_dtype dtype,
                                                               span<const std::int64_t> shape) {
  std::int64_t bytes = static_cast<std::int64_t>(size_of(dtype));
  bool none = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) {
      none = true;
    } else if (bytes > std::numeric_limits<std::int64_t>::max() / extent) {
      return std::nullopt;
    } else {
      bytes *= extent;
    }
  }
  return none ? 0 : bytes;
}

/// A tensor of a file, read or to be written. Does not own the data.
struct stored_tensor {
  std::string name;
  stored_dtype dtype = stored_dtype::f32;
  std::vector<std::int64_t> shape;  // empty: a scalar
  span<const std::byte> data;       // byte_count(dtype, shape) bytes, not always aligned

  friend bool operator==(const stored_tensor& a, const stored_tensor& b) {
    return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape &&
           std::equal(a.data.begin(), a.data.end(), b.data.begin(), b.data.end());
  }
};

/// The order of names. Only for strings, unlike std::less<>, which takes longer to compile.
struct name_order {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return a < b; }
};

/// Metadata of the file: "format" is "pt" if written by PyTorch.
using metadata_map = std::map<std::string, std::string, name_order>;

/// A file in memory.
struct tensor_file {
  std::unique_ptr<std::byte[]> bytes;  // owns the data of the tensors
  std::vector<stored_tensor> tensors;  // by name
  metadata_map metadata;

  /// The tensor of this name, or null.
  [[nodiscard]] const stored_tensor* find(std::string_view name) const {
    const stored_tensor* const end = tensors.data() + tensors.size();
    const stored_tensor* const at =
        std::lower_bound(tensors.data(), end, name,
                         [](const stored_tensor& t, std::string_view n) { return t.name < n; });
    return at != end && at->name == name ? at : nullptr;
  }
};

/// A copy of the elements of a tensor.
/// Errors  the dtype of the tensor is not T
template <stored_element T>
[[nodiscard]] result<std::vector<T>> values_of(const stored_tensor& tensor) {
  constexpr stored_dtype wanted = stored_dtype_of<T>();
  if (tensor.dtype != wanted)
    return fail("tensor " + shown(tensor.name), "holds " + std::string{name_of(tensor.dtype)} +
                                                    ", " + std::string{name_of(wanted)} +
                                                    " was asked for");
  std::vector<T> values(tensor.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), values.size() * sizeof(T));
  return values;
}

/// A tensor to be written, with a non-owning view of `values`:
///   to_store<float>("fc.bias", {10}, bias)
template <stored_element T>
[[nodiscard]] stored_tensor to_store(std::string name, std::vector<std::int64_t> shape,
                                     span<const T> values) {
  return {std::move(name), stored_dtype_of<T>(), std::move(shape), as_bytes(values)};
}

}  // namespace ctq
