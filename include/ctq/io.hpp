// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Files: the only layer that touches them. What they hold arrives as values or as errors.
// ctq/io/idx.hpp is not included here: it needs zlib, which only its users shall link.

#include "ctq/io/load_weights.hpp"
#include "ctq/io/read_safetensors.hpp"
#include "ctq/io/safetensors.hpp"
#include "ctq/io/write_safetensors.hpp"
