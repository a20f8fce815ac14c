// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "ctq/json/backend_file.hpp"

// The backends that cases name: PyTorch 1.13's, from tables in the form of data/README.md.

namespace golden {

class golden_backends {
 public:
  /// The tables of this folder go first, then those that ctq comes with.
  explicit golden_backends(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The backend of that name, of its file or in it. Throws malformed if there is none.
  [[nodiscard]] ctq::backend_view find(const std::string& name);

 private:
  std::filesystem::path folder_;
  std::map<std::string, ctq::json::backend_file> read_;
};

}  // namespace golden
