// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/same_text.hpp"

// "Did you mean ...?": the known name with the smallest edit distance.

namespace ctq::json {

/// The Levenshtein distance of a and b, or a value above `limit` if it exceeds that.
[[nodiscard]] constexpr int edits(std::string_view a, std::string_view b, int limit) {
  const int n = static_cast<int>(a.size());
  const int m = static_cast<int>(b.size());
  if (limit < 0 || n - m > limit || m - n > limit) return limit + 1;
  list<int> row(m + 1);
  for (int k = 0; k <= m; ++k) row[k] = k;
  for (int i = 0; i < n; ++i) {
    int diagonal = row[0];
    int least = row[0] = i + 1;
    for (int k = 0; k < m; ++k) {
      const int change =
          diagonal + (a[static_cast<std::size_t>(i)] != b[static_cast<std::size_t>(k)]);
      diagonal = row[k + 1];
      const int shorter = (row[k] < row[k + 1] ? row[k] : row[k + 1]) + 1;
      row[k + 1] = shorter < change ? shorter : change;
      least = row[k + 1] < least ? row[k + 1] : least;
    }
    if (least > limit) return limit + 1;
  }
  return row[m];
}

/// Finds the candidate nearest to an unknown name. Of qualified names only the last parts are
/// compared; a different prefix counts as one edit, to save constexpr steps.
class nearest {
 public:
  constexpr explicit nearest(std::string_view wrong)
      : wrong_(last_part(wrong).substr(0, 40)),
        prefix_(wrong.substr(0, wrong.size() - last_part(wrong).size())),
        limit_(1 + static_cast<int>(wrong_.size() / 3)) {}

  constexpr void offer(std::string_view name) {
    const std::string_view last = last_part(name);
    const std::string_view prefix = name.substr(0, name.size() - last.size());
    const int n = edits(wrong_, last, limit_) + (same_text(prefix, prefix_) ? 0 : 1);
    if (n > limit_) return;
    limit_ = n - 1;
    found_ = name;
  }

  /// The nearest name, or empty if none is near.
  [[nodiscard]] constexpr std::string_view found() const { return found_; }

 private:
  static constexpr std::string_view last_part(std::string_view name) {
    std::size_t at = name.size();
    while (at > 0 && name.data()[at - 1] != '.') --at;
    return name.substr(at);
  }

  std::string_view wrong_;
  std::string_view prefix_;
  int limit_;
  std::string_view found_{};
};

}  // namespace ctq::json
