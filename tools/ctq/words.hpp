// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ctq/spec/backend_config.hpp"

// The parts of a spec as text, the same in all subcommands.

namespace tool {

/// "quint8/quint8/qint8{quant_min>=-127, quant_max<=127}/float32 dynamic": input, output, weight
/// and bias; - if not given.
[[nodiscard]] std::string words(const ctq::dtype_config_record& d);

/// "(torch.nn.Conv2d, torch.nn.ReLU)", as in the messages of checks.
[[nodiscard]] std::string words(const ctq::pattern_record& p);

/// "[1, 2]"
[[nodiscard]] std::string words(const ctq::node_path& p);

/// As PyTorch's sources call an op: nn.Conv2d, F.relu, nnqat.Linear.
[[nodiscard]] std::string abbreviated(std::string_view name);

struct field {
  std::string_view name;
  std::string value;  // "none" if it is not given

  friend bool operator==(const field&, const field&) = default;
};

/// All of a config but its pattern, in PyTorch's order; always the same names.
[[nodiscard]] std::vector<field> fields_of(const ctq::backend_pattern_config_record& c);

}  // namespace tool
