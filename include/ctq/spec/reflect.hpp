// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/reflect.hpp"
#include "ctq/spec/backend_pattern_config.hpp"
#include "ctq/spec/dtype_config.hpp"
#include "ctq/spec/qconfig.hpp"
#include "ctq/spec/qconfig_text.hpp"

// Reflection of the spec's records, whose field names are PyTorch's keyword arguments.

BOOST_HANA_ADAPT_STRUCT(ctq::dtype_with_constraints_record, dtype, quant_min_lower_bound,
                        quant_max_upper_bound, scale_min_lower_bound, scale_max_upper_bound,
                        scale_exact_match, zero_point_exact_match);
BOOST_HANA_ADAPT_STRUCT(ctq::input_index_record, input, weight, bias);
BOOST_HANA_ADAPT_STRUCT(ctq::dtype_config_record, input_dtype, output_dtype, weight_dtype,
                        bias_dtype, is_dynamic);
