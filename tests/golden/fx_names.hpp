// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <set>
#include <string>

// How torch.fx names the nodes of a graph, and PyTorch the attributes of a model.

namespace golden {

/// The names that one graph has used, those of erased nodes as well.
class fx_names {
 public:
  /// A name that is not used yet: a Python identifier, numbered if need be.
  std::string create(std::string wanted) {
    for (char& c : wanted)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') c = '_';
    if (wanted.empty() || std::isdigit(static_cast<unsigned char>(wanted[0])) != 0)
      wanted.insert(0, 1, '_');
    std::string base = wanted;
    long number = 0;
    const std::size_t digits = wanted.find_last_not_of("0123456789") + 1;
    if (digits < wanted.size() && digits > 1 && wanted[digits - 1] == '_') {
      base = wanted.substr(0, digits - 1);
      number = std::stol(wanted.substr(digits));
      wanted = base + "_" + std::to_string(number);
    }
    while (used_.contains(wanted) || is_builtin(wanted))
      wanted = base + "_" + std::to_string(++number);
    used_.insert(wanted);
    return wanted;
  }

  void use(const std::string& name) { used_.insert(name); }

 private:
  /// Python's own words, as far as ops and attributes are named so.
  static bool is_builtin(const std::string& name) {
    static const std::set<std::string> words{"abs", "all",  "any", "input", "max",   "min",
                                             "pow", "sum",  "len", "map",   "round", "slice",
                                             "str", "type", "int", "float"};
    return words.contains(name);
  }

  std::set<std::string> used_;
};

/// The attributes that a model has got: PREFIX0, PREFIX1, …
class attribute_names {
 public:
  std::string create(std::string prefix) {
    std::replace(prefix.begin(), prefix.end(), '.', '_');
    for (int i = 0;; ++i) {
      std::string name = prefix + std::to_string(i);
      if (used_.insert(name).second) return name;
    }
  }

 private:
  std::set<std::string> used_;
};

}  // namespace golden
