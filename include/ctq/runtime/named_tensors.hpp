// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What lists of named tensors share: the order of names, and shapes as text. One std::sort for
// tensors of all kinds: each would take a compiler 0.3 s.

namespace ctq {

/// The indices of the elements of `all`, which have a member `name`, in the order of the names;
/// equal ones in the order of `all`.
template <class Named>
[[nodiscard]] std::vector<std::size_t> order_by_name(std::span<const Named> all) {
  using name_at = std::pair<std::string_view, std::size_t>;
  std::vector<name_at> names;
  for (std::size_t i = 0; i < all.size(); ++i) names.emplace_back(all[i].name, i);
  std::sort(names.begin(), names.end());
  std::vector<std::size_t> order;
  for (const name_at& n : names) order.push_back(n.second);
  return order;
}

template <class Named>
void sort_by_name(std::vector<Named>& all) {
  std::vector<Named> sorted;
  sorted.reserve(all.size());
  for (const std::size_t i : order_by_name(std::span<const Named>(all)))
    sorted.push_back(std::move(all[i]));
  all = std::move(sorted);
}

/// An element whose name one before has too, or null.
/// Requires  sorted by name
template <class Named>
[[nodiscard]] const Named* repeated_name(const std::vector<Named>& sorted) {
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].name == sorted[i - 1].name) return &sorted[i];
  return nullptr;
}

/// "[10, 64]"
template <int = 0>
[[nodiscard, gnu::cold]] std::string text_of_shape(std::span<const int> shape) {
  std::string text = "[";
  for (const int extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

}  // namespace ctq
