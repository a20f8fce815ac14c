// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/dtype.hpp"
#include "ctq/core/options.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/core/view.hpp"

// What an op of the user's own says of itself: static members, found by their names.
//
//   struct op_swish : ctq::function_op<op_swish, swish_options> {
//     static constexpr std::string_view name = "my.swish";
//     static float apply(float x, const swish_options& o);      its meaning, element by element
//   };
//
// apply        float(float), float(float, float): one or two tensors, element by element; or
//              void(tensor_ref<const float>…, tensor_ref<float>): any function of them
// infer_shape  shape(view<shape>, const options&, diagnostic&), constexpr, of a function of
//              tensors; without it the output has the shape of the inputs
// run          void(tensor_ref<const Q>…, tensor_ref<Q>), Q std::uint8_t or std::int8_t: a kernel
//              of its own on integers, which gives the bytes of dequantize, apply, quantize. The
//              instruction set may come first, as a tag: run(ctq::isa::avx2, …)
//
// apply and run may take const options& as the last argument. What an elementwise op has no run
// for works all the same: on one tensor by a table of 256 entries that convert makes, on two by
// definition. Same bytes on every machine are up to apply: no product in it may feed an add (see
// core/no_contract.hpp).

namespace ctq {

/// The elements of a tensor, in the order of its axes: N, C, H, W. An elementwise op sees one
/// axis, since any order will do.
template <class T>
struct tensor_ref {
  T* data{};
  ctq::shape shape{};
  ctq::qparams qparams{};  // of integers

  [[nodiscard]] constexpr std::size_t size() const { return numel(shape); }
  [[nodiscard]] constexpr T* begin() const { return data; }
  [[nodiscard]] constexpr T* end() const { return data + size(); }
  [[nodiscard]] constexpr T& operator[](std::size_t i) const { return data[i]; }
};

/// What the functions of any op get.
template <class T>
struct op_arguments {
  tensor_ref<const T> in[2]{};
  tensor_ref<T> out{};
};

/// The members that were found, in a form that does not depend on the op; null: there is none.
struct op_hooks {
  template <class T>
  using function = void (*)(const op_arguments<T>&, const attributes&) noexcept;

  int tensors{};  // how many are read: 1 or 2
  bool elementwise{};
  std::string_view problem{};  // a member of the right name that cannot be called, and how it could
  shape (*infer_shape)(view<shape>, const attributes&, diagnostic&){};
  function<float> apply{};
  function<std::uint8_t> run_u8{};
  function<std::int8_t> run_s8{};

  template <class Q>
  [[nodiscard]] constexpr function<Q> run() const {
    if constexpr (std::same_as<Q, std::uint8_t>) {
      return run_u8;
    } else {
      return run_s8;
    }
  }
  [[nodiscard]] constexpr bool has_run(dtype d) const {
    return (d == quint8 && run_u8 != nullptr) || (d == qint8 && run_s8 != nullptr);
  }
  /// Is there a form on integers of this dtype?
  [[nodiscard]] constexpr bool has_integer_form(dtype d) const {
    return (elementwise && (d == quint8 || d == qint8)) || has_run(d);
  }
  /// Does a table of 256 entries stand for the op?
  [[nodiscard]] constexpr bool needs_table(dtype d) const {
    return elementwise && tensors == 1 && (d == quint8 || d == qint8) && !has_run(d);
  }
};

}  // namespace ctq
