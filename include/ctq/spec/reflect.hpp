// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/reflect.hpp"
#include "ctq/core/text.hpp"
#include "ctq/spec/backend_pattern_config.hpp"
#include "ctq/spec/dtype_config.hpp"
#include "ctq/spec/observer.hpp"
#include "ctq/spec/qconfig.hpp"
#include "ctq/spec/qconfig_text.hpp"

// Reflection of the spec's records, whose field names are PyTorch's keyword arguments.

BOOST_HANA_ADAPT_STRUCT(ctq::dtype_with_constraints_record, dtype, quant_min_lower_bound,
                        quant_max_upper_bound, scale_min_lower_bound, scale_max_upper_bound,
                        scale_exact_match, zero_point_exact_match);
BOOST_HANA_ADAPT_STRUCT(ctq::input_index_record, input, weight, bias);
BOOST_HANA_ADAPT_STRUCT(ctq::dtype_config_record, input_dtype, output_dtype, weight_dtype,
                        bias_dtype, is_dynamic);
BOOST_HANA_ADAPT_STRUCT(ctq::observer_args, dtype, qscheme, reduce_range, quant_min, quant_max, eps,
                        averaging_constant, ch_axis, group_size, bins, upsample_rate, is_dynamic,
                        scale, zero_point, use_grad_scaling);

namespace ctq {

/// Appends "(input_dtype=(dtype=quint8), is_dynamic=True)": the fields that differ from their
/// defaults.
template <class Text, reflected Record>
constexpr void append_record(Text& out, const Record& record) {
  std::string_view before;
  out.append("(");
  for_each_change(record, [&]<class T>(std::string_view name, const T& value) {
    append_all(out, before, name, "=");
    if constexpr (reflected<T>) {
      append_record(out, value);
    } else {
      append_value(out, value);
    }
    before = ", ";
  });
  out.append(")");
}

}  // namespace ctq
