// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>

#include "ctq/core/containers/list.hpp"
#include "ctq/json/reader.hpp"
#include "ctq/spec/pattern.hpp"

// Patterns in JSON: an op, a list of ops in data flow order, or PyTorch's nested list: an op and
// its arguments.

namespace ctq::json {

class pattern_reader : private reader {
 public:
  /// Appends to `elements`.
  ///   ops  all ops that patterns can name
  constexpr pattern_reader(const op_table& ops, findings& out, list<pattern_element>& elements)
      : reader(ops, out), ops_(ops), out_(out), elements_(elements) {}

  /// Reads a pattern; appends nothing if it has an error.
  constexpr void read(element e, bool flat) {
    first_ = elements_.size();
    const int before = out_.total();
    if (flat) {
      chain(e);
    } else {
      tree(e);
    }
    if (out_.total() != before) elements_.truncate(first_);
  }

 private:
  [[nodiscard]] static constexpr bool is_match_all(element e) {
    return same_text(without_module(e.name()), "MatchAllNode");
  }

  /// Returns false if reading should stop.
  constexpr bool add(element e, int args) {
    const auto size = elements_.size() - first_;
    if (size == max_pattern) error(rule::too_many, e, "more than 64 ops in one pattern");
    if (size == max_pattern || out_.full()) return false;
    const op_id op = ops_.find(e.name());
    if (op == nullptr && !is_match_all(e)) unknown_op(e);
    elements_.push_back({op, args});
    return true;
  }

  /// An op, or a list of ops in data flow order.
  constexpr void chain(element e) {
    if (e.type() == kind::string) return static_cast<void>(add(e, 0));
    if (e.type() != kind::array)
      return error(rule::wrong_type, e, "expected an op or a list of ops, not ",
                   with_article(e.type()));
    for (const element part : e.elements()) {
      if (part.type() == kind::array)
        return error(rule::pattern_form, part,
                     "a nested pattern belongs under pattern_complex_format");
      if (!expect(part, kind::string) || !add(part, part == e.first() ? 0 : 1)) return;
    }
    for (std::size_t first = first_, last = elements_.size(); first + 1 < last; ++first)
      std::swap(elements_[first], elements_[--last]);  // the last op first
  }

  /// PyTorch's nested form: an op, or an op and its arguments. Returns as add().
  constexpr bool tree(element e) {
    if (e.type() == kind::string) return add(e, 0);
    if (e.type() != kind::array) {
      error(rule::wrong_type, e, "expected an op or a nested list, not ", with_article(e.type()));
      return false;
    }
    if (e.size() == 0) {
      error(rule::pattern_form, e, "an empty list is not a pattern");
      return false;
    }
    const element head = e.first();
    if (!expect(head, kind::string)) return false;
    if (is_match_all(head) && e.size() > 1) {
      error(rule::pattern_form, head, "MatchAllNode has no arguments");
      return false;
    }
    bool go_on = add(head, static_cast<int>(e.size()) - 1);
    for (const element part : e.elements())
      if (go_on && !(part == head)) go_on = tree(part);
    return go_on;
  }

  op_table ops_;
  findings& out_;
  list<pattern_element>& elements_;
  std::size_t first_ = 0;  // of the current pattern
};

}  // namespace ctq::json
