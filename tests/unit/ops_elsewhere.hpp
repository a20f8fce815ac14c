// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the build includes before all else in tests that evaluate graphs: all ops are compiled once,
// in ops_elsewhere.cpp. It names two types and includes nothing, so that each test still shows
// whether the header that it includes first is complete.

namespace ctq {

struct op_info;

namespace float_ops {

struct op_meaning;

namespace meaning {

template <class>
const op_meaning* at_run_time(const op_info*);
extern template const op_meaning* at_run_time<void>(const op_info*);

}  // namespace meaning

}  // namespace float_ops

}  // namespace ctq
