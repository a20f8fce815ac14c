// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <unordered_map>
#include <unordered_set>

#include "backend_source.hpp"
#include "commands.hpp"
#include "terminal.hpp"
#include "words.hpp"

namespace tool {

namespace {

/// The patterns of a backend as text, and their positions. Text, because ops that two files declare
/// are the same if they have the same name.
struct rows {
  std::vector<std::string> pattern;
  std::unordered_map<std::string, std::size_t> at;

  explicit rows(const ctq::backend_view& backend) {
    for (const ctq::backend_pattern_config_record& c : backend.configs) {
      pattern.push_back(words(c.pattern));
      at.emplace(pattern.back(), pattern.size() - 1);
    }
  }
};

/// Of some distinct numbers, those outside a longest increasing subsequence: the fewest that one
/// has to move to have the rest in order.
std::vector<bool> out_of_order(const std::vector<std::size_t>& numbers) {
  const std::size_t none = numbers.size();
  std::vector<std::size_t> last;  // by length: the index of the least number that ends one
  std::vector<std::size_t> before(numbers.size(), none);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto longer =
        std::lower_bound(last.begin(), last.end(), numbers[i],
                         [&](std::size_t k, std::size_t n) { return numbers[k] < n; });
    if (longer != last.begin()) before[i] = *(longer - 1);
    longer == last.end() ? last.push_back(i) : static_cast<void>(*longer = i);
  }
  std::vector<bool> moved(numbers.size(), true);
  for (std::size_t i = last.empty() ? none : last.back(); i != none; i = before[i])
    moved[i] = false;
  return moved;
}

class comparison {
 public:
  comparison(const ctq::backend_view& a, const ctq::backend_view& b)
      : a_(a), b_(b), from_(a), to_(b) {}

  /// Prints one line per difference; true if there is any.
  bool print() {
    if (a_.name != b_.name) {
      say("renamed: {} -> {}", a_.name, b_.name);
      renamed_ = true;
    }
    for (const std::string& p : from_.pattern)
      if (!to_.at.contains(p)) say("removed: {}", p), ++removed_;
    for (const std::string& p : to_.pattern)
      if (!from_.at.contains(p)) say("added: {}", p), ++added_;
    for (const std::string& p : to_.pattern)
      if (from_.at.contains(p)) changed_ += print_changes(p) ? 1 : 0;
    print_moves();
    return summarize();
  }

 private:
  template <class... Part>
  static void say(fmt::format_string<Part...> form, Part&&... part) {
    fmt::print("{}\n", visible(fmt::format(form, std::forward<Part>(part)...)));
  }

  bool print_changes(const std::string& pattern) {
    const std::vector<field> old = fields_of(a_.configs[from_.at.at(pattern)]);
    const std::vector<field> now = fields_of(b_.configs[to_.at.at(pattern)]);
    for (std::size_t i = 0; i < old.size(); ++i)
      if (old[i] != now[i])
        say("changed: {}: {}: {} -> {}", pattern, old[i].name, old[i].value, now[i].value);
    return old != now;
  }

  /// The order matters among patterns of one length: the first that matches is used.
  void print_moves() {
    std::vector<std::size_t> common;  // in the order of to_: positions in from_
    for (const std::string& p : to_.pattern)
      if (const auto found = from_.at.find(p); found != from_.at.end())
        common.push_back(found->second);
    const std::vector<bool> moved = out_of_order(common);
    std::unordered_set<std::string> stay;
    for (std::size_t i = 0; i < common.size(); ++i)
      if (!moved[i]) stay.insert(from_.pattern[common[i]]);
    for (std::size_t i = 0; i < common.size(); ++i) {
      if (!moved[i]) continue;
      const std::string& p = from_.pattern[common[i]];
      say("moved: {}: {} -> {}", p, place(from_, p, stay), place(to_, p, stay));
      ++moved_;
    }
  }

  /// "after view": the preceding pattern that stays; or "first".
  static std::string place(const rows& in, const std::string& pattern,
                           const std::unordered_set<std::string>& stay) {
    for (std::size_t i = in.at.at(pattern); i-- > 0;)
      if (stay.contains(in.pattern[i])) return "after " + in.pattern[i];
    return "first";
  }

  [[nodiscard]] bool summarize() const {
    flush_output();
    const bool differ = renamed_ || added_ + removed_ + changed_ + moved_ > 0;
    if (differ)
      fmt::print(stderr, "{} added, {} removed, {} changed, {} moved\n", added_, removed_, changed_,
                 moved_);
    else
      fmt::print(stderr, "no differences\n");
    return differ;
  }

  ctq::backend_view a_, b_;
  rows from_, to_;
  bool renamed_ = false;
  int added_ = 0, removed_ = 0, changed_ = 0, moved_ = 0;
};

}  // namespace

exit_code diff(const std::string& from, const std::string& to) {
  const auto a = backend_source::open(from);
  const auto b = backend_source::open(to);
  if (!a || !b) return std::max(a.code(), b.code());
  return comparison{a->view(), b->view()}.print() ? findings : fine;
}

}  // namespace tool
