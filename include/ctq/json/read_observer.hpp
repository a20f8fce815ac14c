// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/json/reader.hpp"
#include "ctq/spec/observer.hpp"

// Observer constructors in JSON: the class and its keyword arguments in one object.
//   {"class": "HistogramObserver", "reduce_range": true}
//   {"class": "FakeQuantize", "observer": "MovingAverageMinMaxObserver", "quant_max": 127, ...}
// Omitted arguments have PyTorch's defaults. The scale of a FixedQParamsObserver has none.

namespace ctq::json {

/// The default arguments of PyTorch's class.
[[nodiscard]] constexpr observer_args default_args(observer_class c) {
  observer_args a;
  if (is_per_channel(c)) a.qscheme = qscheme::per_channel_affine;
  if (c == observer_class::placeholder) a.dtype = f32;
  if (c == observer_class::noop) a.dtype = f16;
  return a;
}

/// The default observer of a fake quantize.
[[nodiscard]] constexpr observer_class default_observer(fake_quantize_class c) {
  return c == fake_quantize_class::fixed_qparams_fake_quantize
             ? observer_class::fixed_qparams
             : observer_class::moving_average_min_max;
}

namespace observer_parts {

constexpr observer_class find_class(std::string_view name) {
  for (int i = 1; i < observer_class_count; ++i)
    if (same_text(name_of(static_cast<observer_class>(i)), name))
      return static_cast<observer_class>(i);
  return observer_class::none;
}

constexpr fake_quantize_class find_fake(std::string_view name) {
  for (int i = 1; i < fake_quantize_class_count; ++i)
    if (same_text(name_of(static_cast<fake_quantize_class>(i)), name))
      return static_cast<fake_quantize_class>(i);
  return fake_quantize_class::none;
}

/// Reports a class that is unknown, and the nearest known name.
///   with_fakes  whether a fake quantize is also allowed
constexpr void unknown_class(reader& r, element e, bool with_fakes) {
  nearest near{without_module(e.name())};
  for (int i = 1; i < observer_class_count; ++i)
    near.offer(name_of(static_cast<observer_class>(i)));
  for (int i = 1; with_fakes && i < fake_quantize_class_count; ++i)
    near.offer(name_of(static_cast<fake_quantize_class>(i)));
  r.unknown(rule::unknown_value, e, "observer", near);
}

/// Reports duplicates of a key that read_fields has skipped.
constexpr void check_repeated(reader& r, element object, std::string_view name) {
  int seen = 0;
  for (const auto [key, value] : object.members())
    if (key.is(name) && seen++ > 0) r.error(rule::duplicate_key, key, name, " is duplicated");
}

constexpr observer_class read_class(reader& r, element e, bool with_fakes) {
  if (!r.expect(e, kind::string)) return observer_class::none;
  const observer_class found = find_class(without_module(e.name()));
  if (found == observer_class::none) unknown_class(r, e, with_fakes);
  return found;
}

}  // namespace observer_parts

constexpr void read_observer(reader& r, element e, observer_record& out) {
  if (!r.expect(e, kind::object)) return;
  const element name = e.find("class");
  if (!name) return r.error(rule::missing_key, e, "class is missing");
  if (!r.expect(name, kind::string)) return;
  out.fake_quantize = observer_parts::find_fake(without_module(name.name()));
  const bool fake = out.fake_quantize != fake_quantize_class::none;
  const element inner = fake ? e.find("observer") : name;
  out.type =
      inner ? observer_parts::read_class(r, inner, !fake) : default_observer(out.fake_quantize);
  out.args = default_args(out.type);
  observer_parts::check_repeated(r, e, "class");
  if (fake) observer_parts::check_repeated(r, e, "observer");
  r.read_fields_with(r, e, out.args, "key here", [fake](element key) {
    return key.is("class") || (fake && key.is("observer"));
  });
  if (out.type == observer_class::fixed_qparams && !e.find("scale"))
    r.error(rule::missing_key, e, "a FixedQParamsObserver needs scale");
}

}  // namespace ctq::json
