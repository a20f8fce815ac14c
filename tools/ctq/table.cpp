// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "ctq/backends/dtype_configs.hpp"
#include "runs_as.hpp"
#include "terminal.hpp"
#include "words.hpp"

namespace tool {

namespace {

struct named_config {
  std::string_view name;
  ctq::dtype_config_record config;
};

/// Those of PyTorch's backends. W: with a weight, A: only activations, D: dynamic, E: embeddings;
/// S is signed and symmetric, T signed. The number is the number of bits.
constexpr named_config usual[] = {
    {"W8", ctq::weighted_int8::value},           {"A8", ctq::activation_int8::value},
    {"LN", ctq::layer_norm_int8::value},         {"D8", ctq::dynamic_int8::value},
    {"D16", ctq::dynamic_float16::value},        {"E8", ctq::weight_only_quint8::value},
    {"E4", ctq::weight_only_quint4x2::value},    {"ES8", ctq::weight_only_qint8::value},
    {"T8", ctq::signed_weighted_int8::value},    {"TA8", ctq::signed_activation_int8::value},
    {"S8", ctq::symmetric_weighted_int8::value}, {"SA8", ctq::symmetric_activation_int8::value},
    {"SD8", ctq::symmetric_dynamic_int8::value},
};

/// The short names of the configs of one backend, the unusual ones are numbered in order.
class legend {
 public:
  std::string name_of(const ctq::dtype_config_record& d) {
    const auto is = [&d](const auto& entry) { return entry.second == d; };
    const auto known = std::find_if(entries_.begin(), entries_.end(), is);
    if (known != entries_.end()) return known->first;
    std::string name = fmt::format("C{}", unusual_ + 1);
    for (const named_config& u : usual)
      if (u.config == d) name = u.name;
    unusual_ += name.front() == 'C' ? 1 : 0;
    entries_.emplace_back(name, d);
    return name;
  }

  [[nodiscard]] const auto& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, ctq::dtype_config_record>> entries_;
  int unusual_ = 0;
};

/// The texts of one row.
struct cells {
  std::string pattern, dtypes, observer, modules;
  std::string runs_as{};  // in Markdown
};

std::string_view observer_of(ctq::observation_type t) {
  constexpr std::string_view names[] = {"own", "input's", "none"};
  return names[static_cast<std::size_t>(t)];
}

std::string pattern_of(const ctq::pattern_record& p) {
  // The text of checks with abbreviated names.
  const std::string full = words(p);
  std::string out;
  for (std::size_t at = 0; at < full.size();) {
    const std::size_t end = std::min(full.find_first_of("(), ", at), full.size());
    out += abbreviated(std::string_view{full}.substr(at, end - at));
    if (end < full.size()) out += full[end];
    at = end + 1;
  }
  return out;
}

std::string modules_of(const ctq::backend_pattern_config_record& c) {
  std::string out;
  const auto add = [&out](std::string_view what, const std::string& value) {
    if (!value.empty()) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", what, value);
  };
  const auto module = [](ctq::op_id op) { return op == nullptr ? "" : abbreviated(op->name); };
  add("root", module(c.root_module));
  add("qat", module(c.qat_module));
  add("reference", module(c.reference_quantized_module_for_root));
  add("fused", module(c.fused_module));
  add("by", c.fuser_method == nullptr ? "" : std::string{c.fuser_method->name});
  if (!c.root_node_getter.empty()) add("root at", words(c.root_node_getter));
  for (const ctq::node_path& p : c.extra_inputs_getter) add("extra input", words(p));
  const ctq::input_index_record& index = c.input_type_to_index;
  add("input is argument", index.input < 0 ? "" : fmt::to_string(index.input));
  add("weight is argument", index.weight < 0 ? "" : fmt::to_string(index.weight));
  add("bias is argument", index.bias < 0 ? "" : fmt::to_string(index.bias));
  const ctq::tensor_args_record& by = c.num_tensor_args_to_observation_type;
  for (std::size_t n = 0; n < by.given.size(); ++n)
    if (by.given[n] && by.type[n] != c.observation_type)
      add(fmt::format("with {} tensor{}:", n, n == 1 ? "" : "s"),
          fmt::format("{} observer", observer_of(by.type[n])));
  if (c.input_output_observed == ctq::observed::no)
    out += out.empty() ? "unobserved" : ", unobserved";
  if (!c.overwrite_output_observer.empty()) add("output", "observer fixed");
  return out;
}

std::vector<cells> rows_of(const ctq::backend_view& backend, legend& names) {
  std::vector<cells> rows;
  for (const ctq::backend_pattern_config_record& c : backend.configs) {
    std::string dtypes;
    for (const ctq::dtype_config_record& d : c.dtype_configs)
      dtypes += (dtypes.empty() ? "" : ", ") + names.name_of(d);
    rows.push_back({visible(pattern_of(c.pattern)), dtypes,
                    std::string{observer_of(c.observation_type)}, visible(modules_of(c))});
  }
  return rows;
}

// --- Markdown ------------------------------------------------------------------------------------

/// "int8, dynamic": by dtype config, or once.
std::string forms_of(const ctq::backend_view& backend, int pattern) {
  std::vector<std::string> all;
  for (int d = 0; d < backend.configs[pattern].dtype_configs.size(); ++d)
    all.push_back(visible(words(runs_as(backend, pattern, d))));
  const bool same = std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end();
  if (same && !all.empty()) all.resize(1);
  return fmt::format("{}", fmt::join(all, ", "));
}

/// The position of 1d, 2d or 3d at the end of a name.
std::vector<std::size_t> dimensions(const std::string& s) {
  std::vector<std::size_t> found;
  const auto is_word = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (std::size_t i = 1; i + 1 < s.size(); ++i)
    if (s[i] >= '1' && s[i] <= '3' && s[i + 1] == 'd' && is_word(s[i - 1]) &&
        (i + 2 == s.size() || !is_word(s[i + 2])))
      found.push_back(i);
  return found;
}

/// The text with N for every dimension, if they are all the same one; sets `n` to it.
std::string general(const std::string& s, char& n) {
  std::string out = s;
  for (const std::size_t i : dimensions(s)) {
    if (n != 0 && n != s[i]) return s;
    n = s[i];
    out[i] = 'N';
  }
  return out;
}

/// One row for those that differ only in the dimension.
std::vector<cells> without_dimensions(const std::vector<cells>& rows) {
  struct group {
    cells general;
    std::vector<const cells*> members;
    std::set<char> dims;
  };
  std::vector<group> groups;
  std::map<std::string, std::size_t> at;
  for (const cells& r : rows) {
    char n = 0;
    const std::string pattern = general(r.pattern, n);
    const std::string modules = general(r.modules, n);
    const std::string runs_as = general(r.runs_as, n);
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}\n{}", pattern, r.dtypes, r.observer, modules, runs_as);
    const auto [found, is_new] = at.emplace(key, groups.size());
    if (is_new) groups.push_back({{pattern, r.dtypes, r.observer, modules, runs_as}, {}, {}});
    group& g = groups[found->second];
    g.members.push_back(&r);
    if (n != 0) g.dims.insert(n);
  }
  std::vector<cells> out;
  for (group& g : groups) {
    if (g.members.size() == 1) {
      out.push_back(*g.members.front());
      continue;
    }
    // All three dimensions are in the legend; fewer are listed here.
    if (g.dims.size() == 2)
      g.general.pattern += fmt::format(" (N = {}, {})", *g.dims.begin(), *g.dims.rbegin());
    out.push_back(g.general);
  }
  return out;
}

/// One row for patterns with the same config.
std::vector<cells> together(const std::vector<cells>& rows) {
  std::vector<cells> out;
  std::map<std::string, std::size_t> at;
  for (const cells& r : rows) {
    const auto [found, is_new] =
        at.emplace(r.dtypes + '\n' + r.observer + '\n' + r.modules + '\n' + r.runs_as, out.size());
    if (is_new) {
      out.push_back(r);
    } else {
      out[found->second].pattern += ", " + r.pattern;
    }
  }
  return out;
}

/// In Markdown | is the border of a cell, _ and * are emphasis.
std::string code(const std::string& s) { return s.empty() ? s : "`" + s + "`"; }

}  // namespace

