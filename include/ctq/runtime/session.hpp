// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/terminate.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/embeddings/check_indices.hpp"
#include "ctq/runtime/model_calls.hpp"
#include "ctq/runtime/packing/run_graph.hpp"
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

/// Checks the integer inputs of a plan's int8 model.
///   in  elements of the inputs, in order
/// Errors  as the overload for steps, in check_indices.hpp
template <class Plan>
[[nodiscard]] status check_indices(span<const void* const> in) {
  constexpr auto& schedule = Plan::int8_schedule;
  return check_indices(span(schedule.steps).first(schedule.count),
                       span(run_graph<Plan::lowered>.nodes), in);
}

/// An int8 model (quantized_model or dispatched_model) and its arena. The arena is allocated here
/// once; a run allocates nothing and cannot fail. Inputs are preprocessed as in training. Values
/// outside the calibrated range saturate; NaN becomes the zero point.
///
/// Threads   one at a time; as many sessions of one model as there are threads
/// Lifetime  keeps the model alive: it may be made from a temporary one
/// Requires  not moved from; checked
template <class Model>
class session
    : public model_calls<session<Model>, true, typename Model::inputs, typename Model::outputs> {
  using calls = model_calls<session<Model>, true, typename Model::inputs, typename Model::outputs>;

 public:
  explicit session(Model model)
      : model_(std::move(model)), memory_(model_calls_of::arena_bytes_of(model_)) {}

  /// Checks that all elements are finite, as integers always are. Runs do not check this.
  /// Errors  as ctq::check_finite
  template <class... Input>
  [[nodiscard]] static status check_finite(const Input&... in) {
    status all = done{};
    const auto check = [&all]<class T>(span<const T> x) {
      if constexpr (std::is_same_v<T, float>)
        if (all) all = ctq::check_finite(x);
    };
    (check(span(std::as_const(in).data(), in.size)), ...);
    return all;
  }
  /// Checks that all indices are rows of the embeddings that read them, and that offsets are in
  /// order. Runs do not check this: they return a row of NaN for a wrong index.
  /// Errors  as ctq::check_indices
  template <class... Input>
  requires(
      model_calls_of::accepted<typename Model::inputs, typename Model::outputs, const Input&...>)
      [[nodiscard]] static status check_indices(const Input&... in) {
    const void* const from[] = {in.data()...};
    return ctq::check_indices<typename Model::plan>(from);
  }

 private:
  friend calls;
  template <class, class, class>
  friend class shared_model_calls;
  static constexpr auto& traced = Model::plan::traced;
  static constexpr auto& schedule = Model::plan::int8_schedule;

  void run_tensors(const void* const* in, void* const* out) noexcept {
    require(memory_.data() != nullptr, "this session was moved from");
    model_.run_tensors(in, out, memory_.data());
  }

  Model model_;
  aligned_buffer memory_;
};

}  // namespace ctq
