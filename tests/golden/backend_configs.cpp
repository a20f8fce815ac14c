// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend_configs.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "ctq/json/backend_file.hpp"
#include "ctq/json/write_backend.hpp"
#include "suites.hpp"

// Tables of backend configs: each config is read, breaks no rule, and is equal after it was written
// and read again. One case a config, and one a table for what only all of them have: their number
// and the orders in which patterns are registered and tried.

namespace golden {
namespace {

/// Empty, or the first error; warnings are PyTorch's affair.
std::string first_error(const ctq::json::backend_file& file) {
  const ctq::finding* const f = file.found().first_error();
  std::string words;
  if (f != nullptr) append_finding(words, *f);
  return words;
}

/// Reads a config alone, so that what is wrong with it does not hide what is wrong with others.
void check_alone(config_row& row) {
  if (!row.problem.empty()) return;
  try {
    row.problem = first_error(ctq::json::backend_file(to_text("one", {&row.config})));
  } catch (const json::exception& e) {  // text that is not UTF-8
    row.problem = e.what();
  }
}

/// What is wrong between configs is the problem of the row that it is reported at.
void check_together(const ctq::json::backend_file& all, const std::vector<config_row*>& rows) {
  for (const ctq::finding& f : all.found()) {
    if (f.severity != ctq::severity::error) continue;
    const auto at =
        ctq::json::position_at(all.text().data(), all.text().size(), ctq::json::at_of(f));
    const auto row = static_cast<std::size_t>(at.line - 2);
    if (at.line < 2 || row >= rows.size()) throw malformed(first_error(all));
    append_finding(rows[row]->problem, f);
  }
}

void check_round_trip(const ctq::json::backend_file& all, const std::vector<config_row*>& rows) {
  std::string text;
  ctq::json::append_json(text, all.view());
  const ctq::json::backend_file again(text);
  if (const std::string error = first_error(again); !error.empty()) throw malformed(error);
  const ctq::backend_view was = all.view();
  const ctq::backend_view is = again.view();
  if (was.configs.size() != is.configs.size()) throw malformed("configs are lost when written");
  for (int i = 0; i < was.configs.size(); ++i)
    if (!(was.configs[i] == is.configs[i]))
      rows[static_cast<std::size_t>(i)]->problem += "is another after to_json and from_json";
  if (was.name != is.name) throw malformed("the name is another after to_json and from_json");
  std::string once_more;
  ctq::json::append_json(once_more, is);
  if (once_more != text) throw malformed("to_json gives another text the second time");
}

/// The patterns as they are tried: the longest first, equally long ones as they were registered.
json match_order(const ctq::backend_view& backend, const std::vector<config_row*>& rows,
                 bool fusion) {
  json patterns = json::array();
  for (int length = static_cast<int>(ctq::max_pattern); length > 0; --length)
    for (int i = 0; i < backend.configs.size(); ++i) {
      const ctq::backend_pattern_config_record& c = backend.configs[i];
      if (c.pattern.element.size() == length && (!fusion || c.fuser_method != nullptr))
        patterns.push_back(rows[static_cast<std::size_t>(i)]->pattern);
    }
  return patterns;
}

/// PyTorch's order, without the patterns that ctq could not read: those are cases of their own.
json known_patterns(const json& order, const std::vector<config_row*>& rows) {
  std::set<std::string> known;
  for (const config_row* r : rows) known.insert(r->pattern.dump());
  json out = json::array();
  for (const json& pattern : order)
    if (known.contains(pattern.dump())) out.push_back(pattern);
  return out;
}

std::string check_order(const json& table, const std::string& key, const json& got,
                        const std::vector<config_row*>& rows) {
  const auto wanted = table.find(key);
  if (wanted == table.end()) return {};
  if (!wanted->is_array()) return key + " is no list; ";
  const json order = known_patterns(*wanted, rows);
  for (std::size_t i = 0; i < std::max(order.size(), got.size()); ++i)
    if (i >= order.size() || i >= got.size() || order[i] != got[i])
      return key + " differs at " + std::to_string(i) + "; ";
  return {};
}

/// Is each config registered at a place of its own, without a gap?
std::string check_indices(const std::vector<config_row>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].index >= 0 && rows[i].index != static_cast<std::int64_t>(i))
      return "indices are not 0 to " + std::to_string(rows.size() - 1) + "; ";
  return {};
}

std::string check_table(const json& table, std::vector<config_row>& rows) {
  std::string why = check_indices(rows);
  const auto count = table.find("count");
  if (count == table.end() || *count != rows.size()) why += "count is not the number of configs; ";
  for (config_row& r : rows) check_alone(r);
  std::vector<config_row*> good;
  std::vector<const json*> configs;
  for (config_row& r : rows) {
    if (!r.problem.empty()) continue;
    good.push_back(&r);
    configs.push_back(&r.config);
  }
  const json name = table.value("name", json{});
  if (!name.is_string()) return why + "no name";
  const ctq::json::backend_file all(to_text(name, configs));
  check_together(all, good);
  if (!all.valid()) return why;  // its errors are those of the cases
  check_round_trip(all, good);
  return why + check_order(table, "quant_match_order", match_order(all.view(), good, false), good) +
         check_order(table, "fusion_match_order", match_order(all.view(), good, true), good);
}

}  // namespace

void run_backend_configs(const std::filesystem::path& folder, ctq::semantics, report& report) {
  for (const std::filesystem::path& file : backend_config_files(folder)) {
    const std::string name = file.stem().string();
    std::vector<config_row> rows;
    std::string why;
    try {
      const json table = read_table(file);
      rows = config_rows_of(table);
      why = check_table(table, rows);
    } catch (const std::exception& e) {
      why = e.what();
    }
    for (const config_row& r : rows) report.add(name + " " + r.name, outcome::of(r.problem));
    report.add(name, outcome::of(why));
  }
}

}  // namespace golden
