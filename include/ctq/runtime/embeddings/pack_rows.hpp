// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

#include "ctq/core/result.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/kernels/embedding_table.hpp"
#include "ctq/kernels/operands.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/state_dict.hpp"

// From the tensors of an embedding to what its kernels read: the rows, then, if they are integers,
// the scales and the zero points, each padded to 64 bytes.

namespace ctq::packing {

/// The table of an embedding.
/// Errors  as state_dict::floats
template <int = 0>
[[nodiscard, gnu::cold]] status pack_rows(const step& s, const node& n, const state_dict& state,
                                          std::byte* packed) {
  const auto sizes = s.signature.as<embedding_shape>();
  const std::string name = std::string{n.name} + ".weight";
  const auto append = [&packed](const auto& values) {
    std::memcpy(packed, values->data(), values->size_bytes());
    packed += padded(values->size_bytes());
  };
  if (sizes.bits == 32) {
    const auto rows = state.floats(name, {{sizes.rows, sizes.width}});
    if (!rows) return unexpected{rows.error()};
    append(rows);
    return done{};
  }
  const auto row_bytes = static_cast<int>(ctq::kernels::bytes_of_row(sizes));
  const auto rows = state.bytes(name, {{sizes.rows, row_bytes}});
  if (!rows) return unexpected{rows.error()};
  append(rows);
  const auto scale = state.scales(name + "_scale", {{sizes.rows}});
  if (!scale) return unexpected{scale.error()};
  append(scale);
  const auto zero_point = state.floats(name + "_zero_point", {{sizes.rows}});
  if (!zero_point) return unexpected{zero_point.error()};
  append(zero_point);
  return done{};
}

}  // namespace ctq::packing
