// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "ctq/observers.hpp"
#include "observer_args.hpp"
#include "tensors.hpp"

// What the suites share that know observers: how they are made, and their state in numbers.

namespace golden {

namespace obs = ctq::observers;

/// The class with PyTorch's defaults and these keyword arguments. Throws malformed for one that ctq
/// does not know.
inline ctq::observer_record observer_from(ctq::observer_class type, const json& kwargs) {
  ctq::observer_record r{type, {}};
  ctq::observer_args& args = r.args;
  if (is_per_channel(type)) args.qscheme = ctq::qscheme::per_channel_affine;
  if (type == ctq::observer_class::placeholder) args.dtype = ctq::f32;
  if (type == ctq::observer_class::noop) args.dtype = ctq::f16;
  for (const auto& [key, value] : kwargs.items()) {
    if (value.is_null()) continue;
    if (!set_argument(args, key, value) && key != "compute_dtype" && key != "custom_op_name")
      throw malformed("observer argument " + key);
  }
  // 1.13 says by compute_dtype what a placeholder quantizes to while the model runs.
  if (const auto compute = kwargs.find("compute_dtype");
      compute != kwargs.end() && compute->is_string()) {
    args.dtype = dtype_from(*compute);
    args.is_dynamic = true;
  }
  constexpr std::int64_t finest = std::int64_t{1} << 28;  // a second or so each time it grows
  if (std::int64_t{args.bins} * args.upsample_rate > finest)
    throw malformed("too fine a histogram");
  return r;
}

/// A tensor with a shape of ctq's. One of higher rank than ctq knows keeps its channel axis: what
/// comes before and what comes after are one axis each.
struct shaped_tensor {
  std::vector<float> data;
  ctq::shape shape;
  int axis;

  shaped_tensor(const tensor& t, int ch_axis) : data(t.floats()), axis(ch_axis) {
    const auto rank = static_cast<int>(t.shape.size());
    if (rank <= static_cast<int>(ctq::max_rank)) {
      shape.rank = rank;
      for (int i = 0; i < rank; ++i) shape[i] = t.shape[static_cast<std::size_t>(i)];
      return;
    }
    shape = ctq::shape(1, 1, 1);
    axis = 1;
    const int channel = ch_axis < 0 ? ch_axis + rank : ch_axis;
    for (int i = 0; i < rank; ++i)
      shape[i < channel ? 0 : (i == channel ? 1 : 2)] *= t.shape[static_cast<std::size_t>(i)];
  }
};

/// Empty if both are the same numbers (NaN equals NaN, 0 equals -0), else where they differ.
inline std::string difference(const std::string& what, const std::vector<double>& wanted,
                              const std::vector<double>& got) {
  if (wanted.size() != got.size())
    return what + " has " + std::to_string(got.size()) + " elements, not " +
           std::to_string(wanted.size()) + "; ";
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (wanted[i] == got[i] || (std::isnan(wanted[i]) && std::isnan(got[i]))) continue;
    char text[96];
    std::snprintf(text, sizeof text, "[%zu] is %.9g, not %.9g; ", i, got[i], wanted[i]);
    return what + text;
  }
  return {};
}

template <class Numbers>
std::vector<double> as_doubles(const Numbers& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// What an observer knows, and the parameters it gives or why it gives none.
struct observer_state {
  std::vector<double> min, max, scale, zero_point;
  std::string error;
};

template <class Observer>
void read_seen(observer_state& s, const obs::any_observer& o) {
  const auto add = [&](const obs::extrema& e) {
    s.min.push_back(static_cast<double>(e.min));
    s.max.push_back(static_cast<double>(e.max));
  };
  const Observer* observer = o.get_if<Observer>();
  if (observer == nullptr) return;
  if constexpr (requires { observer->seen().size(); })
    for (const obs::extrema& e : observer->seen()) add(e);
  else
    add(observer->seen());
}

inline observer_state state_of(const obs::any_observer& o) {
  observer_state s;
  read_seen<obs::min_max>(s, o);
  read_seen<obs::moving_average_min_max>(s, o);
  read_seen<obs::per_channel_min_max>(s, o);
  read_seen<obs::moving_average_per_channel_min_max>(s, o);
  read_seen<obs::histogram>(s, o);
  if (o.is_per_channel()) {
    const auto q = o.calculate_per_channel_qparams();
    if (!q) {
      s.error = q.error().message();
      return s;
    }
    s.scale = as_doubles(q->scale);
    s.zero_point =
        q->zero_point.empty() ? as_doubles(q->float_zero_point) : as_doubles(q->zero_point);
  } else {
    const auto q = o.calculate_qparams();
    if (!q) {
      s.error = q.error().message();
      return s;
    }
    s.scale = {static_cast<double>(q->scale)};
    s.zero_point = {static_cast<double>(q->zero_point)};
  }
  return s;
}

}  // namespace golden
