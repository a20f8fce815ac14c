// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// ops: what each op is called, reads, owns and gives, what it does to scales, and which kernels
// compute it. One descriptor an op, those of a user's included. ctq/ops/reflect.hpp, the names of
// options, is included by those who need them: it takes a compiler half a second.

#include "ctq/ops/activations.hpp"
#include "ctq/ops/arithmetic.hpp"
#include "ctq/ops/broadcast.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/ops/concatenations.hpp"
#include "ctq/ops/convolutions.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/describe.hpp"
#include "ctq/ops/embeddings.hpp"
#include "ctq/ops/linear.hpp"
#include "ctq/ops/norms.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/ops/op_descriptor.hpp"
#include "ctq/ops/op_table.hpp"
#include "ctq/ops/pass_ops.hpp"
#include "ctq/ops/pools.hpp"
#include "ctq/ops/recurrent.hpp"
#include "ctq/ops/reductions.hpp"
#include "ctq/ops/resizes.hpp"
#include "ctq/ops/shape_checks.hpp"
#include "ctq/ops/strided_view.hpp"
#include "ctq/ops/view_rules.hpp"
#include "ctq/ops/view_strides.hpp"
#include "ctq/ops/views.hpp"
