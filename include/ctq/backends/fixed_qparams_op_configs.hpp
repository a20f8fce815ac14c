// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <cstdint>

#include "ctq/backends/op_categories.hpp"

// Ops whose output has a fixed range, and therefore fixed scale and zero point.

namespace ctq {

namespace fixed_qparams_parts {

/// A dtype config that requires these parameters wherever it has quint8; other dtypes are unchanged
/// (PyTorch's _add_fixed_qparams_to_dtype_configs).
template <class Config, real Scale, std::int64_t ZeroPoint>
struct exactly {
  static constexpr dtype_config_record value = [] {
    constexpr dtype_with_constraints_record fixed =
        dtype_with_constraints<quint8, quant_min<0>, quant_max<255>,
                               exact_qparams<Scale, ZeroPoint>>::value;
    dtype_config_record r = Config::value;
    if (r.input_dtype.dtype == fixed.dtype) r.input_dtype = fixed;
    if (r.output_dtype.dtype == fixed.dtype) r.output_dtype = fixed;
    return r;
  }();
};

template <class Config>
using exactly_0_to_1 = exactly<Config, 1.0 / 256, 0>;
template <class Config>
using exactly_neg1_to_1 = exactly<Config, 2.0 / 256, 128>;

template <class Dtypes>
using from_0_to_1 = boost::mp11::mp_transform<exactly_0_to_1, Dtypes>;
template <class Dtypes>
using from_neg1_to_1 = boost::mp11::mp_transform<exactly_neg1_to_1, Dtypes>;

template <class Dtypes>
using all = configs<categories::from_0_to_1<from_0_to_1<Dtypes>>,
                    categories::from_neg1_to_1<from_neg1_to_1<Dtypes>>>;

}  // namespace fixed_qparams_parts

/// Sigmoids and softmax, from 0 to 1, and tanh, from -1 to 1: 13 rows.
template <class... DtypeConfig>
using fixed_qparams_op_configs = fixed_qparams_parts::all<dtype_configs<DtypeConfig...>>;

}  // namespace ctq
