// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/no_contract.hpp"
#include "ctq/ops/activations.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/reductions.hpp"

// Functions that PyTorch's backends leave in float: of one number, of two, and of whole tensors,
// which have no kernel but the function here.

namespace ctq {

struct glu_options {
  int dim = -1;  // is halved
};

/// By the norm along an axis.
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
#define CTQ_FLOAT_FUNCTIONS(OP) \
  OP(fn, function_op, relu_, "torch.nn.functional.relu_", no_options, functional_relu_in_place) \
  CTQ_MODULE_AND_FUNCTION(OP, celu, "CELU", elu_options, celu) \
  CTQ_MODULE_AND_FUNCTION(OP, softsign, "Softsign", no_options, softsign) \
  CTQ_MODULE_AND_FUNCTION(OP, glu, "GLU", glu_options, glu) \
  OP(fn, function_op, normalize, "torch.nn.functional.normalize", normalize_options, normalize) \
  CTQ_FUNCTION_AND_METHOD(OP, clip, clamp_options, clip) \
  CTQ_FUNCTION_AND_METHOD(OP, sin, no_options, sin) \
  CTQ_FUNCTION_AND_METHOD(OP, cos, no_options, cos) \
  CTQ_FUNCTION_AND_METHOD(OP, erf, no_options, erf) \
  CTQ_FUNCTION_AND_METHOD(OP, log1p, no_options, log1p) \
  CTQ_FUNCTION_AND_METHOD(OP, floor, no_options, floor) \
  CTQ_FUNCTION_AND_METHOD(OP, round, no_options, round) \
  CTQ_FUNCTION_AND_METHOD(OP, sign, no_options, sign) \
  CTQ_FUNCTION_AND_METHOD(OP, reciprocal, no_options, reciprocal) \
  OP(fn, binary_op, maximum, "torch.maximum", no_options, maximum) \
  OP(fn, binary_op, minimum, "torch.minimum", no_options, minimum) \
  CTQ_FUNCTION_AND_METHOD(OP, var, variance_options, var) \
  CTQ_FUNCTION_AND_METHOD(OP, std, variance_options, std) \
  CTQ_FUNCTION_AND_METHOD(OP, norm, norm_options, norm)
// clang-format on

CTQ_FLOAT_FUNCTIONS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

inline float celu(float x, const elu_options& o) noexcept {
  return x > 0.0F ? x : o.alpha * __builtin_expm1f(x / o.alpha);
}
constexpr float softsign(float x) noexcept { return x / (1.0F + (x < 0.0F ? -x : x)); }
inline float sin(float x) noexcept { return __builtin_sinf(x); }
inline float cos(float x) noexcept { return __builtin_cosf(x); }
inline float erf(float x) noexcept { return __builtin_erff(x); }
inline float log1p(float x) noexcept { return __builtin_log1pf(x); }
inline float floor(float x) noexcept { return __builtin_floorf(x); }
/// Ties to even.
inline float round(float x) noexcept { return __builtin_rintf(x); }
/// NaN has no sign: 0, as in PyTorch.
constexpr float sign(float x) noexcept { return x > 0.0F ? 1.0F : x < 0.0F ? -1.0F : 0.0F; }
constexpr float reciprocal(float x) noexcept { return 1.0F / x; }
/// NaN if either is.
constexpr float maximum(float x, float y) noexcept { return x > y || x != x ? x : y; }
constexpr float minimum(float x, float y) noexcept { return x < y || x != x ? x : y; }

/// Elements in memory that are `step` apart.
struct strided_elements {
  const float* first;
  std::size_t count, step;

