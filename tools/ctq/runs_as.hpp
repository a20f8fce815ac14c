// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "ctq/graph/graph.hpp"
#include "ctq/io/fx_graph.hpp"
#include "ctq/passes/prepare_options.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"
#include "import_model.hpp"
#include "pattern_model.hpp"

// How compiled models compute the patterns of a backend: what the passes make of the least model
// with the pattern.

namespace tool {

/// The least model of a pattern, quantized by one of its dtype configs, at each of its stages.
struct pattern_stages {
  pattern_model model;
  ctq::fx_graph rows;
  std::vector<ctq::mapping_entry> entries;
  ctq::prepare_options options;
  shaped_model traced;
  ctq::dynamic_graph<ctq::stage::fused> fused;
  ctq::dynamic_graph<ctq::stage::prepared> prepared;
  ctq::dynamic_graph<ctq::stage::reference> reference;
  ctq::dynamic_graph<ctq::stage::lowered> lowered;
  bool gives_tensor = true;  // the pattern, unlike x.size(0)
  bool is_accepted = false;  // prepare has chosen the dtype config
  std::string rejection;     // why a compiled model cannot have it; empty: it can

  [[nodiscard]] ctq::mapping_view mapping() const {
    return {entries.data(), static_cast<int>(entries.size())};
  }
};

[[nodiscard]] pattern_stages stages_of(const ctq::backend_view& backend, int pattern,
                                       int dtype_config);

enum class run_form {
  int8,
  dynamic,         // integers, the scale of the input found as it runs
  weight_only,     // integers times floats
  no_computation,  // it gives no tensor
  in_float,        // between dequantize and quantize
  run_time,        // compiled models do not have it: ctq::evaluator does
};

struct pattern_run {
  run_form form{};
  std::string why{};  // it is one of the last two

  friend bool operator==(const pattern_run&, const pattern_run&) = default;
};

/// Of a pattern with an op of the user's own only that op in C++ knows.
[[nodiscard]] pattern_run runs_as(const ctq::backend_view& backend, int pattern, int dtype_config);

[[nodiscard]] pattern_run runs_as(const pattern_stages& s, const ctq::dtype_config_record& config);

/// "int8", "float: no integer kernel for torch.nn.Softmax"
[[nodiscard]] std::string words(const pattern_run& run);

}  // namespace tool
