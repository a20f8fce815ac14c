// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "golden_backends.hpp"

#include <optional>
#include <vector>

#include "backend_configs.hpp"

#ifndef GOLDEN_DATA
#define GOLDEN_DATA "tests/golden/data"  // as seen from the project's root
#endif

namespace golden {
namespace {

ctq::json::backend_file read(const json& table) {
  const std::vector<config_row> rows = config_rows_of(table);
  std::vector<const json*> configs;
  for (const config_row& r : rows) {
    if (!r.problem.empty()) throw malformed(r.problem);
    configs.push_back(&r.config);
  }
  auto file = ctq::json::from_json(to_text(table.at("name"), configs));
  if (!file) throw malformed(file.error().message());
  return *std::move(file);
}

std::optional<ctq::json::backend_file> search_in(const std::filesystem::path& folder,
                                                 const std::string& name) {
  for (const std::filesystem::path& file : backend_config_files(folder)) {
    const json table = read_table(file);
    if (file.stem() == name || table.value("name", "") == name) return read(table);
  }
  return {};
}

}  // namespace

ctq::backend_view golden_backends::find(const std::string& name) {
  if (const auto known = read_.find(name); known != read_.end()) return known->second.view();
  for (const std::filesystem::path& folder : {folder_, std::filesystem::path{GOLDEN_DATA}})
    if (auto file = search_in(folder, name))
      return read_.emplace(name, *std::move(file)).first->second.view();
  throw malformed("there is no table of the backend " + name);
}

}  // namespace golden
