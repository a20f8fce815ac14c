// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/passes/schedule/memory.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/packing/graph_nodes.hpp"
#include "ctq/runtime/state_dict.hpp"

namespace ctq::packing {

/// The elements of all parameters and buffers that are operands, not only weights of functions.
/// Errors  as state_dict::operand
template <int = 0>
[[nodiscard, gnu::cold]] result<aligned_buffer> pack_constants(const graph_nodes& graph,
                                                               const state_dict& state) {
  std::size_t bytes = 0;
  for (const node& n : graph.nodes) bytes += graph.is_constant(n) ? constant_bytes(n) : 0;
  aligned_buffer all(bytes);
  std::byte* at = all.data();
  for (const node& n : graph.nodes) {
    if (!graph.is_constant(n)) continue;
    const auto values = state.operand(std::string{path_of(n)},
                                      {n.shape.extent, static_cast<std::size_t>(n.shape.rank)});
    if (!values) return unexpected{values.error()};
    std::memcpy(at, values->data(), values->size_bytes());
    at += constant_bytes(n);
  }
  return all;
}

}  // namespace ctq::packing
