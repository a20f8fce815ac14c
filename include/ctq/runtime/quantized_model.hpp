// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "ctq/passes/plan.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/int8_code.hpp"
#include "ctq/runtime/tensor.hpp"
#include "ctq/runtime/weights.hpp"

// The int8 model: straight-line code over packed weights and one arena.

namespace ctq {

/// Memory for the values of one run: one for each thread that runs a model.
template <std::size_t Bytes>
struct alignas(64) arena {
  std::byte bytes[Bytes == 0 ? 1 : Bytes];

  [[nodiscard]] std::byte* data() { return bytes; }
};

template <class Plan, class Isa = isa::native>
class quantized_model {
  static constexpr auto& schedule = Plan::int8_schedule;
  using code = int8_code<Plan, Isa>;

 public:
  using plan = Plan;
  using isa = Isa;
  using input = typename io_types<schedule>::input_view;
  using output = typename io_types<schedule>::output_view;
  static constexpr std::size_t arena_bytes = code::arena_bytes;
  using arena = ctq::arena<arena_bytes>;

  /// qparams: one an observer of the plan.
  /// Errors  as make_parameters
  [[nodiscard]] static result<quantized_model> make(const weights& w,
                                                    std::vector<ctq::qparams> qparams,
                                                    semantics s = {}) {
    auto p = code::make(w, qparams, s);
    if (!p) return unexpected{p.error()};
    return quantized_model{*std::move(p), std::move(qparams)};
  }

  /// One inference. Many threads may call it on one model, each with its own arena.
  void run(input in, output out, arena& memory) const noexcept {
    code::run(parameters_, in.data(), out.data(), memory.data());
  }

  /// Scale and zero point of each observer of the plan.
  [[nodiscard]] std::span<const ctq::qparams> qparams() const { return qparams_; }
  /// Weights, biases and multipliers as the kernels read them.
  [[nodiscard]] std::size_t weight_bytes() const { return parameters_.packed.size(); }

 private:
  quantized_model(parameters p, std::vector<ctq::qparams> q)
      : parameters_(std::move(p)), qparams_(std::move(q)) {}

  parameters parameters_;
  std::vector<ctq::qparams> qparams_;
};

/// A model and its arena, for one thread.
template <class Model>
class session {
 public:
  explicit session(const Model& model) : model_(&model), memory_(Model::arena_bytes) {}
  explicit session(const Model&&) = delete;  // the model must outlive its session

  void operator()(typename Model::input in, typename Model::output out) noexcept {
    model_->run(in, out, *reinterpret_cast<typename Model::arena*>(memory_.data()));
  }

 private:
  const Model* model_;
  aligned_buffer memory_;
};

}  // namespace ctq
