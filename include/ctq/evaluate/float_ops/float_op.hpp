// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/operands.hpp"
#include "ctq/ops/reflect.hpp"

// The float implementation of an op: one for all its forms, since PyTorch uses the same name for
// modules, functions and methods that compute the same: torch.nn.PReLU, torch.nn.functional.prelu,
// and torch.relu, Tensor.relu_.

namespace ctq::float_ops {

struct float_op {
  std::string_view names{};       // without module, case and underscores; "conv?d": 1, 2 or 3 axes
  std::string_view parameters{};  // those of the function, in Python's notation: see signature.hpp
  result<value> (*run)(operands& from){};
  std::string_view module_inputs = "input";  // a module's positional parameters
};

/// Whether a name without its module, MaxPool2d, is this one: "max_pool?d".
[[nodiscard]] constexpr bool is_same_name(std::string_view name, std::string_view wanted) {
  std::size_t at = 0;
  for (const char c : name) {
    if (c == '_') continue;
    if (at < wanted.size() && wanted[at] == '_') ++at;
    if (at == wanted.size()) return false;
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool is_digit = wanted[at] == '?' && c >= '1' && c <= '3';
    if (wanted[at++] != lower && !is_digit) return false;
  }
  return at == wanted.size();
}

/// Whether PyTorch's qualified name ends with one of these names, which spaces separate.
[[nodiscard]] constexpr bool is_named(std::string_view qualified, std::string_view names) {
  const std::string_view name = qualified.substr(qualified.rfind('.') + 1);
  for (std::size_t at = 0; at < names.size();) {
    const std::string_view wanted = names.substr(at, names.find(' ', at) - at);
    if (is_same_name(name, wanted)) return true;
    at += wanted.size() + 1;
  }
  return false;
}

/// The signature of an op with this implementation.
[[nodiscard]] constexpr python_signature signature_of(const float_op& f, op_id op) {
  return {.parameters = f.parameters,
          .options = &options_of(op),
          .inputs = op->kind == op_kind::module ? f.module_inputs : std::string_view{}};
}

}  // namespace ctq::float_ops
