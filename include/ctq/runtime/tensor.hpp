// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "ctq/core/shape.hpp"

// Tensors whose extents the compiler knows, so that one of a wrong shape does not compile. Elements
// lie in the order of the extents, the last one fastest: N, C, H, W for images.

namespace ctq {

template <class T, int... Extent>
struct tensor {
  static constexpr ctq::shape extents{Extent...};
  static constexpr std::size_t size = (std::size_t{1} * ... * static_cast<std::size_t>(Extent));

  alignas(64) std::array<T, size> values{};

  [[nodiscard]] constexpr T* data() { return values.data(); }
  [[nodiscard]] constexpr const T* data() const { return values.data(); }
  [[nodiscard]] constexpr T& operator[](std::size_t i) { return values[i]; }
  [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return values[i]; }
  [[nodiscard]] constexpr auto begin() const { return values.begin(); }
  [[nodiscard]] constexpr auto end() const { return values.end(); }
};

/// Somebody else's elements, read (T const) or written as a tensor. Needs no alignment.
template <class T, int... Extent>
class tensor_view {
 public:
  using owner = tensor<std::remove_const_t<T>, Extent...>;
  static constexpr std::size_t size = owner::size;

  constexpr tensor_view(owner& t) : data_(t.data()) {}  // NOLINT(google-explicit-constructor)
  constexpr tensor_view(const owner& t)                 // NOLINT(google-explicit-constructor)
      requires std::is_const_v<T> : data_(t.data()) {}
  /// Exactly as many elements as the tensor has.
  constexpr explicit tensor_view(std::span<T, size> elements) : data_(elements.data()) {}

  [[nodiscard]] constexpr T* data() const { return data_; }

 private:
  T* data_;
};

/// The tensors at the doors of a schedule: io_types<S>::input<const float> views [1, 3, 8, 8], say.
/// (Keyed by the schedule, since g++ 12 crashes on a shape as a dependent template argument.)
template <const auto& Schedule>
class io_types {
  template <std::size_t... Axis>
  static auto input_extents(std::index_sequence<Axis...>)
      -> std::integer_sequence<int, Schedule.input_shape.extent[Axis]...>;
  template <std::size_t... Axis>
  static auto output_extents(std::index_sequence<Axis...>)
      -> std::integer_sequence<int, Schedule.output_shape.extent[Axis]...>;

  template <class T, class Extents>
  struct with;
  template <class T, int... Extent>
  struct with<T, std::integer_sequence<int, Extent...>> {
    using owner = tensor<T, Extent...>;
    using view = tensor_view<T, Extent...>;
  };

  using in = decltype(input_extents(std::make_index_sequence<Schedule.input_shape.rank>{}));
  using out = decltype(output_extents(std::make_index_sequence<Schedule.output_shape.rank>{}));

 public:
  using input = typename with<float, in>::owner;
  using input_view = typename with<const float, in>::view;
  using output = typename with<float, out>::owner;
  using output_view = typename with<float, out>::view;
};

}  // namespace ctq
