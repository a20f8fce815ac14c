// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "ctq/core/result.hpp"
#include "ctq/core/terminate.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/tensor.hpp"

// A model with the memory that its runs need.

namespace ctq {

/// Memory for the intermediate values of one run, for callers of model.run: one for each thread
/// that runs a model.
template <std::size_t Bytes>
struct alignas(64) arena {
  std::byte bytes[Bytes == 0 ? 1 : Bytes];

  [[nodiscard]] std::byte* data() { return bytes; }
};

/// An int8 model (quantized_model or dispatched_model) and its arena. The arena is allocated here
/// once; a run allocates nothing and cannot fail.
///
/// Threads   one at a time; as many sessions of one model as there are threads
/// Lifetime  keeps the model alive: it may be made of a temporary one
/// Requires  not moved from; checked
template <class Model>
class session {
 public:
  using input = typename Model::input;
  using output = typename Model::output;
  using input_view = typename Model::input_view;
  using input_argument = typename Model::input_argument;
  using output_view = typename Model::output_view;

  explicit session(Model model) : model_(std::move(model)), memory_(bytes_of(model_)) {}

  /// One inference. Input and output are contiguous float32, in the shapes of the model's
  /// placeholder and output node (images: N, C, H, W), preprocessed as in training. Values outside
  /// the calibrated range saturate; NaN becomes the zero point.
  output operator()(const input_argument& in) noexcept {
    output out;
    (*this)(in, out);
    return out;
  }
  /// The same, into an existing tensor, which must not overlap with the input.
  void operator()(const input_argument& in, output_view out) noexcept {
    require(memory_.data() != nullptr, "this session was moved from");
    model_.run(in, out, memory_.data());
  }

  /// Are all elements finite? Runs do not check it.
  /// Errors  as ctq::check_finite
  [[nodiscard]] static status check_finite(const input_argument& in) {
    return ctq::check_finite(std::span(in.data(), in.size));
  }

 private:
  static std::size_t bytes_of(const Model& m) {
    if constexpr (std::is_member_function_pointer_v<decltype(&Model::arena_bytes)>) {
      return m.arena_bytes();
    } else {
      return Model::arena_bytes;
    }
  }

  Model model_;
  aligned_buffer memory_;
};

}  // namespace ctq
