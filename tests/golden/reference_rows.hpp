// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fx_names.hpp"
#include "fx_printing.hpp"

// The rows of a reference model, with what the rows of the lowered one take over from them.

namespace golden {

struct reference_rows {
  /// Of one quantize: its attributes.
  struct attributes {
    std::string scale, zero_point;
  };

  json rows = json::array();
  std::vector<std::string> names;                // by node
  std::map<std::string, attributes> behind;      // by name of the node that is quantized
  std::map<std::string, json> attribute_values;  // by name
  std::map<std::string, std::string> attribute_targets;
  fx_names nodes;
  attribute_names model;
};

/// g  with the nodes that convert removes because nothing reads them
[[nodiscard]] reference_rows print_reference(ctq::graph_view<ctq::stage::reference> g,
                                             const ctq::mapping_view& mapping,
                                             const row_values& values);

/// "conv2d" of "torch.ops.quantized.conv2d".
[[nodiscard]] inline std::string last_part(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

}  // namespace golden
