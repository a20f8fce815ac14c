// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <map>

#include "backend_configs.hpp"
#include "ctq/json/backend_file.hpp"
#include "ctq/json/write_backend.hpp"

// From the form of the golden data to ctq's. What is strange stays as it is, so that ctq's reader
// finds it.

namespace golden {
namespace {

constexpr int deepest = 64;

/// [last, [middle, first]] -> [first, middle, last]; null if it is no chain.
json chain_of(const json& nested) {
  json ops = json::array();
  const json* at = &nested;
  for (; at->is_array(); at = &at->at(1)) {
    if (at->size() != 2 || !at->at(0).is_string()) return nullptr;
    ops.insert(ops.begin(), at->at(0));
  }
  ops.insert(ops.begin(), *at);
  for (const json& op : ops)
    if (op == "MatchAllNode") return nullptr;
  return ops;
}

/// [first, middle, last] -> [last, [middle, first]], as PyTorch 2 turns it to match.
json nested_of(const json& chain) {
  json nested;
  for (const json& op : chain) nested = nested.is_null() ? op : json::array({op, nested});
  return nested;
}

void add_pattern(json& out, const json& pattern, bool forward) {
  if (!pattern.is_array() || forward) {
    out["pattern"] = pattern;
  } else if (const json chain = chain_of(pattern); !chain.is_null()) {
    out["pattern"] = chain;
  } else {
    out["pattern_complex_format"] = pattern;
  }
}

/// "reverse_sequential_wrapper2(nni.ConvReLU2d)" -> "sequential_wrapper2", "reverse2(f)" -> "f":
/// 1.13 turned the arguments of a fuser around, later versions do not have to.
json fuser_from(const json& fuser, const json& fused_module) {
  if (!fuser.is_string()) return fuser;
  std::string name = fuser;
  const auto inside = [&name](const std::string& wrapper) {
    if (!name.starts_with(wrapper + "(") || !name.ends_with(")")) return false;
    name = name.substr(wrapper.size() + 1, name.size() - wrapper.size() - 2);
    return true;
  };
  if (inside("reverse_sequential_wrapper2") || inside("sequential_wrapper2")) {
    if (fused_module != name) throw malformed("the fuser makes " + name + ", not the fused_module");
    return "sequential_wrapper2";
  }
  if (!inside("reverse2")) inside("reverse3");
  return name;
}

/// {"class": C, "kwargs": {...}} -> {"class": C, ...}; of a fake quantize the observer's arguments
/// stand beside its own.
json observer_from(const json& o) {
  if (!o.is_object()) return o;
  json out = json::object();
  for (const auto& [key, value] : o.items()) {
    if (key != "kwargs" || !value.is_object()) {
      out[key] = value;
      continue;
    }
    for (const auto& [name, argument] : value.items()) {
      if (name != "observer" || !argument.is_object()) {
        out[name] = argument;
        continue;
      }
      const json observer = observer_from(argument);
      for (const auto& [inner, inner_value] : observer.items())
        out.emplace(inner == "class" ? "observer" : inner, inner_value);
    }
  }
  return out;
}

/// ctq gives what is left out a default; a table leaves nothing of this out.
void require(const json& object, std::initializer_list<const char*> keys) {
  for (const char* const key : keys)
    if (!object.contains(key)) throw malformed(std::string{key} + " is missing");
}

json dtype_config_from(const json& d) {
  if (!d.is_object()) return d;
  require(d, {"input", "output", "weight", "bias", "is_dynamic"});
  static const std::map<std::string, std::string> names{{"input", "input_dtype"},
                                                        {"output", "output_dtype"},
                                                        {"weight", "weight_dtype"},
                                                        {"bias", "bias_dtype"}};
  json out = json::object();
  for (const auto& [key, value] : d.items()) {
    const auto known = names.find(key);
    if (!value.is_null() && !(value.is_object() && value.empty()))
      out[known == names.end() ? key : known->second] = value;
  }
  return out;
}

json config_from(const json& row, bool forward) {
  if (!row.is_object()) throw malformed("not an object: " + row.dump().substr(0, 80));
  require(row, {"index", "observation_type", "dtype_configs"});
  json out = json::object();
  for (const auto& [key, value] : row.items()) {
    if (key == "index") {
      continue;
    } else if (key == "pattern") {
      add_pattern(out, value, forward);
    } else if (key == "dtype_configs" && value.is_array()) {
      json& list = out[key] = json::array();
      for (const json& d : value) list.push_back(dtype_config_from(d));
    } else if (key == "fuser_method") {
      out[key] = fuser_from(value, row.value("fused_module", json{}));
    } else if (key == "reference_quantized_module") {
      out["reference_quantized_module_for_root"] = value;
    } else if (key == "root_node_path") {
      out["root_node_getter"] = value;
    } else if (key == "extra_inputs_paths") {
      out["extra_inputs_getter"] = value;
    } else if (key == "overwrite_output_observer" || key == "overwrite_output_fake_quantize") {
      out[key] = observer_from(value);
    } else {
      out.emplace(key, value);  // not over the paths, whose functions' names are here
    }
  }
  return out;
}

config_row row_from(const json& row, std::size_t place, bool forward) {
  config_row r;
  r.name = "configs[" + std::to_string(place) + "]";
  r.place = place;
  try {
    r.config = config_from(row, forward);
    r.pattern = row.value("pattern", row.value("pattern_complex_format", json{}));
    if (forward && row.contains("pattern") && r.pattern.is_array())
      r.pattern = nested_of(r.pattern);
    if (!r.pattern.is_null()) r.name += " " + r.pattern.dump().substr(0, 120);
    r.index = integer<std::int64_t>(row.at("index"), 0);
  } catch (const std::exception& e) {
    r.problem = e.what();
  }
  return r;
}

}  // namespace

std::vector<std::filesystem::path> backend_config_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "backend_configs", none))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

