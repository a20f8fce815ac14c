// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <string_view>

#include "ctq/core/text.hpp"
#include "ctq/spec/observer.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// Observers and entries of a mapping as text. Field names are PyTorch's keyword arguments, so a
// record prints as the Python call that constructs it, without default values:
//
//   HistogramObserver(dtype=quint8, reduce_range=True)

namespace ctq {

/// Appends a value as Python writes it.
template <class Text, class T>
constexpr void append_value(Text& out, const T& value) {
  if constexpr (std::same_as<T, bool>) {
    out.append(value ? "True" : "False");
  } else if constexpr (std::integral<T>) {
    append_number(out, value);
  } else if constexpr (std::floating_point<T>) {
    append_decimal(out, static_cast<double>(value));
  } else if constexpr (requires { value.given; }) {
    if (!value.given) return out.append("None"), void();
    append_value(out, value.value);
  } else {
    out.append(name_of(value));
  }
}

/// Calls f(name, member) for each argument, in the order of declaration. Does not use
/// spec/reflect.hpp, which takes 0.3 s to compile, since every file of an int8 model names
/// observers.
template <class F>
constexpr void for_each_argument(F f) {
  using args = observer_args;
  f("dtype", &args::dtype), f("qscheme", &args::qscheme);
  f("reduce_range", &args::reduce_range);
  f("quant_min", &args::quant_min), f("quant_max", &args::quant_max);
  f("eps", &args::eps);
  f("averaging_constant", &args::averaging_constant);
  f("ch_axis", &args::ch_axis), f("group_size", &args::group_size);
  f("bins", &args::bins), f("upsample_rate", &args::upsample_rate);
  f("is_dynamic", &args::is_dynamic);
  f("scale", &args::scale), f("zero_point", &args::zero_point);
  f("use_grad_scaling", &args::use_grad_scaling);
}

/// Appends "FakeQuantize of MovingAverageMinMaxObserver(quant_min=0, quant_max=255)".
template <class Text>
constexpr void append_observer(Text& out, const observer_record& o) {
  if (o.type == observer_class::none) return out.append("nothing"), void();
  if (o.fake_quantize != fake_quantize_class::none)
    append_all(out, name_of(o.fake_quantize), " of ");
  out.append(name_of(o.type));
  out.append("(");
  std::string_view before;
  for_each_argument([&](std::string_view name, auto member) {
    if (o.args.*member == observer_args{}.*member) return;
    append_all(out, before, name, "=");
    append_value(out, o.args.*member);
    before = ", ";
  });
  out.append(")");
}

/// Appends what an entry of a mapping is for: "module_name fc".
template <class Text>
constexpr void append_place(Text& out, const mapping_entry& e) {
  out.append(name_of(e.level));
  if (!e.module.empty()) append_all(out, " ", e.module);
  if (e.op != nullptr) append_all(out, " ", e.op->name);
  if (e.level == mapping_level::module_name_object_type_order) append_all(out, " ", e.order);
}

/// Appends the observers of activations and of the weight, or "float".
template <class Text>
constexpr void append_qconfig(Text& out, const mapping_entry& e) {
  if (!e.quantizes) return out.append("float"), void();
  append_observer(out, e.qconfig.activation);
  out.append(", weight ");
  append_observer(out, e.qconfig.weight);
}

}  // namespace ctq
