// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observer_args.hpp"

#include <cstdint>

namespace golden {

std::string without_module(const std::string& name) { return name.substr(name.rfind('.') + 1); }

ctq::dtype dtype_from(const std::string& name) {
  constexpr ctq::dtype all[] = {ctq::f32,   ctq::f16,    ctq::quint8,
                                ctq::qint8, ctq::qint32, ctq::quint4x2};
  return name == "float" ? ctq::f32 : named(all, name);
}

ctq::qscheme qscheme_from(const std::string& name) {
  using enum ctq::qscheme;
  constexpr ctq::qscheme all[] = {per_tensor_affine, per_tensor_symmetric, per_channel_affine,
                                  per_channel_symmetric, per_channel_affine_float_qparams};
  return named(all, name);
}

ctq::observer_class observer_class_from(const std::string& name) {
  using enum ctq::observer_class;
  constexpr ctq::observer_class all[] = {placeholder,
                                         min_max,
                                         moving_average_min_max,
                                         per_channel_min_max,
                                         histogram,
                                         noop,
                                         moving_average_per_channel_min_max,
                                         fixed_qparams,
                                         recording,
                                         reuse_input};
  return named(all, name);
}

bool set_argument(ctq::observer_args& args, const std::string& key, const json& value) {
  if (key == "dtype")
    args.dtype = dtype_from(value);
  else if (key == "qscheme")
    args.qscheme = qscheme_from(value);
  else if (key == "reduce_range")
    args.reduce_range = value.get<bool>();
  else if (key == "quant_min")
    args.quant_min = integer<std::int64_t>(value);
  else if (key == "quant_max")
    args.quant_max = integer<std::int64_t>(value);
  else if (key == "eps")
    args.eps = value.get<float>();
  else if (key == "averaging_constant")
    args.averaging_constant = value.get<double>();
  else if (key == "ch_axis")
    args.ch_axis = integer<int>(value);
  else if (key == "bins")
    args.bins = integer<int>(value, 1);
  else if (key == "upsample_rate")
    args.upsample_rate = integer<int>(value, 1);
  else if (key == "scale")
    args.scale = value.get<float>();
  else if (key == "zero_point")
    args.zero_point = integer<std::int64_t>(value);
  else if (key == "is_dynamic")
    args.is_dynamic = value.get<bool>();
  else
    return false;
  return true;
}

}  // namespace golden
