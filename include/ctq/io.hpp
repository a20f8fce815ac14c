// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// io: the only layer that accesses files. Results are values or errors. ctq/io/idx.hpp is not
// included here, since it needs zlib.

#include "ctq/io/convert_trained.hpp"
#include "ctq/io/file_path.hpp"
#include "ctq/io/load_qparams.hpp"
#include "ctq/io/load_quantized.hpp"
#include "ctq/io/load_weights.hpp"
#include "ctq/io/read_safetensors.hpp"
#include "ctq/io/safetensors.hpp"
#include "ctq/io/save_quantized.hpp"
#include "ctq/io/write_safetensors.hpp"
