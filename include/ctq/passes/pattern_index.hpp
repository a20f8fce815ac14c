// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/graph/scratch_array.hpp"
#include "ctq/spec/backend_config.hpp"

// The patterns of a backend, by the op nearest the output, so that only patterns that can end at a
// node are tried there. Flat arrays, because they are read for each node.

namespace ctq {

/// Patterns in the order in which they are tried.
template <std::size_t Patterns, std::size_t Elements>
struct pattern_index {
  static constexpr unsigned buckets = 64;

  int head[buckets]{};                    // by hash of the op: the first pattern, or -1
  scratch_array<int, Patterns> next{};    // of the same bucket, or -1
  scratch_array<int, Patterns> config{};  // of the backend
  scratch_array<int, Patterns> first{};   // element
  scratch_array<int, Patterns> root{};    // the element of the root, from the first
  scratch_array<op_id, Elements> op{};    // by element, in pre-order; null: match_all
  scratch_array<int, Elements> args{};    // how many of the following trees are its arguments
  scratch_array<int, Elements> extent{};  // how many elements its tree has
};

using dynamic_pattern_index = pattern_index<0, 0>;

/// How many elements the patterns of a backend have together.
[[nodiscard]] constexpr int count_elements(const backend_view& backend) {
  int elements = 0;
  for (int i = 0; i < backend.configs.count; ++i)
    elements += backend.configs.items[i].pattern.element.count;
  return elements;
}

/// Fills in the patterns that wanted(config) selects: the longest first, equally long ones in the
/// order of the backend.
template <class Wanted, class Index>
constexpr void index_patterns(const backend_view& backend, Wanted wanted, Index& index) {
  const int configs = backend.configs.count;
  const int total = count_elements(backend);
  resize_all(configs, index.next, index.config, index.first, index.root);
  resize_all(total, index.op, index.args, index.extent);
  int longest = 0;
  for (int i = 0; i < configs; ++i) {
    const int length = backend.configs.items[i].pattern.element.count;
    longest = length > longest ? length : longest;
  }
  int tail[Index::buckets]{};
  for (unsigned b = 0; b < Index::buckets; ++b) index.head[b] = -1;
  int patterns = 0;
  int elements = 0;
  for (int length = longest; length > 0; --length)
    for (int i = 0; i < configs; ++i) {
      const backend_pattern_config_record& c = backend.configs.items[i];
      // match_all alone is not a pattern.
      if (c.pattern.element.count != length || c.pattern.anchor() == nullptr || !wanted(c))
        continue;
      index.config[patterns] = i;
      index.root[patterns] = root_element(c);
      index.first[patterns] = elements;
      index.next[patterns] = -1;
      for (int e = 0; e < length; ++e) {
        index.op[elements + e] = c.pattern.element.items[e].op;
        index.args[elements + e] = c.pattern.element.items[e].args;
      }
      for (int e = length - 1; e >= 0; --e) {  // arguments before their op
        int extent = 1;
        for (int a = 0; a < index.args[elements + e]; ++a)
          extent += index.extent[elements + e + extent];
        index.extent[elements + e] = extent;
      }
      const unsigned b = index.op[elements]->hash % Index::buckets;
      if (index.head[b] < 0) {
        index.head[b] = patterns;
      } else {
        index.next[tail[b]] = patterns;
      }
      tail[b] = patterns++;
      elements += length;
    }
}

namespace indexing {

constexpr bool any(const backend_pattern_config_record&) { return true; }

template <class Backend, auto Wanted>
constexpr auto make() {
  constexpr backend_view backend = backend_v<Backend>;
  pattern_index<backend.configs.count + 1, count_elements(backend) + 1> index;
  index_patterns(backend, Wanted, index);
  return index;
}

}  // namespace indexing

/// All patterns of a backend.
template <class Backend>
inline constexpr auto patterns_v = indexing::make<Backend, indexing::any>();

}  // namespace ctq
