// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

#include "ctq/core/semantics.hpp"
#include "ctq/spec/qconfig.hpp"

// The kind of quantization of a qconfig: PyTorch's QuantType.

namespace ctq {

enum class quant_type : std::uint8_t { unknown, dynamic, static_, qat, weight_only };

namespace names {
inline constexpr std::string_view of_quant_type[] = {"unknown", "dynamic", "static", "qat",
                                                     "weight_only"};
}

/// PyTorch's name.
[[nodiscard]] constexpr std::string_view name_of(quant_type t) {
  return names::of_quant_type[static_cast<std::size_t>(t)];
}

/// PyTorch's get_quant_type; unknown where it raises. A qconfig does not specify training, so the
/// result is never qat.
[[nodiscard]] constexpr quant_type quant_type_of(const qconfig_record& q, semantics s) {
  if (q.activation.type == observer_class::none || q.weight.type == observer_class::none)
    return quant_type::unknown;
  const observer_args& activation = q.activation.args;
  const dtype weight = q.weight.args.dtype;
  const auto is_integer = [](dtype d) { return d == quint8 || d == qint8 || d == quint4x2; };
  const bool dynamic = activation.is_dynamic &&
                       (is_integer(activation.dtype) || !dynamic_float16_counts_as_static(s));
  if (is_integer(weight)) {
    if (!is_integer(activation.dtype)) return quant_type::weight_only;
    return dynamic ? quant_type::dynamic : quant_type::static_;
  }
  if (weight != f16) return quant_type::unknown;
  if (dynamic) return quant_type::dynamic;
  return activation.dtype == f16 ? quant_type::static_ : quant_type::unknown;
}

}  // namespace ctq
