// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "ctq/core/result.hpp"
#include "ctq/io/fx_graph.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/custom_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

namespace tool {

/// What prepare and convert are told besides the mapping.
struct custom_configs {
  ctq::prepare_custom_config prepare{};
  ctq::convert_custom_config convert{};
};

enum class explain_form { text, markdown, json, dot };

struct row_explanation {
  std::string text;
  std::string problem;  // why it is not compiled, as the compiler says; empty: it is
};

/// How each node of a traced model is quantized.
/// Errors  those of prepare
[[nodiscard]] ctq::result<row_explanation> explain_rows(const ctq::fx_graph& model,
                                                        const ctq::backend_view& backend,
                                                        const ctq::mapping_view& mapping,
                                                        explain_form form,
                                                        const custom_configs& custom = {});

}  // namespace tool
