// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "ctq/core/unroll.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/broadcasting.hpp"
#include "ctq/ops/shape_checks.hpp"

// torch.einsum of two tensors, in float. Axes have numbers rather than letters: those of the first
// tensor are 0, 1, …, and new axes of the second follow. "bij,bjk->bik" is
// {.other_axes = {0, 2, 3}, .out_axes = {0, 1, 3}}.

namespace ctq {

struct einsum_options {
  shape other_axes{};  // the axes of the second tensor
  shape out_axes{};    // those of the output; sums are along the rest
  int axes = 0;        // how many the first tensor has; 0: any
};

}  // namespace ctq

// clang-format off
#define CTQ_EINSUM(OP) \
  OP(fn, binary_op, einsum, "torch.einsum", einsum_options, einsum)
// clang-format on

CTQ_EINSUM(CTQ_DECLARE_OP)

namespace ctq {

/// How many letters a text begins with, up to the next tensor.
[[nodiscard]] constexpr int letters_of_tensor(std::string_view text) {
  int count = 0;
  for (const char c : text) {
    if (c == ',' || c == '-') break;
    count += c != ' ' && c != '.' ? 1 : 0;
  }
  return count;
}

/// Reads "bij,bjk->bik", or "bij,bjk", whose output has the letters that occur once. The axes that
/// ... stands for are counted from the last, and have letters before those of the alphabet. Returns
/// false if there are not two tensors, or one of them has a letter twice.
///   first, second  the ranks of the tensors
[[nodiscard]] constexpr bool read_equation(std::string_view equation, int first, int second,
                                           einsum_options& o) {
  constexpr int most = 2 * static_cast<int>(max_rank);
  constexpr char last_of_dots = static_cast<char>(max_rank);
  char letters[most]{};  // by number
  int uses[most]{};
  int count = 0, dots = 0;
  enum : int { one, two, output } part = one;
  const auto number_of = [&](char letter) {
    int at = 0;
    while (at < count && letters[at] != letter) ++at;
    if (at == count && count < most) letters[count++] = letter;
    return at;
  };
  const auto add = [&](char letter) {
    const int known = count;
    const int number = number_of(letter);
    const bool is_new = count > known;
    if (number == most || (part == one && (!is_new || count > static_cast<int>(max_rank))) ||
        (part == output && is_new))
      return false;
    shape& axes = part == two ? o.other_axes : o.out_axes;
    if (part != one && axes.rank == static_cast<int>(max_rank)) return false;
    if (part != one) axes[axes.rank++] = number;
    if (part != output) ++uses[number];
    return true;
  };
  std::size_t begin = 0;  // of the part
  for (std::size_t i = 0; i < equation.size(); ++i) {
    const char c = equation[i];
    if (c == ' ') continue;
    if (c == ',' && part == one) {
      part = two;
      begin = i + 1;
      o.axes = count;
    } else if (c == '-' && part == two && equation.substr(i, 2) == "->") {
      part = output;
      ++i;
    } else if (equation.substr(i, 3) == "...") {
      const int named = letters_of_tensor(equation.substr(begin));
      const int axes = part == output ? dots : (part == one ? first : second) - named;
      if (axes > dots) dots = axes;
      for (int k = axes; k > 0; --k)
        if (k > last_of_dots || !add(static_cast<char>(k))) return false;
      i += 2;
    } else if (((c < 'a' || c > 'z') && (c < 'A' || c > 'Z')) || !add(c)) {
      return false;
    }
  }
  if (part == one) return false;
  const auto add_to_output = [&](char letter) {
    for (int number = 0; number < count; ++number)
      if (letters[number] == letter && (letter <= last_of_dots || uses[number] == 1) &&
          o.out_axes.rank < static_cast<int>(max_rank))
        o.out_axes[o.out_axes.rank++] = number;
  };
  if (part == two) {  // the axes of ..., then the others in the order of the alphabet
    for (char letter = last_of_dots; letter > 0; --letter) add_to_output(letter);
    for (char letter = 'A'; letter <= 'z'; ++letter) add_to_output(letter);
  }
  return o.axes > 0 && o.other_axes.rank > 0;
}

}  // namespace ctq

namespace ctq::descriptors {

/// The axes of both tensors.
struct einsum_axes {
  static constexpr int max_count = 2 * static_cast<int>(max_rank);

  int count = 0;
  int extent[max_count]{};
  std::size_t stride[2][max_count]{};  // of the tensors; 0: it has no such axis

  /// Adds an axis of a tensor, from its last one to its first; false if its extents differ.
  constexpr bool add(int which, int axis, int its_extent, std::size_t its_stride) {
    if (axis < 0 || axis >= max_count || stride[which][axis] != 0) return false;
    if (axis >= count) count = axis + 1;
    const bool is_new = extent[axis] == 0;
    if (is_new) extent[axis] = its_extent;
    stride[which][axis] = its_stride;
    return extent[axis] == its_extent;
  }
};

/// Finds the axes; false if a tensor has an axis twice, an axis has two extents, or numbers are
/// missing.
constexpr bool find_einsum_axes(const shape& a, const shape& b, const einsum_options& o,
                                einsum_axes& axes) {
  if (o.other_axes.rank != b.rank || (o.axes != 0 && o.axes != a.rank)) return false;
  bool fits = true;
  const auto add = [&](int which, const shape& s, auto number) {
    std::size_t stride = 1;
    for (int axis = s.rank - 1; axis >= 0 && fits; --axis) {
      fits = axes.add(which, number(axis), s[axis], stride);
      stride *= static_cast<std::size_t>(s[axis]);
    }
  };
  add(0, a, [](int axis) { return axis; });
  add(1, b, [&](int axis) { return o.other_axes[axis]; });
  for (int axis = 0; axis < axes.count; ++axis) fits = fits && axes.extent[axis] > 0;
  return fits;
}

constexpr shape einsum_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, 2, 0)) return {};
  const auto o = a.as<einsum_options>();
  einsum_axes axes;
  shape out;
  bool fits = find_einsum_axes(in[0], in[1], o, axes) && o.out_axes.rank > 0;
  bool taken[einsum_axes::max_count]{};
  for (int axis = 0; axis < o.out_axes.rank && fits; ++axis) {
    const int from = o.out_axes[axis];
    fits = from >= 0 && from < axes.count && !taken[from];
    if (!fits) break;
    taken[from] = true;
    out[out.rank++] = axes.extent[from];
  }
  if (fits) return out;
  complain(d, "axes do not fit the tensors, or come twice");
  for (const shape& s : in) show_input(d, s);
  return {};
}

