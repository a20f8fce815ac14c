// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tensors.hpp"

// PyTorch's backend configs: its tables in the form of data/README.md, turned into ctq's JSON.

namespace golden {

/// One config of a table.
struct config_row {
  std::string name;         // for messages: the pattern, or its place in the file
  json pattern;             // as the file has it
  std::int64_t index = -1;  // the place of its registration; -1: not said
  std::size_t place = 0;    // in the file
  json config;              // in ctq's form
  std::string problem;      // why it could not be turned into that; empty: it could
};

/// The tables of a folder, DIR/backend_configs/*.json, by name; none if there is no such folder.
[[nodiscard]] std::vector<std::filesystem::path> backend_config_files(
    const std::filesystem::path& folder);

/// A table. Throws malformed if it is no JSON object, or nested more deeply than any table.
[[nodiscard]] json read_table(const std::filesystem::path& file);

/// Its configs as they were registered. Throws malformed if it has no list of them.
[[nodiscard]] std::vector<config_row> config_rows_of(const json& table);

/// A backend in ctq's JSON, one line a config: the first is in line 2.
[[nodiscard]] std::string to_text(const std::string& name, const std::vector<const json*>& configs);

/// Writes every table of the folder in ctq's canonical JSON. Throws malformed if one has errors.
void write_tables(const std::filesystem::path& folder, const std::filesystem::path& to);

}  // namespace golden
