// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// ctq: compile-time quantization. See README.md. What reads Fashion-MNIST and other gzip files
// needs zlib and stands apart: ctq/io/idx.hpp.

#include "ctq/backends.hpp"
#include "ctq/core.hpp"
#include "ctq/graph.hpp"
#include "ctq/io.hpp"
#include "ctq/observers.hpp"
#include "ctq/passes.hpp"
#include "ctq/runtime.hpp"
#include "ctq/spec.hpp"
