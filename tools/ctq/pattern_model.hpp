// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// The least model that a pattern of a backend matches, and the mapping that asks for one of its
// dtype configs: what shows how the pattern runs.

namespace tool {

/// A parameter or buffer of a module, by its path.
struct model_tensor {
  std::string path;
  std::vector<int> shape;
};

struct pattern_model {
  std::string rows;                   // of torch.fx, with the shapes of the inputs
  std::vector<model_tensor> tensors;  // of its modules
  bool is_trained = false;            // its modules are those of quantization-aware training
  bool reads_indices = false;         // its input are rows of a table
};

/// Empty rows: an op that this has no arguments for.
[[nodiscard]] pattern_model pattern_model_of(const ctq::backend_view& backend, int pattern);

/// A mapping that asks for a dtype config.
[[nodiscard]] std::vector<ctq::mapping_entry> mapping_for(const ctq::dtype_config_record& config);

}  // namespace tool
