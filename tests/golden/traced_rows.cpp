// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "traced_rows.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

namespace golden {
namespace {

bool lies_in(const std::string& path, const std::string& module) {
  return path.starts_with(module + ".");
}

/// {"n": from} becomes {"n": to}, everywhere in a value.
void rename(json& j, const std::map<std::string, std::string>& names) {
  if (j.is_object() && j.size() == 1 && j.contains("n")) {
    const auto found = names.find(j.at("n").get<std::string>());
    if (found != names.end()) j["n"] = found->second;
  } else if (j.is_object() || j.is_array()) {
    for (auto& [key, value] : j.items()) rename(value, names);
  }
}

void rename_arguments(json& row, const std::map<std::string, std::string>& names) {
  for (const char* key : {"args", "kwargs"})
    if (row.contains(key)) rename(row[key], names);
}

void names_in(const json& j, std::vector<std::string>& out) {
  if (j.is_object() && j.size() == 1 && j.contains("n"))
    out.push_back(j.at("n"));
  else if (j.is_object() || j.is_array())
    for (const auto& [key, value] : j.items()) names_in(value, out);
}

std::vector<std::string> reads_of(const json& row) {
  std::vector<std::string> out;
  for (const char* key : {"args", "kwargs"})
    if (row.contains(key)) names_in(row.at(key), out);
  return out;
}

std::string as_name(std::string path) {
  std::replace(path.begin(), path.end(), '.', '_');
  const bool digit = !path.empty() && std::isdigit(static_cast<unsigned char>(path[0])) != 0;
  return digit ? "_" + path : path;
}

/// The rows of one call of a module: those that call modules inside it, and the functions between.
std::set<std::string> rows_inside(const json& rows, const std::string& path) {
  std::set<std::string> inside;
  for (const json& r : rows) {
    const bool called = r.at("op") == "call_module" || r.at("op") == "get_attr";
    if (called && lies_in(r.at("target"), path)) inside.insert(r.at("name").get<std::string>());
  }
  // A function whose readers all lie inside lies there as well, and so does what reads it.
  for (auto r = rows.rbegin(); r != rows.rend(); ++r) {
    const std::string kind = r->at("op");
    if (kind != "call_function" && kind != "call_method") continue;
    bool all = false;
    for (const json& user : rows)
      for (const std::string& read : reads_of(user)) {
        if (read != r->at("name").get<std::string>()) continue;
        all = inside.contains(user.at("name"));
        if (!all) break;
      }
    const std::vector<std::string> reads = reads_of(*r);
    const bool fed = std::any_of(reads.begin(), reads.end(),
                                 [&](const std::string& name) { return inside.contains(name); });
    if (all && fed) inside.insert(r->at("name").get<std::string>());
  }
  return inside;
}

/// What goes into these rows from elsewhere, in order, each once.
std::vector<std::string> inputs_of(const json& rows, const std::set<std::string>& inside) {
  std::vector<std::string> inputs;
  for (const json& r : rows) {
    if (!inside.contains(r.at("name"))) continue;
    for (const std::string& read : reads_of(r))
      if (!inside.contains(read) && std::find(inputs.begin(), inputs.end(), read) == inputs.end())
        inputs.push_back(read);
  }
  return inputs;
}

json row_of_module(const std::string& path, const std::string& type, const json& args) {
  return {{"name", as_name(path)},
          {"op", "call_module"},
          {"target", path},
          {"args", args},
          {"module", {{"type", type}}}};
}

// --- Training ----------------------------------------------------------------------------------

/// What a module in training was before.
struct taken_apart {
  const char* trained;
  std::vector<const char*> parts;
};

const std::vector<taken_apart>& trained_modules() {
  static const std::vector<taken_apart> table{
      {"nnqat.Linear", {"nn.Linear"}},
      {"nnqat.Conv1d", {"nn.Conv1d"}},
      {"nnqat.Conv2d", {"nn.Conv2d"}},
      {"nnqat.Conv3d", {"nn.Conv3d"}},
      {"nnqat.Embedding", {"nn.Embedding"}},
      {"nnqat.EmbeddingBag", {"nn.EmbeddingBag"}},
      {"nniqat.LinearReLU", {"nn.Linear", "nn.ReLU"}},
      {"nniqat.LinearBn1d", {"nn.Linear", "nn.BatchNorm1d"}},
      {"nniqat.ConvReLU1d", {"nn.Conv1d", "nn.ReLU"}},
      {"nniqat.ConvReLU2d", {"nn.Conv2d", "nn.ReLU"}},
      {"nniqat.ConvReLU3d", {"nn.Conv3d", "nn.ReLU"}},
      {"nniqat.ConvBn1d", {"nn.Conv1d", "nn.BatchNorm1d"}},
      {"nniqat.ConvBn2d", {"nn.Conv2d", "nn.BatchNorm2d"}},
      {"nniqat.ConvBn3d", {"nn.Conv3d", "nn.BatchNorm3d"}},
      {"nniqat.ConvBnReLU1d", {"nn.Conv1d", "nn.BatchNorm1d", "nn.ReLU"}},
      {"nniqat.ConvBnReLU2d", {"nn.Conv2d", "nn.BatchNorm2d", "nn.ReLU"}},
      {"nniqat.ConvBnReLU3d", {"nn.Conv3d", "nn.BatchNorm3d", "nn.ReLU"}},
      {"nni.LinearReLU", {"nn.Linear", "nn.ReLU"}},
      {"nni.ConvReLU1d", {"nn.Conv1d", "nn.ReLU"}},
      {"nni.ConvReLU2d", {"nn.Conv2d", "nn.ReLU"}},
      {"nni.ConvReLU3d", {"nn.Conv3d", "nn.ReLU"}},
      {"nni.BNReLU2d", {"nn.BatchNorm2d", "nn.ReLU"}},
      {"nni.BNReLU3d", {"nn.BatchNorm3d", "nn.ReLU"}},
  };
  return table;
}

class untrained {
 public:
  untrained(const json& prepared, const json& modules) : prepared_(prepared), modules_(modules) {
    for (const json& r : prepared)
      if (r.at("op") == "call_module") called_.insert(r.at("target").get<std::string>());
  }

