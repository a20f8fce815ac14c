// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/recurrent/recurrent_products.hpp"

using namespace ctq;

namespace {

constexpr recurrent_shape s{.cell = recurrent_cell::gru,
                            .steps = 5,
                            .batch = 2,
                            .input = 7,
                            .hidden = 4,
                            .layers = 2,
                            .directions = 2};
static_assert(input_product(s, 0) == linear_shape{10, 7, 12});
static_assert(input_product(s, 1) == linear_shape{10, 8, 12});
static_assert(state_product(s) == linear_shape{2, 4, 12});
static_assert(recurrent_product_signature(kernel::rnn, {2, 4, 12}).kernel == kernel::linear);
static_assert(recurrent_product_signature(kernel::rnn_dynamic, {2, 4, 12}).kernel ==
              kernel::linear_dynamic);
static_assert(recurrent_product_signature(kernel::lstm_observed, {2, 4, 12}) ==
              recurrent_product_signature(kernel::rnn, {2, 4, 12}));
static_assert(recurrent_product_signature(kernel::lstm_static, {2, 4, 12}) ==
              signature_of(kernel::linear, quint8, quint8, linear_shape{2, 4, 12}));
static_assert(s.sequence_elements() == 5 * 2 * 8 && s.state_elements() == 4 * 2 * 4);

}  // namespace
