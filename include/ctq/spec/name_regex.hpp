// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/list.hpp"

// Regular expressions over module names, as Python's re.match reads them: the expression must fit
// at the start of the name. Known: . [a-z] [^...] \d \w \s \. ( ) (?: ) | * + ? ^ $ and lazy forms.
// Not known, and said so by valid(): {m,n}, look-around, back references.
//
// The expression becomes a small machine (Thompson's) whose states are run side by side, so no
// expression takes more than its length times the length of the name.

namespace ctq {

class name_regex {
 public:
  constexpr explicit name_regex(std::string_view expression) : text_(expression) {
    alternatives();
    valid_ = valid_ && at_ == text_.size();
    emit({step::accept, 0, 0});
  }

  [[nodiscard]] constexpr bool valid() const { return valid_; }

  /// Does the expression fit at the start of the name?
  [[nodiscard]] constexpr bool matches(std::string_view name) const {
    if (!valid_) return false;
    list<bool> now(code_.size(), false);
    if (enter(now, 0, 0, name)) return true;
    for (std::size_t i = 0; i < name.size(); ++i) {
      list<bool> next(code_.size(), false);
      for (std::size_t s = 0; s < code_.size(); ++s)
        if (now[s] && code_[s].what == step::atom && atom_fits(code_[s].a, name[i]))
          if (enter(next, s + 1, i + 1, name)) return true;
      now = next;
    }
    return false;
  }

 private:
  enum class step : unsigned char { atom, split, jump, begin, end, accept };
  // atom: a = where it stands in the expression · split, jump: a, b = how far to go
  struct instruction {
    step what{};
    std::ptrdiff_t a{}, b{};
  };

  constexpr void emit(instruction i) { code_.push_back(i); }
  constexpr void insert(std::size_t where, instruction i) {
    emit(i);
    for (std::size_t k = code_.size() - 1; k > where; --k) code_[k] = code_[k - 1];
    code_[where] = i;
  }
  [[nodiscard]] constexpr bool more() const { return at_ < text_.size(); }
  [[nodiscard]] constexpr std::ptrdiff_t since(std::size_t start) const {
    return static_cast<std::ptrdiff_t>(code_.size() - start);
  }

  constexpr void alternatives() {
    const std::size_t start = code_.size();
    sequence();
    if (!more() || text_[at_] != '|') return;
    ++at_;
    insert(start, {step::split, 1, since(start) + 2});
    const std::size_t jump = code_.size();
    emit({step::jump, 0, 0});
    alternatives();
    code_[jump].a = since(jump);
  }

  constexpr void sequence() {
    while (valid_ && more() && text_[at_] != '|' && text_[at_] != ')') {
      const std::size_t start = code_.size();
      one();
      if (!more()) return;
      const char times = text_[at_];
      if (times == '{') valid_ = false;
      if (times != '*' && times != '+' && times != '?') continue;
      ++at_;
      if (more() && text_[at_] == '?') ++at_;  // lazy: fits the same names
      const std::ptrdiff_t size = since(start);
      if (times == '+') {
        emit({step::split, -size, 1});
      } else {
        insert(start, {step::split, 1, size + (times == '*' ? 2 : 1)});
        if (times == '*') emit({step::jump, -(size + 1), 0});
      }
    }
  }

  constexpr void one() {
    switch (text_[at_]) {
      case '(': return group();
      case '^': ++at_; return emit({step::begin, 0, 0});
      case '$': ++at_; return emit({step::end, 0, 0});
      case '*':
      case '+':
      case '?': valid_ = false; return;
      default: break;
    }
    emit({step::atom, static_cast<std::ptrdiff_t>(at_), 0});
    if (text_[at_] == '[') {
      ++at_;
      if (more() && text_[at_] == '^') ++at_;
      if (more() && text_[at_] == ']') ++at_;
      while (more() && text_[at_] != ']') at_ += text_[at_] == '\\' ? 2 : 1;
    } else if (text_[at_] == '\\') {
      ++at_;
      valid_ = valid_ && more() && !(text_[at_] >= '0' && text_[at_] <= '9') &&
               text_[at_] != 'b' && text_[at_] != 'B';
    }
    if (!more()) valid_ = false;
    ++at_;
  }

  constexpr void group() {
    ++at_;
    if (more() && text_[at_] == '?') {
      valid_ = valid_ && text_.substr(at_).starts_with("?:");
      at_ += 2;
    }
    if (valid_) alternatives();
    if (!more() || text_[at_] != ')') {
      valid_ = false;
      return;
    }
    ++at_;
  }

  /// Marks all states reachable from s without reading; true if accept is among them.
  constexpr bool enter(list<bool>& states, std::size_t s, std::size_t at,
                       std::string_view name) const {
    if (states[s]) return false;
    states[s] = true;
    const auto go = [&](std::ptrdiff_t by) {
      return enter(states, static_cast<std::size_t>(static_cast<std::ptrdiff_t>(s) + by), at, name);
    };
    switch (code_[s].what) {
      case step::accept: return true;
      case step::jump: return go(code_[s].a);
      case step::split: return go(code_[s].a) || go(code_[s].b);
      case step::begin: return at == 0 && go(1);
      case step::end: return at == name.size() && go(1);
      case step::atom: return false;
    }
    return false;
  }

  static constexpr bool in_range(char c, char low, char high) { return low <= c && c <= high; }

  static constexpr bool escape_fits(char escape, char c) {
    const bool digit = in_range(c, '0', '9');
    const bool word = digit || in_range(c, 'a', 'z') || in_range(c, 'A', 'Z') || c == '_';
    const bool space = c == ' ' || in_range(c, '\t', '\r');
    switch (escape) {
      case 'd': return digit;
      case 'D': return !digit;
      case 'w': return word;
      case 'W': return !word;
      case 's': return space;
      case 'S': return !space;
      default: return c == escape;
    }
  }

  [[nodiscard]] constexpr bool atom_fits(std::ptrdiff_t where, char c) const {
    auto i = static_cast<std::size_t>(where);
    if (text_[i] == '.') return c != '\n';
    if (text_[i] == '\\') return escape_fits(text_[i + 1], c);
    if (text_[i] != '[') return text_[i] == c;
    const bool negated = text_[++i] == '^';
    if (negated) ++i;
    bool found = false;
    for (bool first = true; first || text_[i] != ']'; first = false) {
      if (text_[i] == '\\') {
        found = found || escape_fits(text_[i + 1], c);
        i += 2;
      } else if (i + 2 < text_.size() && text_[i + 1] == '-' && text_[i + 2] != ']') {
        found = found || in_range(c, text_[i], text_[i + 2]);
        i += 3;
      } else {
        found = found || text_[i++] == c;
      }
    }
    return found != negated;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool valid_ = true;
  list<instruction> code_;
};

/// Does expression fit at the start of name? False for an expression that is not valid.
[[nodiscard]] constexpr bool regex_matches(std::string_view expression, std::string_view name) {
  return name_regex{expression}.matches(name);
}

}  // namespace ctq
