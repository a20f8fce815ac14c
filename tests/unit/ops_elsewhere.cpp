// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/call.hpp"

template const ctq::float_ops::float_op* ctq::float_ops::implementation::at_run_time<>(ctq::op_id);