  constexpr const float& operator[](std::size_t i) const { return first[i * step]; }
};

/// Calls f with the elements of x along an axis, for all others, and the place of the first.
template <class F>
void along_axis(const tensor_ref<const float>& x, int axis, F f) noexcept {
  std::size_t before = 1, after = 1;
  for (int a = 0; a < x.shape.rank; ++a)
    (a < axis ? before : after) *= a == axis ? 1U : static_cast<std::size_t>(x.shape[a]);
  const auto count = static_cast<std::size_t>(x.shape[axis]);
  if (count == 0) return;  // there is no memory to point to
  for (std::size_t o = 0; o < before; ++o)
    for (std::size_t i = 0; i < after; ++i)
      f(strided_elements{x.data + o * count * after + i, count, after}, o, i);
}

template <class Isa>
[[gnu::noinline]] void glu(const op_arguments<float>& x, const attributes& a) noexcept {
  along_axis(x.in[0], a.as<glu_options>().dim, [&](strided_elements e, std::size_t o, auto i) {
    const std::size_t half = e.count / 2;
    for (std::size_t k = 0; k < half; ++k)
      x.out[(o * half + k) * e.step + i] = e[k] * functions::sigmoid(e[half + k]);
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

/// The elements that a reduction along axes joins to one.
class joined_elements {
 public:
  joined_elements(const tensor_ref<const float>& x, const shape& axes) : x_{x} {
    std::size_t step = 1;
    bool joined[max_rank]{};
    for (int i = 0; i < axes.rank; ++i) joined[axes[i]] = true;
    for (int axis = x.shape.rank; axis-- > 0;) {
      walk& w = joined[axis] ? inner_ : outer_;
      w.add(static_cast<std::size_t>(x.shape[axis]), step);
      step *= static_cast<std::size_t>(x.shape[axis]);
    }
  }

  [[nodiscard]] std::size_t count() const { return inner_.count; }
  /// Element k of those of output i.
  [[nodiscard]] float operator()(std::size_t i, std::size_t k) const {
    return x_.data[outer_.place(i) + inner_.place(k)];
  }

 private:
  /// Some of the axes, the last one first.
  struct walk {
    std::size_t extent[max_rank]{}, step[max_rank]{}, axes = 0, count = 1;

    void add(std::size_t n, std::size_t s) {
      extent[axes] = n;
      step[axes++] = s;
      count *= n;
    }
    [[nodiscard]] std::size_t place(std::size_t i) const {
      std::size_t at = 0;
      for (std::size_t a = 0; a < axes; i /= extent[a++]) at += i % extent[a] * step[a];
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

template <auto Function, class Isa>
[[gnu::noinline]] void apply_to_pairs(const op_arguments<float>& x, const attributes&) noexcept {
  const std::size_t n = x.out.size();
  for (std::size_t i = 0; i < n; ++i) x.out[i] = Function(x.in[0][i], x.in[1][i]);
}

}  // namespace functions

inline constexpr op_descriptor functional_relu_in_place = in_place(torch_relu);
inline constexpr op_descriptor celu = float_activation(elementwise<functions::celu, elu_options>);
inline constexpr op_descriptor softsign = float_activation(elementwise<functions::softsign>);
inline constexpr op_descriptor clip =
    float_activation(elementwise<functions::clamp_to, clamp_options>);
inline constexpr op_descriptor sin = float_activation(elementwise<functions::sin>);
inline constexpr op_descriptor cos = float_activation(elementwise<functions::cos>);
inline constexpr op_descriptor erf = float_activation(elementwise<functions::erf>);
inline constexpr op_descriptor log1p = float_activation(elementwise<functions::log1p>);
inline constexpr op_descriptor floor = float_activation(elementwise<functions::floor>);
inline constexpr op_descriptor round = float_activation(elementwise<functions::round>);
inline constexpr op_descriptor sign = float_activation(elementwise<functions::sign>);
inline constexpr op_descriptor reciprocal = float_activation(elementwise<functions::reciprocal>);

/// A function of whole tensors, in the order of their axes.
constexpr op_descriptor of_tensor(op_descriptor::shape_rule rule,
                                  op_functions::function<float> apply) {
  return {.infer_shape = rule,
          .functions = {.tensors = 1, .apply = apply},
          .schedule = {.how = schedule_as::function}};
}

constexpr shape glu_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
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

constexpr bool is_known_norm(float p, diagnostic& d) {
  if (p == 1.0F || p == 2.0F) return true;
  shape_rules::complain(d, "p is neither 1 nor 2");
  return false;
}
constexpr shape normalize_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  auto o = a.as<normalize_options>();
  if (!shape_rules::needs(d, in, 1, 0) || !is_known_norm(o.p, d) ||
      !shape_rules::settle_axis(d, "dim", o.dim, in[0].rank))
    return {};
  a = attributes{o};
  return in[0];
}
inline constexpr op_descriptor normalize =
    of_tensor(&normalize_shape_rule, &functions::normalize<isa::native>);

/// That of other reductions.
template <class Options>
constexpr shape reduced_shape(view<shape> in, attributes& a, diagnostic& d) {
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

constexpr shape equal_shapes_rule(view<shape> in, attributes&, diagnostic& d) {
  return shape_rules::needs(d, in, 2, 0) ? shape_rules::same_shapes(in, d) : shape{};
}
template <auto Function>
constexpr op_descriptor of_pairs() {
  return {.infer_shape = &equal_shapes_rule,
          .functions = {.tensors = 2,
                        .elementwise = true,
                        .apply = &functions::apply_to_pairs<Function, isa::native>},
          .schedule = {.how = schedule_as::function}};
}
inline constexpr op_descriptor maximum = of_pairs<functions::maximum>();
inline constexpr op_descriptor minimum = of_pairs<functions::minimum>();

}  // namespace ctq::descriptors

CTQ_FLOAT_FUNCTIONS(CTQ_DESCRIBE_OP)
