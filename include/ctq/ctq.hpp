// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// ctq: compile-time quantization. See README.md. Not included, since most programs do without them:
// fake quantization, ctq/observers.hpp; specs in JSON, ctq/json.hpp; the names of options,
// ctq/ops/reflect.hpp; files other than those of weights and int8 models, ctq/io.hpp, and those
// that need zlib, ctq/io/idx.hpp.

#include "ctq/backends.hpp"
#include "ctq/core.hpp"
#include "ctq/graph.hpp"
#include "ctq/io/load_quantized.hpp"
#include "ctq/io/load_weights.hpp"
#include "ctq/io/save_quantized.hpp"
#include "ctq/ops.hpp"
#include "ctq/passes.hpp"
#include "ctq/runtime.hpp"
#include "ctq/spec.hpp"
