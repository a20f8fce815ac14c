// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/kernels/embedding_table.hpp"
#include "ctq/passes/schedule/step.hpp"

// Checks that the indices that a model is called with are rows of its embeddings.

namespace ctq {

namespace checking_indices {

/// Checks the indices of an embedding.
///   index, offsets  null if the model computes them
template <class Index>
[[nodiscard]] status check(const embedding_shape& s, const std::string& place, const Index* index,
                           const Index* offsets) {
  const auto rows = std::to_string(s.rows);
  for (int i = 0; i < s.indices && index != nullptr; ++i)
    if (!kernels::is_in_table(s, index[i]))
      return fail(place, "index " + std::to_string(i) + " is " + std::to_string(index[i]) +
                             "; the table has " + rows + " rows");
  for (int b = 0; b < s.bags && offsets != nullptr; ++b)
    if (!kernels::bag_of(s, offsets, b).valid)
      return fail(place, "the offsets of bag " + std::to_string(b) +
                             " decrease or lie outside of the " + std::to_string(s.indices) +
                             " indices");
  return done{};
}

/// Checks integers that the model computes with.
template <class Index>
[[nodiscard]] status check(elementwise_shape s, const std::string& place, const Index* index) {
  constexpr Index most = 1 << std::numeric_limits<float>::digits;
  for (int i = 0; i < s.count && index != nullptr; ++i)
    if (index[i] < -most || index[i] > most)
      return fail(place,
                  "index " + std::to_string(i) + " is " + std::to_string(index[i]) +
                      "; the model computes with it in float32, which holds integers up to " +
                      std::to_string(most));
  return done{};
}

}  // namespace checking_indices

/// Checks all integer inputs of a model.
///   nodes  those of the graph that the schedule was made for
///   in     elements of the model's inputs, in order
/// Errors  with the node's name: an index that is no row of its table, offsets that decrease or lie
///         outside of the indices, an index beyond ±2^24 with which the model computes.
///         Indices that the model computes are not checked: those that are no row of a table give a
///         row of NaN
template <int = 0>
[[nodiscard]] status check_indices(span<const step> steps, span<const node> nodes,
                                   span<const void* const> in) {
  for (const step& s : steps) {
    if (!is_index(s.signature.in)) continue;
    const auto check = [&]<class index>(index) {
      const auto operand = [&](int which) {
        return s.in[which].in == place::area::input
                   ? static_cast<const index*>(in[s.in[which].offset])
                   : nullptr;
      };
      const std::string place = place_of(nodes[static_cast<std::size_t>(s.node)]);
      return s.signature.kernel == kernel::convert
                 ? checking_indices::check(s.signature.as<elementwise_shape>(), place, operand(0))
                 : checking_indices::check(s.signature.as<embedding_shape>(), place, operand(0),
                                           operand(1));
    };
    const status ok = s.signature.in == i64 ? check(std::int64_t{}) : check(std::int32_t{});
    if (!ok) return ok;
  }
  return done{};
}

}  // namespace ctq