namespace functions {

/// An axis of both tensors; a stride of 0: the tensor has no such axis.
struct einsum_axis {
  int extent = 1;
  std::size_t stride[2]{};
};

/// Elements of a row of the output that are summed together.
inline constexpr int einsum_columns = 8;

/// out[j] is the sum over all elements of `others` and of `depth`, for j < columns. Sums are in
/// double, in which products are exact: with a fused multiply-add they are the same.
///   Columns, A, B  their number and strides, which the compiler may know
template <class Isa, class Columns, class A, class B>
void sum_products(const float* a, const float* b, joint_index<2, einsum_axes::max_count>& others,
                  std::size_t count, const einsum_axis& depth, Columns columns, A a_stride,
                  B b_stride, float* out) noexcept {
  double sum[einsum_columns]{};
  for (std::size_t t = 0; t < count; ++t, others.advance()) {
    std::size_t x = others.at[0], y = others.at[1];
    for (int d = 0; d < depth.extent; ++d, x += depth.stride[0], y += depth.stride[1]) {
      const auto add = [&](int j) __attribute__((always_inline)) {
        const auto at = static_cast<std::size_t>(j);
        sum[j] +=
            static_cast<double>(a[x + at * a_stride]) * static_cast<double>(b[y + at * b_stride]);
      };
      if constexpr (std::is_same_v<Columns, int>) {
        for (int j = 0; j < columns; ++j) add(j);
      } else {
        unroll<Columns::value>(add);
      }
    }
  }
  for (int j = 0; j < columns; ++j) out[j] = static_cast<float>(sum[j]);
}

template <class Isa>
[[gnu::noinline]] void einsum(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<einsum_options>();
  einsum_axes axes;
  if (!find_einsum_axes(x.in[0].shape, x.in[1].shape, o, axes)) return;
  const auto axis_of = [&](int axis) {
    return einsum_axis{axes.extent[axis], {axes.stride[0][axis], axes.stride[1][axis]}};
  };
  // rows: the axes of the output before the last one. others: all axes that are summed but one.
  joint_index<2, einsum_axes::max_count> rows, others;
  const auto add = [](auto& to, const einsum_axis& axis) {
    to.extent[to.axes] = axis.extent;
    for (int k = 0; k < 2; ++k) to.stride[k][to.axes] = axis.stride[k];
    ++to.axes;
  };
  bool taken[einsum_axes::max_count]{};
  for (int axis = 0; axis < o.out_axes.rank; ++axis) {
    taken[o.out_axes[axis]] = true;
    if (axis + 1 < o.out_axes.rank) add(rows, axis_of(o.out_axes[axis]));
  }
  const einsum_axis row = axis_of(o.out_axes[o.out_axes.rank - 1]);
  einsum_axis depth;
  std::size_t count = 1;
  for (int axis = 0; axis < axes.count; ++axis)
    if (!taken[axis]) {
      if (depth.extent > 1) {
        add(others, depth);
        count *= static_cast<std::size_t>(depth.extent);
      }
      depth = axis_of(axis);
    }
  const std::size_t elements = x.out.size();
  for (std::size_t i = 0; i < elements; i += static_cast<std::size_t>(row.extent), rows.advance())
    for (int column = 0; column < row.extent; column += einsum_columns) {
      const auto at = static_cast<std::size_t>(column);
      const float* const from_a = x.in[0].data + rows.at[0] + at * row.stride[0];
      const float* const from_b = x.in[1].data + rows.at[1] + at * row.stride[1];
      float* const to = x.out.data + i + at;
      const auto sum = [&](auto columns, auto a_stride, auto b_stride) {
        sum_products<Isa>(from_a, from_b, others, count, depth, columns, a_stride, b_stride, to);
      };
      constexpr std::integral_constant<int, einsum_columns> all;
      if (const int rest = row.extent - column; rest < all) {
        sum(rest, row.stride[0], row.stride[1]);
      } else if (row.stride[0] == 0 && row.stride[1] == 1) {
        sum(all, std::integral_constant<std::size_t, 0>{},
            std::integral_constant<std::size_t, 1>{});
      } else {
        sum(all, row.stride[0], row.stride[1]);
      }
    }
}

}  // namespace functions

inline constexpr op_descriptor einsum{
    .infer_shape = &einsum_rule,
    .functions = {.tensors = 2, .apply = &functions::einsum<isa::native>},
    .schedule = {.how = schedule_as::function}};

}  // namespace ctq::descriptors

CTQ_EINSUM(CTQ_DESCRIBE_OP)
