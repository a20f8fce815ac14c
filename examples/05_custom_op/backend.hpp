// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ctq/backends/x86.hpp>

#include "swish.hpp"

// A backend that runs the ops of swish.hpp besides those of x86.

namespace my {

using namespace ctq;  // the words of a spec

// [backend]
using a8 = dtype_configs<activation_int8>;  // quint8 in, quint8 out

// PyTorch writes the pattern (operator.add, MatchAllNode, my.swish): an add of anything and a
// swish, in either order. The fused node gets the arguments of its root, path<2>, and then path<1>.
using add_of_swish = backend_pattern_config<pattern<nested<op::add, match_all, my::swish>>, a8,
                                            fused_module<my::add_swish>, root_node_getter<path<2>>,
                                            extra_inputs_getter<path<1>>>;

struct device : x86::set<"device",                                            //
                         backend_pattern_config<pattern<my::swish>, a8>,      //
                         backend_pattern_config<pattern<my::add_swish>, a8>,  //
                         add_of_swish> {};
// [backend]

}  // namespace my
