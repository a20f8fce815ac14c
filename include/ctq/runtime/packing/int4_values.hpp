// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/observers/float_qparams.hpp"
#include "ctq/spec/observer.hpp"

namespace ctq::packing {

/// Weights of -8 … 7 as kernels::int4_weights has them: value + 8, two in a byte, the first in its
/// low half; a byte belongs to one row.
///   row  elements of a row
template <int = 0>
[[nodiscard, gnu::cold]] std::vector<std::uint8_t> int4_values(span<const std::int8_t> weight,
                                                               std::size_t row) {
  std::vector<std::uint8_t> values(weight.size());
  for (std::size_t i = 0; i < weight.size(); ++i)
    values[i] = static_cast<std::uint8_t>(weight[i] - int4_range.min);
  const std::size_t rows = row == 0 ? 0 : weight.size() / row;
  const std::size_t bytes = observers::packed_size(row);
  std::vector<std::uint8_t> packed(rows * bytes);
  for (std::size_t r = 0; r < rows; ++r)
    observers::pack_quint4x2(span(values).subspan(r * row, row),
                             span(packed).subspan(r * bytes, bytes));
  return packed;
}

}  // namespace ctq::packing
