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

/// Whether a value with names of one graph is that of another. A name without a counterpart, the
/// output of an opaque module, gets the one that it meets.
bool is_same(const json& x, const json& y, std::map<std::string, std::string>& names) {
  const auto is_name = [](const json& j) {
    return j.is_object() && j.size() == 1 && j.contains("n");
  };
  if (is_name(x) && is_name(y))
    return names.emplace(x.at("n"), y.at("n")).first->second == y.at("n").get<std::string>();
  if (x.is_structured() && x.type() == y.type() && x.size() == y.size()) {
    auto other = y.begin();
    for (auto i = x.begin(); i != x.end(); ++i, ++other)
      if ((x.is_object() && i.key() != other.key()) || !is_same(*i, *other, names)) return false;
    return true;
  }
  return x == y;
}

bool is_same_row(const json& x, const json& y, std::map<std::string, std::string>& names) {
  const json none = json::object();
  return x.at("op") == y.at("op") && x.at("target") == y.at("target") &&
         is_same(x.at("args"), y.at("args"), names) &&
         is_same(x.value("kwargs", none), y.value("kwargs", none), names);
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

inlining::inlining(const json& rows, const json& inlined) : rows_(rows), inlined_(inlined) {
  for (const json& r : inlined)
    if (r.at("op") == "call_module") called_.insert(r.at("target").get<std::string>());
  std::map<std::string, std::string> names;
  if (!align(0, 0, names)) throw malformed("the rows are not those of the model with its modules");
}

bool inlining::is_opaque(const json& row) const {
  return row.at("op") == "call_module" && !called_.contains(row.at("target"));
}

/// The row and those behind it, with the names that rows before it have among the inlined ones.
bool inlining::align(std::size_t row, std::size_t at,
                     const std::map<std::string, std::string>& names) {
  if (row == rows_.size()) {
    if (at == inlined_.size()) names_ = names;
    return at == inlined_.size();
  }
  const json& r = rows_[row];
  if (!is_opaque(r)) {
    std::map<std::string, std::string> with = names;
    if (at == inlined_.size() || !is_same_row(r, inlined_[at], with)) return false;
    with[r.at("name")] = inlined_[at].at("name");
    return align(row + 1, at + 1, with);
  }
  const std::string path = r.at("target");
  for (std::size_t end = at; end <= inlined_.size(); ++end) {
    segments_[r.at("name")] = {at, end};
    if (is_closed(at, end, r, names) && align(row + 1, end, names)) return true;
    if (end == inlined_.size()) break;
    const std::string kind = inlined_[end].at("op");
    const bool has_path = kind == "call_module" || kind == "get_attr";
    if (kind == "placeholder" || kind == "output") break;
    if (has_path && !lies_in(inlined_[end].at("target"), path)) break;
  }
  return false;
}

/// Do these rows read only what is among them and what the call of their module reads?
bool inlining::is_closed(std::size_t begin, std::size_t end, const json& call,
                         const std::map<std::string, std::string>& names) const {
  std::set<std::string> known;
  for (const std::string& from : reads_of(call)) {
    const auto found = names.find(from);
    known.insert(found != names.end() ? found->second : last_row_of(from));
  }
  for (std::size_t i = begin; i < end; ++i) {
    for (const std::string& from : reads_of(inlined_[i]))
      if (!known.contains(from)) return false;
    known.insert(inlined_[i].at("name").get<std::string>());
  }
  return true;
}

std::string inlining::name_of(const std::string& name) const {
  const auto found = names_.find(name);
  return found != names_.end() ? found->second : last_row_of(name);
}

/// The output of an opaque module that only opaque ones read; of others the same name.
std::string inlining::last_row_of(const std::string& module) const {
  const auto found = segments_.find(module);
  if (found == segments_.end()) return module;
  const auto [begin, end] = found->second;
  return begin == end ? module : inlined_[end - 1].at("name").get<std::string>();
}

json inlining::inside_of(const json& call) const {
  std::map<std::string, std::string> names;
  json out = json::array();
  for (const std::string& from : reads_of(call)) {
    const std::string input = "input_" + std::to_string(out.size());
    names[name_of(from)] = input;
    out.push_back(
        {{"name", input}, {"op", "placeholder"}, {"target", input}, {"args", json::array()}});
  }
  const std::string path = call.at("target");
  const std::string prefix = as_name(path) + "_";
  const std::string called = call.at("name");
  const auto [begin, end] = segments_.at(called);
  for (std::size_t i = begin; i < end; ++i) {
    out.push_back(inlined_[i]);
    json& row = out.back();
    rename_arguments(row, names);
    const std::string name = inlined_[i].at("name");
    const std::string target = row.at("target");
    if (!lies_in(target, path)) continue;
    row["target"] = target.substr(path.size() + 1);
    if (!name.starts_with(prefix)) continue;
    names[name] = as_name(row.at("target"));
    row["name"] = names[name];
  }
  std::string last = name_of(called);
  if (const auto renamed = names.find(last); renamed != names.end()) last = renamed->second;
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
