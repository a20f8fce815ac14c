// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/no_contract.hpp"
#include "ctq/ops/activations.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/reductions.hpp"

// Functions of the elements along axes that PyTorch's backends leave in float. They have no other
// kernel than the functions here.

namespace ctq {

struct glu_options {
  int dim = -1;  // is halved
};

/// Divides by the norm along an axis.
struct normalize_options {
  float p = 2.0F;  // of the norm: 1 or 2
  int dim = 1;
  float eps = 1e-12F;  // the smallest divisor
};

struct variance_options {
  ctq::shape dim{};      // axes, negative from the end; none: all of them
  flag unbiased = true;  // divided by one less than the number of elements
  flag keepdim = false;  // a reduced axis stays, with an extent of 1
};

struct norm_options {
  float p = 2.0F;  // 1 or 2
  ctq::shape dim{};
  flag keepdim = false;
};

}  // namespace ctq

// clang-format off
#define CTQ_FLOAT_FUNCTIONS_ALONG_AXES(OP) \
  CTQ_MODULE_AND_FUNCTION(OP, glu, "GLU", glu_options, glu) \
  CTQ_MODULE_AND_FUNCTION(OP, softmin, "Softmin", softmax_options, softmin) \
  OP(fn, function_op, normalize, "torch.nn.functional.normalize", normalize_options, normalize) \
  CTQ_FUNCTION_AND_METHOD(OP, var, variance_options, var) \
  CTQ_FUNCTION_AND_METHOD(OP, std, variance_options, std) \
  CTQ_FUNCTION_AND_METHOD(OP, norm, norm_options, norm)
// clang-format on

CTQ_FLOAT_FUNCTIONS_ALONG_AXES(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

/// Elements in memory that are `stride` apart.
struct strided_elements {
  const float* first;
  std::size_t count, stride;

  constexpr const float& operator[](std::size_t i) const { return first[i * stride]; }
};

/// An axis, and the products of the extents before and after it.
struct axis_of_tensor {
  std::size_t before = 1, extent = 1, after = 1;

  axis_of_tensor(const shape& s, int axis) noexcept {
    for (int k = 0; k < s.rank; ++k)
      (k < axis ? before : k == axis ? extent : after) *= static_cast<std::size_t>(s[k]);
  }
};

/// Calls f(elements of x along an axis, place of the first one) for all indices of the other axes.
template <class F>
void along_axis(const tensor_ref<const float>& x, int axis, F f) noexcept {
  const axis_of_tensor a{x.shape, axis};
  if (a.extent == 0) return;  // there is no memory to point to
  for (std::size_t o = 0; o < a.before; ++o)
    for (std::size_t i = 0; i < a.after; ++i)
      f(strided_elements{x.data + o * a.extent * a.after + i, a.extent, a.after}, o, i);
}

template <class Isa>
[[gnu::noinline]] void glu(const op_arguments<float>& x, const attributes& a) noexcept {
  along_axis(x.in[0], a.as<glu_options>().dim, [&](strided_elements e, std::size_t o, auto i) {
    const std::size_t half = e.count / 2;
    for (std::size_t k = 0; k < half; ++k)
      x.out[(o * half + k) * e.stride + i] = e[k] * functions::sigmoid(e[half + k]);
  });
}

/// The softmax of the negated elements.
template <class Isa>
[[gnu::noinline]] void softmin(const op_arguments<float>& x, const attributes& a) noexcept {
  along_axis(x.in[0], a.as<softmax_options>().dim, [&](strided_elements e, auto, auto) {
    float* const out = x.out.data + (e.first - x.in[0].data);
    float least = e[0], sum = 0.0F;
    for (std::size_t k = 1; k < e.count; ++k) least = e[k] < least ? e[k] : least;
    for (std::size_t k = 0; k < e.count; ++k)
      sum += out[k * e.stride] = __builtin_expf(least - e[k]);
    for (std::size_t k = 0; k < e.count; ++k) out[k * e.stride] /= sum;
  });
}

template <class Isa>
[[gnu::noinline]] void normalize(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<normalize_options>();
  along_axis(x.in[0], o.dim, [&](strided_elements e, std::size_t, std::size_t) {
    float sum = 0.0F;
    for (std::size_t k = 0; k < e.count; ++k)
      sum += o.p == 1.0F ? __builtin_fabsf(e[k]) : no_contract(e[k] * e[k]);
    const float norm = o.p == 1.0F ? sum : __builtin_sqrtf(sum);
    const float divisor = norm < o.eps ? o.eps : norm;
    for (std::size_t k = 0; k < e.count; ++k)
      x.out[static_cast<std::size_t>(&e[k] - x.in[0].data)] = e[k] / divisor;
  });
}

/// The elements that a reduction along axes reduces to one.
class joined_elements {
 public:
  joined_elements(const tensor_ref<const float>& x, const shape& axes) : x_{x} {
    std::size_t stride = 1;
    bool joined[max_rank]{};
    for (int i = 0; i < axes.rank; ++i) joined[axes[i]] = true;
    for (int axis = x.shape.rank; axis-- > 0;) {
      walk& w = joined[axis] ? inner_ : outer_;
      w.add(static_cast<std::size_t>(x.shape[axis]), stride);
      stride *= static_cast<std::size_t>(x.shape[axis]);
    }
  }

  [[nodiscard]] std::size_t count() const { return inner_.count; }
  /// Element k of those that output i is computed from.
  [[nodiscard]] float operator()(std::size_t i, std::size_t k) const {
    return x_.data[outer_.place(i) + inner_.place(k)];
  }

 private:
  /// Some of the axes, the last one first.
  struct walk {
    std::size_t extent[max_rank]{}, stride[max_rank]{}, axes = 0, count = 1;

    void add(std::size_t n, std::size_t s) {
      extent[axes] = n;
      stride[axes++] = s;
      count *= n;
    }
    [[nodiscard]] std::size_t place(std::size_t i) const {
      std::size_t at = 0;
      for (std::size_t a = 0; a < axes; i /= extent[a++]) at += i % extent[a] * stride[a];
      return at;
    }
  };

  tensor_ref<const float> x_;
  walk outer_{}, inner_{};
};

template <bool Root, class Isa>
[[gnu::noinline]] void variance(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<variance_options>();
  const joined_elements joined{x.in[0], o.dim};
  const auto count = static_cast<float>(joined.count());
  for (std::size_t i = 0; i < x.out.size(); ++i) {
    float sum = 0.0F;
    for (std::size_t k = 0; k < joined.count(); ++k) sum += joined(i, k);
    const float mean = sum / count;
    float squares = 0.0F;
    for (std::size_t k = 0; k < joined.count(); ++k) {
      const float off = joined(i, k) - mean;
      squares += no_contract(off * off);
    }
    const float variance = squares / (count - (o.unbiased ? 1.0F : 0.0F));
    x.out[i] = Root ? __builtin_sqrtf(variance) : variance;
  }
}

template <class Isa>
[[gnu::noinline]] void norm(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<norm_options>();
  const joined_elements joined{x.in[0], o.dim};
  for (std::size_t i = 0; i < x.out.size(); ++i) {
    float sum = 0.0F;
    for (std::size_t k = 0; k < joined.count(); ++k) {
      const float e = joined(i, k);
      sum += o.p == 1.0F ? __builtin_fabsf(e) : no_contract(e * e);
    }
    x.out[i] = o.p == 1.0F ? sum : __builtin_sqrtf(sum);
  }
}

}  // namespace functions

