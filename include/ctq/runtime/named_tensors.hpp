// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"

// What lists of named tensors share: the order of names, and shapes as text.

namespace ctq {

/// The numbers from 0 to count - 1, sorted; the sort is stable. A merge sort, since std::sort takes
/// 0.3 s to compile.
///   before(i, j)  whether i comes before j
template <class Before>
[[nodiscard, gnu::cold]] std::vector<std::size_t> sorted_indices(std::size_t count,
                                                                 const Before& before) {
  std::vector<std::size_t> order(count), merged(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  for (std::size_t width = 1; width < count; width *= 2) {
    for (std::size_t at = 0; at < count;) {
      const std::size_t middle = at + width < count ? at + width : count;
      const std::size_t end = middle + width < count ? middle + width : count;
      for (std::size_t a = at, b = middle; at < end; ++at) {
        const bool second = a == middle || (b < end && before(order[b], order[a]));
        merged[at] = order[second ? b++ : a++];
      }
    }
    order.swap(merged);
  }
  return order;
}

/// The indices of the elements of `all`, which have a member `name`, sorted by name; equal names in
/// the order of `all`.
template <class Named>
[[nodiscard]] std::vector<std::size_t> order_by_name(span<const Named> all) {
  return sorted_indices(all.size(), [all](std::size_t i, std::size_t j) {
    return std::string_view{all[i].name} < std::string_view{all[j].name};
  });
}

template <class Named>
void sort_by_name(std::vector<Named>& all) {
  std::vector<Named> sorted;
  sorted.reserve(all.size());
  for (const std::size_t i : order_by_name(span<const Named>(all)))
    sorted.push_back(std::move(all[i]));
  all = std::move(sorted);
}

/// An element that has the same name as one before it, or null.
/// Requires  sorted by name
template <class Named>
[[nodiscard]] const Named* repeated_name(const std::vector<Named>& sorted) {
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].name == sorted[i - 1].name) return &sorted[i];
  return nullptr;
}

/// "[10, 64]"
template <int = 0>
[[nodiscard, gnu::cold]] std::string text_of_shape(span<const int> shape) {
  std::string text = "[";
  for (const int extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

}  // namespace ctq
