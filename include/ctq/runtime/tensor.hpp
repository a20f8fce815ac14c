// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/dtype.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/shape.hpp"

// Tensors with compile-time extents, so that one of a wrong shape does not compile.

namespace ctq {

/// The elements of a tensor, contiguous in the order of the extents, the last one fastest: N, C, H,
/// W for images. Initialized with zeros. Large ones do not fit on a stack: make them static, or
/// allocate them on the heap.
template <class T, int... Extent>
struct tensor {
  static constexpr ctq::shape extents{Extent...};
  static constexpr std::size_t size = (std::size_t{1} * ... * static_cast<std::size_t>(Extent));

  alignas(64) std::array<T, size> values{};

  [[nodiscard]] constexpr T* data() { return values.data(); }
  [[nodiscard]] constexpr const T* data() const { return values.data(); }
  [[nodiscard]] constexpr T& operator[](std::size_t i) { return values[i]; }
  [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return values[i]; }
  [[nodiscard]] constexpr auto begin() { return values.begin(); }
  [[nodiscard]] constexpr auto end() { return values.end(); }
  [[nodiscard]] constexpr auto begin() const { return values.begin(); }
  [[nodiscard]] constexpr auto end() const { return values.end(); }
};

/// A non-owning view of elements, read (T const) or written as a tensor. Needs no alignment. The
/// elements must outlive it, so it cannot be made from a temporary tensor.
template <class T, int... Extent>
class tensor_view {
 public:
  using owner = tensor<std::remove_const_t<T>, Extent...>;
  static constexpr std::size_t size = owner::size;

  constexpr tensor_view(owner& t) : data_(t.data()) {}  // NOLINT(google-explicit-constructor)
  constexpr tensor_view(const owner& t)                 // NOLINT(google-explicit-constructor)
      requires std::is_const_v<T> : data_(t.data()) {}
  tensor_view(const owner&&) = delete;
  /// Requires a span of exactly as many elements as the tensor has.
  constexpr explicit tensor_view(std::span<T, size> elements) : data_(elements.data()) {}

  [[nodiscard]] constexpr T* data() const { return data_; }

 private:
  T* data_;
};

/// An argument that a function reads during one call: a tensor, also a temporary one, or a view. It
/// cannot be copied, so that nothing keeps it longer.
template <class T, int... Extent>
class tensor_argument {
 public:
  static constexpr std::size_t size = tensor<T, Extent...>::size;

  // NOLINTBEGIN(google-explicit-constructor)
  constexpr tensor_argument(const tensor<T, Extent...>& t) noexcept : data_(t.data()) {}
  constexpr tensor_argument(tensor_view<const T, Extent...> v) noexcept : data_(v.data()) {}
  constexpr tensor_argument(tensor_view<T, Extent...> v) noexcept : data_(v.data()) {}
  // NOLINTEND(google-explicit-constructor)
  tensor_argument(const tensor_argument&) = delete;
  tensor_argument& operator=(const tensor_argument&) = delete;

  [[nodiscard]] constexpr const T* data() const { return data_; }

 private:
  const T* data_;
};

/// Checks that all elements are finite. Models do not check this: NaN is quantized to the zero
/// point and infinity to an end of the range, without an error.
/// Errors  the first element that is NaN or infinite, with its index
[[nodiscard]] inline status check_finite(span<const float> x) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]))
      return fail("element " + std::to_string(i), std::isnan(x[i]) ? "is NaN" : "is infinite");
  return done{};
}

/// The element type of a model's input or output.
template <dtype D>
using tensor_element = element_t<D>;

/// The types of several tensors, in order.
template <class... Tensor>
struct tensor_list {
  static constexpr std::size_t size = sizeof...(Tensor);
  using together = std::tuple<Tensor...>;
};
template <class Tensor>
struct tensor_list<Tensor> {
  static constexpr std::size_t size = 1;
  using together = Tensor;
};

namespace tensors {

template <class Tensor>
struct forms;
template <class T, int... Extent>
struct forms<tensor<T, Extent...>> {
  using view = tensor_view<T, Extent...>;
  using const_view = tensor_view<const T, Extent...>;
  using argument = tensor_argument<T, Extent...>;
};

template <class List>
struct forms_of_list;
template <class... Tensor>
struct forms_of_list<tensor_list<Tensor...>> {
  using view = typename tensor_list<typename forms<Tensor>::view...>::together;
  using const_view = typename tensor_list<typename forms<Tensor>::const_view...>::together;
};

}  // namespace tensors

/// What a call of a model reads, and writes, for a tensor.
template <class Tensor>
using argument_of = typename tensors::forms<Tensor>::argument;
template <class Tensor>
using view_of = typename tensors::forms<Tensor>::view;

/// The inputs and the outputs of a schedule, as types; `input` and `output` are tuples if there are
/// several. (A template of the schedule, since g++ 12 crashes on a shape as a dependent template
/// argument.)
template <const auto& Schedule>
class io_types {
  template <std::size_t I, std::size_t... Axis>
  static auto input_of(std::index_sequence<Axis...>)
      -> tensor<tensor_element<Schedule.inputs[I].dtype>, Schedule.inputs[I].shape.extent[Axis]...>;
  template <std::size_t I, std::size_t... Axis>
  static auto output_of(std::index_sequence<Axis...>)
      -> tensor<tensor_element<Schedule.outputs[I].dtype>,
                Schedule.outputs[I].shape.extent[Axis]...>;
  template <std::size_t... I>
  static auto inputs_of(std::index_sequence<I...>) -> tensor_list<
      decltype(input_of<I>(std::make_index_sequence<Schedule.inputs[I].shape.rank>{}))...>;
  template <std::size_t... I>
  static auto outputs_of(std::index_sequence<I...>) -> tensor_list<
      decltype(output_of<I>(std::make_index_sequence<Schedule.outputs[I].shape.rank>{}))...>;

 public:
  using inputs = decltype(inputs_of(std::make_index_sequence<Schedule.input_count>{}));
  using outputs = decltype(outputs_of(std::make_index_sequence<Schedule.output_count>{}));
  using input = typename inputs::together;
  using output = typename outputs::together;
  using input_view = typename tensors::forms_of_list<inputs>::const_view;
  using output_view = typename tensors::forms_of_list<outputs>::view;
};

}  // namespace ctq
