// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/attributes.hpp"
#include "ctq/core/dtype.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/shape.hpp"

// The functions of an op, as kernels call them: its float implementation, and its own kernels on
// integers. ops/describe.hpp makes them from the static members of an op.

namespace ctq {

/// The elements of a tensor, in the order of its axes: N, C, H, W. An elementwise op sees one axis,
/// since the order does not matter.
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

/// A tensor that an op owns. In a model on integers "weight" is there as integers and dequantized.
struct parameter_ref {
  ctq::shape shape{};
  const float* floats{};          // dequantized, if it was quantized
  const std::int8_t* integers{};  // the quantized weight; null: there is none
  const float* scale{};           // one for each channel of it; its zero point is 0

  [[nodiscard]] constexpr std::size_t size() const { return numel(shape); }
};

/// All tensors that an op owns, in the order in which it declares them; nn.TransformerDecoderLayer
/// has most.
struct parameter_refs {
  static constexpr int max_count = 20;

  parameter_ref item[max_count]{};

  [[nodiscard]] constexpr const parameter_ref& operator[](int i) const { return item[i]; }
};

/// The arguments of the functions of any op.
template <class T>
struct op_arguments {
  tensor_ref<const T> in[3]{};
  tensor_ref<T> out{};
  parameter_refs parameters{};
};

/// The derivatives of a function of two numbers with respect to both.
struct slopes_of_two {
  float first{}, second{};
};

/// The arguments of the gradient of an elementwise op.
struct gradient_arguments {
  tensor_ref<const float> in[2]{};
  const float* grad_out{};  // as many elements as each input
  float* grad_in[2]{};      // the gradients are added to these; null: not wanted
};

/// The functions of an op, with types that do not depend on it; null: there is none.
struct op_functions {
  template <class T>
  using function = void (*)(const op_arguments<T>&, const attributes&) noexcept;

  int tensors{};               // how many are read: 1 to 3; the third has the shape of the second,
                               // or another that the op computes
  bool elementwise{};          // the order of the elements does not matter
  std::string_view problem{};  // a member that has the right name but the wrong signature
  function<float> apply{};
  function<std::uint8_t> run_u8{};
  function<std::int8_t> run_s8{};
  void (*add_gradient)(const gradient_arguments&, const attributes&) noexcept {};

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
  /// Whether the op can be computed on integers of this dtype.
  [[nodiscard]] constexpr bool has_integer_form(dtype d) const {
    return (elementwise && (d == quint8 || d == qint8)) || has_run(d);
  }
  /// Whether the op is computed by a table of 256 entries.
  [[nodiscard]] constexpr bool needs_table(dtype d) const {
    return elementwise && tensors == 1 && (d == quint8 || d == qint8) && !has_run(d);
  }
};

}  // namespace ctq
