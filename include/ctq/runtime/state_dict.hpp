// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/dtype.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/runtime/check_qparams.hpp"
#include "ctq/runtime/named_tensors.hpp"

// The parameters of a model as it runs, before they are packed for an instruction set: batch norms
// folded, weights quantized, everything in PyTorch's layouts.
//
//   conv1.weight         qint8 (O, I / groups, kh, kw), or float32 if the layer computes in float
//   conv1.weight_scale   float32 (O), of a qint8 weight
//   fc.weight            of a linear layer, quantized per group: quint8 (O, ceil(I / 2)), two of 4
//                        bits in a byte, the even one in the low half, as value + 8
//   fc.weight_scale      float32 (O, ceil(I / group_size)), of such a weight
//   conv1.bias           float32 (O), zeros if the module has none
//   bn.scale, bn.shift   float32 (C): a batch norm that is folded into no layer
//   words.weight         of an embedding: float32, or quint8 (rows, width), two quint4x2 in a byte
//   words.weight_scale, words.weight_zero_point   float32 (rows), of rows of integers
//   lstm.weight_ih_l0, …  of recurrent layers: as conv1.weight, with a _scale each; float32 if
//                        the weight is quantized to float16
//   gate.NAME            the other parameters of an op: of a norm, of PReLU, of attention, of an op
//                        defined outside of ctq
//   pos                  float32: a parameter or a buffer that is an operand

namespace ctq {

/// A tensor of float32, qint8 or quint8 elements. Copies share the elements. A tensor of another
/// element type, such as I64 in a file, is kept without its elements: it is an error if the plan
/// needs it.
struct state_tensor {
  std::string name;
  std::vector<int> shape;
  std::shared_ptr<const float> floats;          // either these
  std::shared_ptr<const std::int8_t> integers;  // or these
  std::shared_ptr<const std::uint8_t> bytes{};  // or these
  std::string_view other{};                     // or none: the name of another type of elements

  [[nodiscard]] ctq::dtype dtype() const {
    if (!other.empty()) return ctq::dtype::none;
    return bytes != nullptr ? quint8 : integers != nullptr ? qint8 : f32;
  }
  [[nodiscard]] std::size_t size() const {
    std::size_t n = 1;
    for (const int extent : shape) n *= static_cast<std::size_t>(extent);
    return n;
  }
};

/// Tensors by name. Copies share the elements. A template, so that nothing is instantiated in
/// programs without int8 models.
template <int = 0>
class basic_state_dict {
 public:
  /// Adds a tensor with these elements; replaces one with the same name.
  template <class T>
  void set(std::string name, std::vector<int> shape, std::vector<T> values) {
    state_tensor t{std::move(name), std::move(shape), nullptr, nullptr};
    if constexpr (std::is_same_v<T, float>) {
      t.floats = owner_of(std::move(values));
    } else if constexpr (std::is_same_v<T, std::int8_t>) {
      t.integers = owner_of(std::move(values));
    } else {
      t.bytes = owner_of(std::move(values));
    }
    set(std::move(t));
  }
  void set(state_tensor t) {
    const std::size_t at = index_of(t.name);
    if (at < tensors_.size() && tensors_[at].name == t.name) {
      tensors_[at] = std::move(t);
    } else {
      tensors_.insert(tensors_.begin() + static_cast<std::ptrdiff_t>(at), std::move(t));
    }
  }

  /// All tensors, sorted by name.
  [[nodiscard]] span<const state_tensor> tensors() const& { return tensors_; }
  span<const state_tensor> tensors() const&& = delete;

