// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "commands.hpp"
#include "ctq/json/nearest.hpp"
#include "ctq/spec/rule.hpp"
#include "terminal.hpp"

namespace tool {

namespace {

/// Prints text in lines of 80 columns, all but the first indented.
void print_wrapped(std::string_view first, std::string_view words, std::size_t indent) {
  constexpr std::size_t width = 80;
  std::string line(first);
  line.resize(std::max(indent, line.size()), ' ');
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (line.size() + 1 + end > width && line.size() > indent) {
      fmt::print("{}\n", line);
      line.assign(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line += words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  fmt::print("{}\n", line);
}

}  // namespace

exit_code explain(const std::string& rule) {
  if (rule.empty()) {
    for (const ctq::rule_info& r : ctq::rules::table) print_wrapped(r.name, r.explanation, 29);
    return fine;
  }
  ctq::json::nearest near{rule};
  for (const ctq::rule_info& r : ctq::rules::table) {
    near.offer(r.name);
    if (r.name != rule) continue;
    print_wrapped("what", r.explanation, 6);
    print_wrapped("fix", r.fix, 6);
    return fine;
  }
  complain("{} is no rule{}{}{}; ctq explain lists them", rule,
           near.found().empty() ? "" : ", did you mean ", near.found(),
           near.found().empty() ? "" : "?");
  return unreadable;
}

}  // namespace tool