/// A function of whole tensors, in the order of their axes.
constexpr op_descriptor of_tensor(op_descriptor::shape_rule rule,
                                  op_functions::function<float> apply) {
  return {.infer_shape = rule,
          .functions = {.tensors = 1, .apply = apply},
          .schedule = {.how = schedule_as::function}};
}

/// A function of two tensors.
constexpr op_descriptor of_two_tensors(op_descriptor::shape_rule rule,
                                       op_functions::function<float> apply) {
  return {.infer_shape = rule,
          .functions = {.tensors = 2, .apply = apply},
          .schedule = {.how = schedule_as::function}};
}

constexpr shape glu_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<glu_options>();
  if (!shape_rules::settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  if (in[0][o.dim] % 2 != 0) return shape_rules::wrong_input(d, in[0], "dim has no two halves");
  a = attributes{o};
  shape out = in[0];
  out[o.dim] /= 2;
  return out;
}
inline constexpr op_descriptor glu = of_tensor(&glu_shape_rule, &functions::glu<isa::native>);

inline constexpr op_descriptor softmin =
    of_tensor(&softmax_shape_rule, &functions::softmin<isa::native>);

constexpr bool is_known_norm(float p, diagnostic& d) {
  if (p == 1.0F || p == 2.0F) return true;
  shape_rules::complain(d, "p is neither 1 nor 2");
  return false;
}
constexpr shape normalize_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  auto o = a.as<normalize_options>();
  if (!shape_rules::needs(d, in, 1, 0) || !is_known_norm(o.p, d) ||
      !shape_rules::settle_axis(d, "dim", o.dim, in[0].rank))
    return {};
  a = attributes{o};
  return in[0];
}
inline constexpr op_descriptor normalize =
    of_tensor(&normalize_shape_rule, &functions::normalize<isa::native>);

/// The shape rule of other reductions.
template <class Options>
constexpr shape reduced_shape(ctq::view<shape> in, attributes& a, diagnostic& d) {
  auto o = a.as<Options>();
  attributes reduction{reduction_options{o.dim, o.keepdim}};
  const shape out = reduction_shape_rule(in, reduction, d);
  o.dim = reduction.as<reduction_options>().dim;
  if constexpr (requires { o.p; }) {
    if (!d.any() && !is_known_norm(o.p, d)) return {};
  }
  a = attributes{o};
  return out;
}
inline constexpr op_descriptor var =
    of_tensor(&reduced_shape<variance_options>, &functions::variance<false, isa::native>);
inline constexpr op_descriptor std =
    of_tensor(&reduced_shape<variance_options>, &functions::variance<true, isa::native>);
inline constexpr op_descriptor norm =
    of_tensor(&reduced_shape<norm_options>, &functions::norm<isa::native>);

}  // namespace ctq::descriptors

CTQ_FLOAT_FUNCTIONS_ALONG_AXES(CTQ_DESCRIBE_OP)

namespace ctq {

/// The name of a flag in the place of the axes: torch.var(x, False). Empty if an op has no such
/// flag.
[[nodiscard]] constexpr std::string_view name_of_flag_for_axes(op_id op) {
  for (const op_id known : {fn::var.id(), method::var.id(), fn::std.id(), method::std.id()})
    if (op == known) return "unbiased";
  return {};
}

}  // namespace ctq