json read_table(const std::filesystem::path& file) {
  std::ifstream text(file);
  if (!text) throw malformed("cannot be read");
  // Values are walked recursively later on.
  const auto shallow = [](int depth, json::parse_event_t, json&) {
    if (depth > deepest) throw malformed("nested more than 64 deep");
    return true;
  };
  json table = json::parse(text, shallow, false);
  if (!table.is_object()) throw malformed("no JSON object");
  return table;
}

std::vector<config_row> config_rows_of(const json& table) {
  const auto configs = table.find("configs");
  if (configs == table.end() || !configs->is_array()) throw malformed("no list of configs");
  const json version = table.value("torch", json{});
  const bool forward = version.is_string() && version.get<std::string>().starts_with("2");
  std::vector<config_row> rows;
  for (const json& c : *configs) rows.push_back(row_from(c, rows.size(), forward));
  std::sort(rows.begin(), rows.end(), [](const config_row& a, const config_row& b) {
    return a.index != b.index
               ? static_cast<std::uint64_t>(a.index) < static_cast<std::uint64_t>(b.index)
               : a.place < b.place;
  });
  return rows;
}

std::string to_text(const std::string& name, const std::vector<const json*>& configs) {
  std::string text = "{\"name\": " + json(name).dump() + ", \"configs\": [";
  for (const json* c : configs) text += (c == configs.front() ? "\n" : ",\n") + c->dump();
  return text + "\n]}\n";
}

void write_tables(const std::filesystem::path& folder, const std::filesystem::path& to) {
  std::filesystem::create_directories(to);
  for (const std::filesystem::path& file : backend_config_files(folder)) {
    const json table = read_table(file);
    std::vector<const json*> configs;
    const std::vector<config_row> rows = config_rows_of(table);
    for (const config_row& r : rows) {
      if (!r.problem.empty()) throw malformed(file.string() + ": " + r.problem);
      configs.push_back(&r.config);
    }
    const auto read = ctq::json::from_json(to_text(table.at("name"), configs), file.string());
    if (!read) throw malformed(read.error().message());
    std::string text;
    ctq::json::append_json(text, read->view());
    std::ofstream(to / file.filename()) << text;
  }
}

}  // namespace golden
