// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <utility>

#include "tensors.hpp"

// What became of the cases of one suite.

namespace golden {

/// Of one case.
struct outcome {
  enum class kind { passed, failed, known, not_covered } kind;
  std::string text;  // why it failed, the id of the rule, what is not covered

  /// Failed, unless there is nothing to say.
  static outcome of(std::string why) {
    return {why.empty() ? kind::passed : kind::failed, std::move(why)};
  }
  /// ctq differs on purpose; the comment at the rule says why.
  static outcome known(std::string rule) { return {kind::known, std::move(rule)}; }
  /// ctq has no such feature: not a case at all.
  static outcome not_covered(std::string what) { return {kind::not_covered, std::move(what)}; }
};

class report {
 public:
  explicit report(std::string suite) : suite_(std::move(suite)) {}

  void add(const std::string& name, const outcome& o) {
    switch (o.kind) {
      case outcome::kind::passed: ++passed_; break;
      case outcome::kind::known: ++known_[o.text]; break;
      case outcome::kind::not_covered: ++not_covered_[o.text]; break;
      case outcome::kind::failed:
        ++failed_;
        std::printf("%s: FAILED %s: %s\n", suite_.c_str(), name.c_str(), o.text.c_str());
    }
  }

  /// Calls check(case) for each case of a list. What it throws is a failed case.
  template <class Check>
  void run(const suite_file& file, const std::string& list, Check check) {
    std::size_t i = 0;
    for (const json& c : file.list(list)) {
      const std::string name = list + "[" + std::to_string(i++) + "]";
      try {
        add(name, check(c));
      } catch (const std::exception& e) {
        add(name, {outcome::kind::failed, e.what()});
      }
    }
  }

  /// Elements whose value PyTorch leaves undefined; they were compared with ctq's definition.
  void left_open(const std::string& rule, std::size_t elements) { left_open_[rule] += elements; }

  /// Prints the totals; true if no case failed.
  [[nodiscard]] bool finish() const {
    const std::size_t known = sum(known_);
    std::printf("%s: %zu cases, %zu passed, %zu known (%s), %zu failed\n", suite_.c_str(),
                passed_ + known + failed_, passed_, known, names(known_).c_str(), failed_);
    if (!not_covered_.empty())
      std::printf("%s: %zu cases of kinds not covered: %s\n", suite_.c_str(), sum(not_covered_),
                  names(not_covered_).c_str());
    for (const auto& [rule, elements] : left_open_)
      if (elements != 0)
        std::printf("%s: %zu elements left open by PyTorch: %s\n", suite_.c_str(), elements,
                    rule.c_str());
    return failed_ == 0;
  }

 private:
  using counts = std::map<std::string, std::size_t>;

  static std::size_t sum(const counts& c) {
    std::size_t total = 0;
    for (const auto& entry : c) total += entry.second;
    return total;
  }
  static std::string names(const counts& c) {
    std::string list;
    for (const auto& entry : c) list += (list.empty() ? "" : ", ") + entry.first;
    return list.empty() ? "none" : list;
  }

  std::string suite_;
  std::size_t passed_ = 0;
  std::size_t failed_ = 0;
  counts known_;
  counts not_covered_;
  counts left_open_;
};

}  // namespace golden
