// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// ctq: compile-time quantization. See README.md. Not included, since most programs do without them:
// specs in JSON, ctq/json.hpp; the names of options, ctq/ops/reflect.hpp; other files than those of
// weights and int8 models, ctq/io.hpp, and those that need zlib, ctq/io/idx.hpp.

#include "ctq/backends.hpp"
#include "ctq/core.hpp"
#include "ctq/graph.hpp"
#include "ctq/io/load_quantized.hpp"
#include "ctq/io/load_weights.hpp"
#include "ctq/io/save_quantized.hpp"
#include "ctq/observers.hpp"
#include "ctq/ops.hpp"
#include "ctq/passes.hpp"
#include "ctq/runtime.hpp"
#include "ctq/spec.hpp"
