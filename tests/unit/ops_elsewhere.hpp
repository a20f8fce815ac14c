// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Force-included in tests that evaluate graphs, so that all ops are compiled once, in
// ops_elsewhere.cpp. Only declares two types, so that each test still shows whether the header that
// it includes first is self-contained.

namespace ctq {

struct op_info;

namespace float_ops {

struct float_op;

namespace implementation {

template <class>
const float_op* at_run_time(const op_info*);
extern template const float_op* at_run_time<void>(const op_info*);

}  // namespace implementation

}  // namespace float_ops

}  // namespace ctq
