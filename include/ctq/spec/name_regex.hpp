// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/containers/list.hpp"

// Regular expressions for module names with the semantics of Python's re.match: the expression must
// match at the start of the name. Supported: . [a-z] [^...] \d \w \s \. ( ) (?: ) | * + ? ^ $ and
// lazy forms. Unsupported, so that valid() is false: {m,n}, possessive forms, look-around, back
// references, other escaped letters. A character is a byte.
//
// The expression is compiled to a Thompson automaton, and that to a Glushkov automaton: a table of
// the characters that may follow each character. Matching tracks all states in parallel, so its
// time is at most the product of both lengths, with few constexpr operations per name.

namespace ctq {

/// A compiled expression.
class name_regex {
 public:
  /// The longest expression: groups are parsed recursively, and the table is quadratic.
  static constexpr std::size_t max_size = 256;

  constexpr explicit name_regex(std::string_view expression) : text_(expression) {
    valid_ = text_.size() <= max_size;
    if (valid_) alternatives();
    valid_ = valid_ && at_ == text_.size();
    emit({opcode::accept, 0, 0});
    if (valid_) tabulate();
  }

  [[nodiscard]] constexpr bool valid() const { return valid_; }

  /// Whether the expression matches at the start of the name.
  [[nodiscard]] constexpr bool matches(std::string_view name) const {
    if (!valid_) return false;
    list<int> atoms[2];  // active atoms at this character and at the next one
    list<int> seen(code_.size(),
                   -1);  // by atom: the last position in the name where it was reached
    const auto reach = [&](const successors& after, int at) {
      const int* const end = reachable_.data() + after.last;
      for (const int* atom = reachable_.data() + after.first; atom != end; ++atom) {
        if (seen[*atom] == at) continue;
        seen[*atom] = at;
        atoms[at % 2].push_back(*atom);
      }
      return after.ends == match_end::anywhere ||
             (after.ends == match_end::at_end && at_end(name, at));
    };
    if (reach(after_.back(), 0)) return true;
    const char* const chars = name.data();
    const auto size = static_cast<int>(name.size());
    for (int i = 0; i < size && !atoms[i % 2].empty(); ++i) {
      atoms[(i + 1) % 2].clear();
      for (const int atom : atoms[i % 2])
        if (fits(code_[atom], chars[i]) && reach(after_[atom], i + 1)) return true;
    }
    return false;
  }

 private:
  enum class opcode : unsigned char { atom, split, jump, begin, end, accept };
  //   atom          a: offset in the expression, b: its character, or several
  //   split, jump   a, b: relative targets
  struct instruction {
    opcode what{};
    std::ptrdiff_t a{}, b{};
  };
  static constexpr int several = -1;
  enum class match_end : unsigned char { nowhere, at_end, anywhere };
  /// The successors of an atom: other atoms, [first, last) in reachable_, or the end.
  struct successors {
    int first{}, last{};
    match_end ends{};
  };

  static constexpr bool is_anchor(opcode s) { return s == opcode::begin || s == opcode::end; }
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
    insert(start, {opcode::split, 1, since(start) + 2});
    const std::size_t jump = code_.size();
    emit({opcode::jump, 0, 0});
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
      if (more() && text_[at_] == '?') ++at_;  // lazy: matches the same names
      const std::ptrdiff_t size = since(start);
      if (times == '+') {
        emit({opcode::split, -size, 1});
      } else {
        insert(start, {opcode::split, 1, size + (times == '*' ? 2 : 1)});
        if (times == '*') emit({opcode::jump, -(size + 1), 0});
      }
    }
  }

  constexpr void one() {
    switch (text_[at_]) {
      case '(': return group();
      case '^': ++at_; return emit({opcode::begin, 0, 0});
      case '$': ++at_; return emit({opcode::end, 0, 0});
      case '*':
      case '+':
      case '?':
      case '{': valid_ = false; return;
      default: break;
    }
    const bool dot = text_[at_] == '.';
    emit({opcode::atom, static_cast<std::ptrdiff_t>(at_), several});
    if (text_[at_] == '[') return characters();
    const int only = character();
    if (!dot) code_.back().b = only;
  }

  /// Consumes one character or escape and returns the character.
  constexpr int character() {
    const bool escaped = text_[at_] == '\\';
    if (escaped) ++at_;
    if (!more()) valid_ = false;
    if (!valid_) return several;
    const char c = text_[at_++];
    if (!escaped || c == '_' || !escape_fits('w', c)) return static_cast<unsigned char>(c);
    if (std::string_view{"dDwWsS"}.find(c) == std::string_view::npos) valid_ = false;
    return several;
  }

  constexpr void characters() {
    ++at_;
    if (more() && text_[at_] == '^') ++at_;
    for (bool first = true; valid_ && more() && (first || text_[at_] != ']'); first = false) {
      const int low = character();
      if (at_ + 1 >= text_.size() || text_[at_] != '-' || text_[at_ + 1] == ']') continue;
      ++at_;
      const int high = character();
      valid_ = valid_ && low != several && high >= low;
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

  /// The successors of each atom, and, as the last entry, those of the start.
  constexpr void tabulate() {
    const auto size = static_cast<int>(code_.size());
    after_ = list<successors>(size + 1);
    for (int s = 0; s <= size; ++s) {
      if (s < size && code_[s].what != opcode::atom) continue;
      list<bool> visited(2 * size, false);
      after_[s].first = static_cast<int>(reachable_.size());
      follow(after_[s], visited, s == size ? 0 : s + 1, s == size, false);
      after_[s].last = static_cast<int>(reachable_.size());
    }
  }

  /// Collects the atoms reachable from s without consuming a character. beginning: nothing was
  /// consumed yet; ended: after a $, so that only the end can follow.
  constexpr void follow(successors& out, list<bool>& visited, std::ptrdiff_t s, bool beginning,
                        bool ended) {
    bool& here = visited[2 * s + (ended ? 1 : 0)];
    if (here) return;
    here = true;
    const instruction i = code_[s];
    const auto go = [&](std::ptrdiff_t by, bool e) { follow(out, visited, s + by, beginning, e); };
    switch (i.what) {
      case opcode::atom:
        if (!ended) reachable_.push_back(static_cast<int>(s));
        return;
      case opcode::accept:
        if (out.ends != match_end::anywhere)
          out.ends = ended ? match_end::at_end : match_end::anywhere;
        return;
      case opcode::jump: return go(i.a, ended);
      case opcode::split: go(i.a, ended); return go(i.b, ended);
      case opcode::begin:
        if (beginning) go(1, ended);
        return;
      case opcode::end: return go(1, true);
    }
  }

  /// Python's $ also matches before a final newline.
  static constexpr bool at_end(std::string_view name, int at) {
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

  [[nodiscard]] constexpr bool fits(const instruction& atom, char c) const {
    if (atom.b != several) return atom.b == static_cast<unsigned char>(c);
    auto i = static_cast<std::size_t>(atom.a);
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
  list<successors> after_;  // by instruction, set for atoms only; the last one: of the start
  list<int> reachable_;
};

/// Whether `expression` matches at the start of `name`. False for an invalid expression.
[[nodiscard]] constexpr bool regex_matches(std::string_view expression, std::string_view name) {
  return name_regex{expression}.matches(name);
}

}  // namespace ctq