void append_table(std::string& out, const ctq::backend_view& backend) {
  legend names;
  std::vector<cells> rows = rows_of(backend, names);
  out += fmt::format("{}: {} pattern{}\n\n", visible(backend.name), rows.size(),
                     rows.size() == 1 ? "" : "s");
  for (const auto& [name, config] : names.entries())
    out += fmt::format("{:<4} {}\n", name, words(config));
  out +=
      "     (input/output/weight/bias; observer of the output: its own, the input's, or none)\n\n";
  rows.insert(rows.begin(), cells{"pattern", "dtypes", "observer", "modules"});
  std::size_t pattern = 0, dtypes = 0;
  for (const cells& r : rows) {
    pattern = std::max(pattern, r.pattern.size());
    dtypes = std::max(dtypes, r.dtypes.size());
  }
  for (const cells& r : rows) {
    std::string line = fmt::format("{:<{}}  {:<{}}  {:<8}  {}", r.pattern, pattern, r.dtypes,
                                   dtypes, r.observer, r.modules);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
}

void append_markdown(std::string& out, const ctq::backend_view& backend) {
  legend names;
  std::vector<cells> rows = rows_of(backend, names);
  for (int p = 0; p < backend.configs.size(); ++p)
    rows[static_cast<std::size_t>(p)].runs_as = forms_of(backend, p);
  out += fmt::format("### {}: {} patterns\n\n", visible(backend.name), rows.size());
  for (const auto& [name, config] : names.entries())
    out += fmt::format("- **{}** = `{}`\n", name, words(config));
  out +=
      "\nN is 1, 2 and 3.\n\n| patterns | dtypes | runs as | observer | modules |\n"
      "|---|---|---|---|---|\n";
  for (const cells& r : together(without_dimensions(rows)))
    out += fmt::format("| {} | {} | {} | {} | {} |\n", code(r.pattern), r.dtypes, r.runs_as,
                       r.observer, code(r.modules));
}

}  // namespace tool