  json rows() {
    for (const json& r : prepared_) {
      json row = r;
      rename_arguments(row, stands_for_);
      if (row.contains("obs_id"))
        stands_for_[r.at("name")] = node_at(row, 0);
      else if (row.at("op") == "call_module")
        take_apart(row);
      else
        out_.push_back(row);
    }
    return out_;
  }

 private:
  void take_apart(json row) {
    const std::string type = row.at("module").at("type");
    const std::string path = row.at("target");
    for (const taken_apart& t : trained_modules()) {
      if (type != t.trained) continue;
      row["module"] = {{"type", t.parts[0]}};
      const std::string first = row.at("name");
      std::string last = first;
      out_.push_back(row);
      for (std::size_t i = 1; i < t.parts.size(); ++i) last = append_part(t.parts[i], path, last);
      stands_for_[first] = last;
      return;
    }
    out_.push_back(row);
  }

  /// The next module of that class that nothing calls; a function if there is none.
  std::string append_part(const std::string& type, const std::string& behind,
                          const std::string& from) {
    const json args = json::array({{{"n", from}}});
    bool passed = false;
    for (int round = 0; round < 2; ++round)
      for (const auto& [path, module] : modules_.items()) {
        passed = passed || path == behind;
        if (!passed && round == 0) continue;
        if (module != type || called_.contains(path)) continue;
        called_.insert(path);
        out_.push_back(row_of_module(path, type, args));
        return as_name(path);
      }
    const std::string name = "relu_" + std::to_string(out_.size());
    out_.push_back({{"name", name}, {"op", "call_function"}, {"target", "F.relu"}, {"args", args}});
    return name;
  }

  const json& prepared_;
  const json& modules_;
  std::set<std::string> called_;
  std::map<std::string, std::string> stands_for_;
  json out_ = json::array();
};

}  // namespace

const json* find_row(const json& rows, const std::string& name) {
  for (const json& r : rows)
    if (r.at("name") == name) return &r;
  return nullptr;
}

std::string node_at(const json& row, std::size_t position) {
  const json& args = row.at("args");
  if (position >= args.size() || !args[position].is_object()) return {};
  return args[position].value("n", "");
}

json inside_of(const json& rows, const std::string& path, const json& call) {
  const std::set<std::string> inside = rows_inside(rows, path);
  const std::vector<std::string> found = inputs_of(rows, inside);
  std::vector<std::string> inputs = reads_of(call);
  if (!std::is_permutation(inputs.begin(), inputs.end(), found.begin(), found.end()))
    inputs = found;
  std::map<std::string, std::string> names;
  json out = json::array();
  for (const std::string& from : inputs) {
    const std::string input = "input_" + std::to_string(out.size());
    names[from] = input;
    out.push_back(
        {{"name", input}, {"op", "placeholder"}, {"target", input}, {"args", json::array()}});
  }
  const std::string prefix = as_name(path) + "_";
  std::string last;
  for (const json& r : rows) {
    std::string name = r.at("name");
    if (!inside.contains(name)) continue;
    out.push_back(r);
    json& row = out.back();
    rename_arguments(row, names);
    std::string target = row.at("target");
    if (lies_in(target, path)) {
      target = target.substr(path.size() + 1);
      row["target"] = target;
      if (name.starts_with(prefix)) {
        last = as_name(target);
        names[name] = last;
        row["name"] = last;
        continue;
      }
    }
    last = name;
  }
  out.push_back({{"name", "output"},
                 {"op", "output"},
                 {"target", "output"},
                 {"args", json::array({{{"n", last}}})}});
  return out;
}

json before_training(const json& prepared, const json& modules) {
  return untrained(prepared, modules).rows();
}

}  // namespace golden
