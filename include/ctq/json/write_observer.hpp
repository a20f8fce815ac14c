// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/json/read_observer.hpp"
#include "ctq/json/write.hpp"
#include "ctq/spec/reflect.hpp"

// Records as JSON objects: the fields that differ from their defaults.

namespace ctq::json {

template <class Text, class T>
constexpr void write_value(writer<Text>& out, const T& v) {
  if constexpr (std::is_arithmetic_v<T>) {
    out.value(v);
  } else if constexpr (requires { v.given; }) {
    v.given ? out.value(v.value) : out.null();
  } else if (name_of(v) == "none") {
    out.null();
  } else {
    out.plain("torch.", name_of(v));
  }
}

template <class Text>
constexpr void write_observer(writer<Text>& out, const observer_record& o) {
  const bool fake = o.fake_quantize != fake_quantize_class::none;
  observer_args defaults = default_args(o.type);
  if (o.type == observer_class::fixed_qparams) defaults.scale = 0.0F;  // which no observer has
  out.object([&] {
    out.plain_key("class").plain({}, fake ? name_of(o.fake_quantize) : name_of(o.type));
    if (fake && o.type != default_observer(o.fake_quantize))
      out.plain_key("observer").plain({}, name_of(o.type));
    for_each_difference(o.args, defaults, [&](std::string_view name, const auto& value) {
      write_value(out.plain_key(name), value);
    });
  });
}

}  // namespace ctq::json
