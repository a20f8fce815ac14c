// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/report.hpp"

// Whether a template argument is a model that the compiler can read, and without errors.

namespace ctq {

/// Satisfied by a constexpr result of ctq::model or ctq::sequential.
template <const auto& Model>
concept constant_model = requires {
  typename std::bool_constant<Model.problem.any()>;
};

template <const auto& Model>
struct model_check {
  static constexpr diagnostic find() {
    if constexpr (constant_model<Model>) {
      return Model.problem;
    } else {
      constexpr bool is_variable = requires { Model.problem.any(); };
      return diagnostic{}
          .line(is_variable ? "the model is not a constant: write"
                            : "not a model, but given as one: write")
          .line("inline constexpr auto net =")
          .line("ctq::model(...)");
    }
  }
  static constexpr bool bad() {
    if constexpr (constant_model<Model>)
      return Model.problem.any();
    else
      return true;
  }
  static constexpr auto message() { return find().text; }
};

/// Reports the error of a model, if it has one, when instantiated: derive from it to check the
/// model. The compile error names the node.
template <const auto& Model>
struct checked_model : report<model_check<Model>> {};

}  // namespace ctq
