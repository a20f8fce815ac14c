// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/core/shapes/sequence_shapes.hpp"
#include "ctq/kernels/embedding_table.hpp"
#include "ctq/observers/float_qparams.hpp"
#include "ctq/observers/observer.hpp"
#include "ctq/observers/scale_bounds.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/packing/parameter_sources.hpp"
#include "ctq/runtime/state_dict.hpp"
#include "ctq/spec/dtype_with_constraints.hpp"

// From the float table of an embedding to integers, with a scale and a float zero point per row.

namespace ctq {

struct quantized_rows {
  std::vector<std::uint8_t> rows;  // integers of 4 bits: two per byte
  std::vector<float> scale, zero_point;
};

/// q = clamp(rne(x * (1 / scale) + zero_point)), as observers::quantize.
/// Errors  an observer of another qscheme; a scale that the backend does not allow
template <int Deferred = 0>
[[nodiscard, gnu::cold]] result<quantized_rows> quantize_rows(
    span<const float> table, const embedding_shape& s, const observer_record& record,
    const dtype_with_constraints_record& constraints, semantics versions = {}) {
  observers::basic_any_observer<Deferred> observer{record};
  const shape extents{s.rows, s.width};
  observer.observe(table, extents);
  const auto p = observer.calculate_per_channel_qparams();
  const auto rows = static_cast<std::size_t>(s.rows);
  if (!p || p->float_zero_point.size() != rows)
    return fail("weight",
                "each row needs a scale and a float zero point: ask for "
                "per_channel_affine_float_qparams with ch_axis 0");
  for (const float scale : p->scale)
    if (const status fits = observers::check_bounds(scale, constraints, versions); !fits)
      return fail("weight", fits.error().message());
  std::vector<std::uint8_t> integers(table.size());
  observers::quantize(table, extents, *p, integers);
  quantized_rows out{std::move(integers), p->scale, p->float_zero_point};
  if (s.bits == 8) return out;
  const auto width = static_cast<std::size_t>(s.width);
  const auto bytes = static_cast<std::size_t>(kernels::bytes_of_row(s));
  std::vector<std::uint8_t> packed(rows * bytes);
  for (std::size_t row = 0; row < rows; ++row)
    observers::pack_quint4x2(span(out.rows).subspan(row * width, width),
                             span(packed).subspan(row * bytes, bytes));
  out.rows = std::move(packed);
  return out;
}

namespace quantizing {

/// Adds the table of an embedding: in float, or integers with a scale and a float zero point per
/// row.
template <int = 0>
[[nodiscard, gnu::cold]] status add_table(const step& s, const node& n,
                                          const parameter_sources& from, state_dict& to) {
  const auto sizes = s.signature.as<embedding_shape>();
  const std::string name{n.name};
  const weight_tensor* const table = from.weights->find(name, "weight");
  if (table == nullptr) return fail("tensor " + name + ".weight", "is missing");
  if (sizes.bits == 32) {
    to.set(name + ".weight", table->shape, table->values);
    return done{};
  }
  result<quantized_rows> rows =
      quantize_rows(table->values, sizes, from.mapping.entries[n.choice.qconfig].qconfig.weight,
                    config_of(from.backend, n.choice).weight_dtype, from.semantics);
  if (!rows) return unexpected{rows.error()};
  to.set(name + ".weight", {sizes.rows, static_cast<int>(kernels::bytes_of_row(sizes))},
         std::move(rows->rows));
  to.set(name + ".weight_scale", {sizes.rows}, std::move(rows->scale));
  to.set(name + ".weight_zero_point", {sizes.rows}, std::move(rows->zero_point));
  return done{};
}

}  // namespace quantizing

}  // namespace ctq
