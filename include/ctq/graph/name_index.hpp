// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/same_text.hpp"
#include "ctq/graph/graph.hpp"

// From names to nodes in constant time, for passes that look up every node by name.

namespace ctq {

/// A hash table with open addressing; of equal names the first one counts.
class name_index {
 public:
  /// For at most this number of names.
  constexpr explicit name_index(int names) : slots_(2 * names + 1) {}

  /// The names that find() finds in the graph.
  template <stage Stage>
  constexpr explicit name_index(graph_view<Stage> g) : name_index(g.size()) {
    for (int i = 0; i < g.size(); ++i)
      if (g[i].number < 0) add(g[i].name, i);
  }

  constexpr void add(std::string_view name, int value) {
    slot& s = slots_[slot_of(name)];
    if (s.value < 0) s = {name, value};
  }

  /// The value that was added with this name, or -1.
  [[nodiscard]] constexpr int find(std::string_view name) const {
    return slots_[slot_of(name)].value;
  }

 private:
  struct slot {
    std::string_view name{};
    int value = -1;  // -1: free
  };

  /// The slot of the name, or a free one.
  [[nodiscard]] constexpr std::size_t slot_of(std::string_view name) const {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    std::size_t at = (hash ^ hash >> 32) % slots_.size();
    while (slots_[at].value >= 0 && !same_text(slots_[at].name, name))
      at = at + 1 == slots_.size() ? 0 : at + 1;
    return at;
  }

  list<slot> slots_;
};

}  // namespace ctq