  /// The elements of a float32 tensor. Non-owning.
  /// Errors  a tensor that is missing, of another dtype or shape, or not finite
  [[nodiscard]] result<span<const float>> floats(const std::string& name,
                                                 span<const int> shape) const& {
    const auto values = operand(name, shape);
    if (!values) return values;
    for (const float x : *values)
      if (std::isinf(x)) return fail("tensor " + name, "a value is infinite");
    return values;
  }
  /// The same for a tensor that may have infinite elements, such as a mask for attention.
  [[nodiscard]] result<span<const float>> operand(const std::string& name,
                                                  span<const int> shape) const& {
    const auto t = find(name, f32, shape);
    if (!t) return unexpected{t.error()};
    const span<const float> values{(*t)->floats.get(), (*t)->size()};
    for (const float x : values)
      if (std::isnan(x)) return fail("tensor " + name, "a value is NaN");
    return values;
  }
  /// The same for the scales of a weight, which are positive.
  [[nodiscard]] result<span<const float>> scales(const std::string& name,
                                                 span<const int> shape) const& {
    const auto t = find(name, f32, shape);
    if (!t) return unexpected{t.error()};
    const span<const float> values{(*t)->floats.get(), (*t)->size()};
    for (const float scale : values)
      if (std::string problem = problem_with_scale(scale); !problem.empty())
        return fail("tensor " + name, std::move(problem));
    return values;
  }
  /// The elements of a qint8 tensor. Non-owning.
  /// Errors  a tensor that is missing, or of another dtype or shape
  [[nodiscard]] result<span<const std::int8_t>> integers(const std::string& name,
                                                         span<const int> shape) const& {
    const auto t = find(name, qint8, shape);
    if (!t) return unexpected{t.error()};
    return span<const std::int8_t>{(*t)->integers.get(), (*t)->size()};
  }
  /// The same for a quint8 tensor.
  [[nodiscard]] result<span<const std::uint8_t>> bytes(const std::string& name,
                                                       span<const int> shape) const& {
    const auto t = find(name, quint8, shape);
    if (!t) return unexpected{t.error()};
    return span<const std::uint8_t>{(*t)->bytes.get(), (*t)->size()};
  }

 private:
  template <class T>
  static std::shared_ptr<const T> owner_of(std::vector<T> values) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    static constexpr T nothing{};  // for no elements; null would mean another dtype
    const T* const elements = owner->empty() ? &nothing : owner->data();
    return {std::move(owner), elements};
  }

  /// The index of the first tensor whose name does not come before this one.
  [[nodiscard]] std::size_t index_of(std::string_view name) const {
    std::size_t at = 0;
    for (std::size_t end = tensors_.size(); at < end;) {
      const std::size_t middle = (at + end) / 2;
      if (tensors_[middle].name < name) {
        at = middle + 1;
      } else {
        end = middle;
      }
    }
    return at;
  }

  [[nodiscard]] result<const state_tensor*> find(const std::string& name, ctq::dtype dtype,
                                                 span<const int> shape) const {
    const std::size_t at = index_of(name);
    if (at == tensors_.size() || tensors_[at].name != name)
      return fail("tensor " + name, "is missing");
    const state_tensor& t = tensors_[at];
    if (t.dtype() != dtype) {
      const std::string needed{name_of(dtype)};
      if (t.other.empty())
        return fail("tensor " + name, "has " + std::string{name_of(t.dtype())} +
                                          " elements, the plan needs " + needed);
      const std::string stored = dtype == f32 ? "F32" : dtype == qint8 ? "I8" : "U8";
      return fail("tensor " + name, "has " + std::string{t.other} + " elements, the plan needs " +
                                        needed + ", " + stored + " in a file");
    }
    if (!std::equal(t.shape.begin(), t.shape.end(), shape.begin(), shape.end()))
      return fail("tensor " + name, "shape is " + text_of_shape(t.shape) + ", the plan needs " +
                                        text_of_shape(shape));
    return &t;
  }

  std::vector<state_tensor> tensors_;
};
using state_dict = basic_state_dict<>;

/// What an int8 model is made from: the quantized parameters and, by the number of the observer,
/// the qparams of activations.
struct quantized_state {
  state_dict tensors;
  std::vector<ctq::qparams> qparams;
  ctq::semantics semantics{};  // of the observers that found them
  bool is_kept = true;         // false: the model has dropped the tensors after packing them
};

}  // namespace ctq
