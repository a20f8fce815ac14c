// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// core: the types that all layers share: dtypes, shapes and kernel signatures, errors at compile
// time and at run time. Not included, since it costs Boost.Hana: ctq/core/reflect.hpp, the names of
// the members of structs.

#include "ctq/core/compiler_flags.hpp"

#include "ctq/core/attributes.hpp"
#include "ctq/core/block.hpp"
#include "ctq/core/containers/list.hpp"
#include "ctq/core/containers/view.hpp"
#include "ctq/core/diagnostic.hpp"
#include "ctq/core/dtype.hpp"
#include "ctq/core/fixed_string.hpp"
#include "ctq/core/isa.hpp"
#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/machine.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/core/op_functions.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/real.hpp"
#include "ctq/core/report.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/same_text.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/function_shape.hpp"
#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/resampling_shape.hpp"
#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/core/shapes/sequence_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/sum.hpp"
#include "ctq/core/terminate.hpp"
#include "ctq/core/text.hpp"
#include "ctq/core/text_buffer.hpp"
#include "ctq/core/unroll.hpp"
