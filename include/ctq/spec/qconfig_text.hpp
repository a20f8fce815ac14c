// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <string_view>

#include "ctq/core/reflect.hpp"
#include "ctq/core/text.hpp"
#include "ctq/spec/observer.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// Observers and entries of a mapping as text. Field names are PyTorch's keyword arguments, so a
// record prints as the Python call that constructs it, without default values:
//   HistogramObserver(dtype=quint8, reduce_range=True)
//
// A header apart from reflect.hpp, since each list of fields takes a compiler 0.1 s.

BOOST_HANA_ADAPT_STRUCT(ctq::observer_args, dtype, qscheme, reduce_range, quant_min, quant_max, eps,
                        averaging_constant, ch_axis, bins, upsample_rate, is_dynamic, scale,
                        zero_point, use_grad_scaling);

namespace ctq {

namespace reflecting {

template <class Text, class T>
constexpr void append_value(Text& out, const T& value) {
  if constexpr (std::same_as<T, bool>) {
    out.append(value ? "True" : "False");
  } else if constexpr (std::integral<T>) {
    append_number(out, value);
  } else if constexpr (std::floating_point<T>) {
    append_decimal(out, static_cast<double>(value));
  } else if constexpr (requires { name_of(value); }) {
    out.append(name_of(value));
  } else if constexpr (requires { value.given; }) {
    if (!value.given) return out.append("None"), void();
    append_value(out, value.value);
  } else {
    bool first = true;
    out.append("(");
    for_each_change(value, [&](std::string_view name, const auto& v) {
      append_all(out, first ? "" : ", ", name, "=");
      append_value(out, v);
      first = false;
    });
    out.append(")");
  }
}

}  // namespace reflecting

/// Appends "(input_dtype=(dtype=quint8), is_dynamic=True)": the fields that differ from their
/// defaults.
template <class Text, reflected Record>
constexpr void append_record(Text& out, const Record& record) {
  reflecting::append_value(out, record);
}

/// Appends "FakeQuantize of MovingAverageMinMaxObserver(quant_min=0, quant_max=255)".
template <class Text>
constexpr void append_observer(Text& out, const observer_record& o) {
  if (o.type == observer_class::none) return out.append("nothing"), void();
  if (o.fake_quantize != fake_quantize_class::none)
    append_all(out, name_of(o.fake_quantize), " of ");
  out.append(name_of(o.type));
  append_record(out, o.args);
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
