// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// ctq: compile-time quantization. See README.md. Two parts stand apart: specs in JSON,
// ctq/json.hpp, which most programs do without, and what reads gzip files and so needs zlib,
// ctq/io/idx.hpp.

#include "ctq/backends.hpp"
#include "ctq/core.hpp"
#include "ctq/graph.hpp"
#include "ctq/io.hpp"
#include "ctq/observers.hpp"
#include "ctq/ops.hpp"
#include "ctq/passes.hpp"
#include "ctq/runtime.hpp"
#include "ctq/spec.hpp"
