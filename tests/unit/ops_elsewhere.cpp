// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/eager/call.hpp"

template const ctq::eager::op_meaning* ctq::eager::meaning::at_run_time<>(ctq::op_id);
