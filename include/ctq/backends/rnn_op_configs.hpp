// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/rows.hpp"

// Recurrent layers, with dynamic quantization only.

namespace ctq {

namespace rnn_parts {

/// A layer or a cell, with a reference module but no module for training.
template <class Dtypes, auto Module, auto Reference>
using row = rows::rooted<Dtypes, Module, Module, Reference>;

template <class Dtypes>
using all =
    configs<row<Dtypes, nn::gru_cell, nnqr::gru_cell>, row<Dtypes, nn::lstm_cell, nnqr::lstm_cell>,
            row<Dtypes, nn::rnn_cell, nnqr::rnn_cell>, row<Dtypes, nn::lstm, nnqr::lstm>,
            row<Dtypes, nn::gru, nnqr::gru>>;

}  // namespace rnn_parts

/// Cells, LSTM and GRU: 5 rows.
template <class... DtypeConfig>
using rnn_op_configs = rnn_parts::all<dtype_configs<DtypeConfig...>>;

}  // namespace ctq
