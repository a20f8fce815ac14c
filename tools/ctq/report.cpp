// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <algorithm>

#include "ctq/json/located.hpp"
#include "terminal.hpp"

namespace tool {

std::vector<const ctq::finding*> in_order_of_place(const ctq::findings& found, bool errors_only) {
  std::vector<const ctq::finding*> all;
  for (const ctq::finding& f : found)
    if (!errors_only || f.severity == ctq::severity::error) all.push_back(&f);
  // Findings at the same place keep their order: they lie in one array.
  std::sort(all.begin(), all.end(), [](const ctq::finding* a, const ctq::finding* b) {
    return a->offset != b->offset ? a->offset < b->offset : a < b;
  });
  return all;
}

std::string located(std::string_view file, std::string_view text, const ctq::finding& f,
                    bool colour) {
  std::string line;
  ctq::json::append_located(line, file, text, f);
  line = visible(line);
  if (!colour) return line;
  const std::string_view severity = name_of(f.severity);
  const std::size_t at = line.find(severity, visible(file).size());
  const bool is_error = f.severity == ctq::severity::error;
  line.insert(at + severity.size(), "\x1b[0m");
  line.insert(at, is_error ? "\x1b[1;31m" : "\x1b[1;35m");
  return line;
}

}  // namespace tool
