// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "ctq/core/list.hpp"

// Regular expressions over module names, as Python's re.match reads them: the expression must fit
// at the start of the name. Known: . [a-z] [^...] \d \w \s \. ( ) (?: ) | * + ? ^ $ and lazy forms.
// Not known, and said so by valid(): {m,n}, possessive forms, look-around, back references, other
// escaped letters. A character is a byte.
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
    progress p{name, {}, {}, list<std::ptrdiff_t>(code_.size(), -1)};
    if (enter(p, 0, 0)) return true;
    const char* const c = name.data();
    const auto size = static_cast<std::ptrdiff_t>(name.size());
    for (std::ptrdiff_t i = 0; i < size && !p.next.empty(); ++i) {
      std::swap(p.now, p.next);
      p.next.clear();
      for (const std::ptrdiff_t s : p.now)
        if (atom_fits(code_[s].a, c[i]) && enter(p, s + 1, i + 1)) return true;
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

  static constexpr bool is_anchor(step s) { return s == step::begin || s == step::end; }
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
      if (!valid_ || !more()) return;
      const char times = text_[at_];
      if (times != '*' && times != '+' && times != '?') continue;
      if (text_[at_ - 1] != ')' && since(start) == 1 && is_anchor(code_[start].what))
        valid_ = false;  // "nothing to repeat"
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
      case '?':
      case '{': valid_ = false; return;
      default: break;
    }
    emit({step::atom, static_cast<std::ptrdiff_t>(at_), 0});
    if (text_[at_] == '[') {
      characters();
    } else {
      character();
    }
  }

  /// Steps over one character or escape. The character, or -1 if it stands for several.
  constexpr int character() {
    const bool escaped = text_[at_] == '\\';
    if (escaped) ++at_;
    if (!more()) valid_ = false;
    if (!valid_) return -1;
    const char c = text_[at_++];
    const bool several = escaped && escape_fits('w', c) && c != '_';
    if (several && std::string_view{"dDwWsS"}.find(c) == std::string_view::npos) valid_ = false;
    return several ? -1 : static_cast<unsigned char>(c);
  }

  constexpr void characters() {
    ++at_;
    if (more() && text_[at_] == '^') ++at_;
    for (bool first = true; valid_ && more() && (first || text_[at_] != ']'); first = false) {
      const int low = character();
      if (at_ + 1 >= text_.size() || text_[at_] != '-' || text_[at_ + 1] == ']') continue;
      ++at_;
      const int high = character();
      valid_ = valid_ && low >= 0 && high >= low;
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

  /// The states, each an atom, that wait for the next character.
  struct progress {
    std::string_view name;
    list<std::ptrdiff_t> now;
    list<std::ptrdiff_t> next;
    list<std::ptrdiff_t> seen;  // by state: the last place in the name where it was entered
  };

  /// Adds all atoms that can be reached from s without reading; true if the end can be.
  constexpr bool enter(progress& p, std::ptrdiff_t s, std::ptrdiff_t at) const {
    if (p.seen[s] == at) return false;
    p.seen[s] = at;
    const instruction& i = code_[s];
    switch (i.what) {
      case step::atom: p.next.push_back(s); return false;
      case step::accept: return true;
      case step::jump: return enter(p, s + i.a, at);
      case step::split: return enter(p, s + i.a, at) || enter(p, s + i.b, at);
      case step::begin: return at == 0 && enter(p, s + 1, at);
      case step::end: return at_end(p.name, at) && enter(p, s + 1, at);
    }
    return false;
  }

  /// Python's $ also fits before a newline that ends the text.
  static constexpr bool at_end(std::string_view name, std::ptrdiff_t at) {
    const std::string_view rest = name.substr(static_cast<std::size_t>(at));
    return rest.empty() || rest == "\n";
  }

  static constexpr bool in_range(char c, char low, char high) {
    const auto code = [](char x) { return static_cast<unsigned char>(x); };
    return code(low) <= code(c) && code(c) <= code(high);
  }

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
    if (text_[i] != '[') return character_fits(i, c);
    const bool negated = text_[++i] == '^';
    if (negated) ++i;
    bool found = false;
    for (bool first = true; first || text_[i] != ']'; first = false) {
      const std::size_t low = i;
      i += length_at(i);
      if (text_[i] == '-' && text_[i + 1] != ']') {
        const std::size_t high = i + 1;
        i = high + length_at(high);
        found = found || in_range(c, text_[low + length_at(low) - 1], text_[i - 1]);
      } else {
        found = found || character_fits(low, c);
      }
    }
    return found != negated;
  }

  [[nodiscard]] constexpr std::size_t length_at(std::size_t i) const {
    return text_[i] == '\\' ? 2 : 1;
  }
  [[nodiscard]] constexpr bool character_fits(std::size_t i, char c) const {
    return text_[i] == '\\' ? escape_fits(text_[i + 1], c) : text_[i] == c;
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
