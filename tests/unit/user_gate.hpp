// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/hana/adapt_struct.hpp>
#include <cstddef>

#include "ctq/core/no_contract.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "ctq/ops/reflect.hpp"

// An op that ctq does not have, with weights, a bias, options, a channel axis and kernels on
// integers: y = w[0, c] x where x is positive, slope w[1, c] x where it is not, + bias[c].

namespace user {

struct gate_options {
  int channels = 0;  // 0: as many as the input has
  float slope = 0.25F;
};

}  // namespace user

BOOST_HANA_ADAPT_STRUCT(user::gate_options, channels, slope);

namespace user {

struct op_gate : ctq::module_op<op_gate, gate_options> {
  static constexpr std::string_view name = "user.Gate";
  static constexpr ctq::op_descriptor descriptor{.options = &ctq::fields_of<gate_options>,
                                                 .channel_axis = 1};

  static constexpr ctq::shape infer_shape(ctq::view<ctq::shape> in, gate_options& o,
                                          ctq::diagnostic& d) {
    if (!ctq::shape_rules::needs(d, in, 1, 4)) return {};
    return ctq::shape_rules::settle(d, "channels", o.channels, in[0][1], in[0]) ? in[0]
                                                                                : ctq::shape{};
  }

  static constexpr ctq::op_parameters parameters(const gate_options& o) {
    return {ctq::op_parameter{"weight", {2, o.channels}}, ctq::op_parameter{"bias", {o.channels}}};
  }

  /// weight: positive, negative
  static float of(float x, float positive, float negative, float bias, float slope) {
    return ctq::no_contract(x > 0.0F ? positive * x : slope * negative * x) + bias;
  }

  /// Calls visit(element, channel).
  template <class Visit>
  static void for_each(const ctq::shape& s, Visit visit) {
    const auto channels = static_cast<std::size_t>(s[1]);
    const auto pixels = static_cast<std::size_t>(s[2]) * static_cast<std::size_t>(s[3]);
    for (std::size_t i = 0; i < ctq::numel(s); ++i) visit(i, i / pixels % channels);
  }

  static void apply(ctq::tensor_ref<const float> x, ctq::tensor_ref<float> y,
                    const ctq::parameter_refs& p, const gate_options& o) {
    const auto channels = static_cast<std::size_t>(o.channels);
    for_each(x.shape, [&](std::size_t i, std::size_t c) {
      y[i] = of(x[i], p[0].floats[c], p[0].floats[channels + c], p[1].floats[c], o.slope);
    });
  }

  static inline int runs = 0;  // of the kernel on integers

  template <class Q>
  static void run(ctq::tensor_ref<const Q> x, ctq::tensor_ref<Q> y, const ctq::parameter_refs& p,
                  const gate_options& o) {
    ++runs;
    const auto channels = static_cast<std::size_t>(o.channels);
    const ctq::kernels::quantizer steps = ctq::kernels::quantizer_of(y.qparams);
    for_each(x.shape, [&](std::size_t i, std::size_t c) {
      const float real = static_cast<float>(x[i] - x.qparams.zero_point) * x.qparams.scale;
      const float positive = static_cast<float>(p[0].integers[c]) * p[0].scale[c];
      const float negative = static_cast<float>(p[0].integers[channels + c]) * p[0].scale[c];
      y[i] = ctq::kernels::reference::quantize<Q>(
          of(real, positive, negative, p[1].floats[c], o.slope), steps);
    });
  }
};
inline constexpr op_gate gate{};

}  // namespace user
