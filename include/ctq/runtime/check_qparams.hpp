// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/dtype.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/result.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/output_arithmetic.hpp"

// Checks qparams, which come from calibration, from a file or from the caller, before kernels use
// them.

namespace ctq {

/// The largest scale for which 255 quantization steps fit float32, with a margin, and whose inverse
/// is a normal number.
inline constexpr float largest_scale = 0x1p118F;

/// The error in a scale, or an empty string.
template <int = 0>
[[nodiscard, gnu::cold]] std::string problem_with_scale(float scale) {
  if (std::isnan(scale) || scale <= 0.0F)
    return "the scale " + shortest(scale) + " is not positive";
  if (scale > largest_scale)
    return "the scale " + shortest(scale) + " is too large: at most 2^118, or 255 steps of it " +
           "leave float32";
  return {};
}

/// What is wrong with qparams, and with which part of them; an empty cause if nothing is.
struct qparams_problem {
  std::string_view part;  // as in the names of tensors: "scale", "zero_point", "quant_range"
  std::string cause;
};

/// The first error in these qparams for integers of a type.
template <int = 0>
[[nodiscard, gnu::cold]] qparams_problem first_problem_with(const qparams& q, dtype type) {
  const quant_range range = range_of(type);
  const auto text = [](std::int64_t min, std::int64_t max) {
    return "[" + std::to_string(min) + ", " + std::to_string(max) + "]";
  };
  const std::string bounds = text(q.quant_min, q.quant_max);
  if (std::string cause = problem_with_scale(q.scale); !cause.empty())
    return {"scale", std::move(cause)};
  if (q.quant_min > q.quant_max)
    return {"quant_range", "quant_min " + std::to_string(q.quant_min) +
                               " is larger than quant_max " + std::to_string(q.quant_max)};
  if (q.quant_min < range.min || q.quant_max > range.max)
    return {"quant_range", "the integers " + bounds + " are not all in " +
                               std::string{name_of(type)} + ", " + text(range.min, range.max)};
  if (q.zero_point < q.quant_min || q.zero_point > q.quant_max)
    return {"zero_point",
            "the zero point " + std::to_string(q.zero_point) + " is not in " + bounds};
  return {};
}

/// The error in these qparams for integers of a type, or an empty string.
template <int = 0>
[[nodiscard, gnu::cold]] std::string problem_with(const qparams& q, dtype type) {
  return first_problem_with(q, type).cause;
}

/// The place of an error in the qparams of an observer: "qparams #2".
struct place_by_number {
  [[nodiscard, gnu::cold]] std::string operator()(int observer, std::string_view) const {
    return "qparams #" + std::to_string(observer);
  }
};

/// Checks that every observer of these steps has valid qparams.
///   place  of an error, by the number of the observer and the part of its qparams
template <class Place = place_by_number>
[[nodiscard, gnu::cold]] status check_qparams(span<const step> steps, span<const qparams> given,
                                              const Place& place = {}) {
  const auto each = [&](const auto& check) -> status {
    for (const step& s : steps) {
      const std::pair<int, dtype> values[] = {{s.in_observer[0], s.signature.in},
                                              {s.in_observer[1], s.signature.in},
                                              {s.out_observer, s.signature.out},
                                              {s.fused_observer, s.signature.out}};
      for (const auto& [observer, type] : values)
        if (const status ok = check(observer, type); !ok) return ok;
      if (s.signature.kernel != kernel::lstm_static) continue;
      const int in_cells = lstm_cell_values * s.signature.as<recurrent_shape>().cells();
      for (int k = 1; k < in_cells; ++k)
        if (const status ok = check(s.out_observer + k, s.signature.out); !ok) return ok;
    }
    return done{};
  };
  int observers = 0;
  static_cast<void>(each([&](int observer, dtype) -> status {
    observers = observer + 1 > observers ? observer + 1 : observers;
    return done{};
  }));
  if (given.size() < static_cast<std::size_t>(observers))
    return fail("qparams", std::to_string(given.size()) + " are given, the plan has " +
                               std::to_string(observers) + " observers");
  return each([&](int observer, dtype type) -> status {
    if (observer < 0 || !is_quantized(type)) return done{};
    auto [part, cause] = first_problem_with(given[static_cast<std::size_t>(observer)], type);
    if (cause.empty()) return done{};
    return fail(place(observer, part), std::move(cause));
  });
}

/// Scale and zero point of the inputs that a plan takes as integers (input_quantized_indexes), in
/// their order. No observer sees these inputs, so the caller, who quantizes the data, has to give
/// them:
///
///   auto model = ctq::convert(
///       observed, ctq::input_qparams{{{.scale = 0.02F, .zero_point = 128}}});
///
/// The bounds are those of the inputs' dtype.
struct input_qparams {
  std::vector<qparams> values;
};

/// The qparams of observers, by number, with those of quantized inputs after them.
///   nodes   of the lowered graph
/// Errors  another number of inputs; qparams that their dtype does not have; with the input's name
template <int = 0>
[[nodiscard, gnu::cold]] result<std::vector<qparams>> with_inputs(std::vector<qparams> all,
                                                                  const input_qparams& inputs,
                                                                  span<const node> nodes) {
  std::size_t number = 0;
  for (const node& n : nodes) {
    if (n.op == nullptr || n.op->kind != op_kind::placeholder || !is_quantized(n.dtype)) continue;
    const std::string place = "input " + std::string{n.name};
    if (number == inputs.values.size())
      return fail(place, "is quantized: give convert its scale and zero point as input_qparams");
    const qparams q = with_whole_range(inputs.values[number++], n.dtype);
    if (std::string cause = problem_with(q, n.dtype); !cause.empty())
      return fail(place, std::move(cause));
    all.push_back(q);
  }
  if (number == inputs.values.size()) return all;
  return fail("input_qparams", std::to_string(inputs.values.size()) +
                                   " are given, quantized inputs are " + std::to_string(number));
}

template <class Plan>
[[nodiscard, gnu::cold]] result<std::vector<qparams>> with_inputs(std::vector<qparams> all,
                                                                  const input_qparams& inputs) {
  return with_inputs(std::move(all), inputs, span<const node>(Plan::lowered.nodes));
}

}  // namespace ctq
