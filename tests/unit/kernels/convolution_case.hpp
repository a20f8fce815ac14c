// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "ctq/kernels/kernel_code.hpp"
#include "kernels/layer_case.hpp"

// Compares the kernel of a convolution, as steps call it, with its reference: random operands of
// all element types.

namespace samples {

/// The elements of a convolution's image and of its output, and the products of one output.
template <class Shape>
[[nodiscard]] std::size_t in_elements(const Shape& s) {
  int n = s.batch * s.in_h * s.in_w * s.in_channels;
  if constexpr (requires { s.in_d; }) n *= s.in_d;
  return static_cast<std::size_t>(n);
}
template <class Shape>
[[nodiscard]] std::size_t out_elements(const Shape& s) {
  int n = s.batch * s.out_h() * s.out_w() * s.out_channels;
  if constexpr (requires { s.in_d; }) n *= s.out_d();
  return static_cast<std::size_t>(n);
}
template <class Shape>
[[nodiscard]] int terms(const Shape& s) {
  int n = s.kernel_h * s.kernel_w * (s.in_channels / s.groups);
  if constexpr (requires { s.in_d; }) n *= s.kernel_d;
  return n;
}

/// The kernel with these operands gives what the reference gives, and writes nothing else.
///   pack  packs weights: pack(set, packed)
template <class Descriptor, class In, class Out, class Shape, class Pack>
bool equals_reference(const Shape& shape, const std::vector<In>& image, const ctq::step_data& data,
                      bool relu, Pack pack) {
  using namespace ctq;
  using code = kernels::kernel_code<Descriptor>;
  constexpr kernel_id id{boost::mp11::mp_find<kernels::descriptors::list, Descriptor>::value};
  const typename Descriptor::shape s = shape;
  const fenced in(image);
  const auto run = [&]<class Set>(std::type_identity<Set> set, const auto& extents, Out* out) {
    const kernel_signature signature = signature_of(id, dtype_of<In>, dtype_of<Out>, s, relu);
    const aligned_bytes packed(code::template packed_bytes<Set>(signature));
    const aligned_bytes workspace(code::template workspace_bytes<Set>(signature));
    pack(set, packed.data());
    code::template run<Set, In, Out>(extents, {.relu = relu},
                                     {.in = {in.data()},
                                      .out = out,
                                      .packed = packed.data(),
                                      .workspace = workspace.data(),
                                      .data = &data});
  };
  std::vector<Out> expected(out_elements(s));
  run(std::type_identity<reference_kernels>{}, s, expected.data());
  guarded<Out> out(expected.size());
  run(std::type_identity<simd_kernels<isa::native>>{}, shape, out.data());
  if constexpr (std::is_same_v<Out, float>) {
    return out.margin_intact() && same(expected, out.data());
  } else {
    return out.holds(expected);
  }
}

/// Packs the weights of a layer by its kernel. A transposed one folds the zero point itself.
template <class Descriptor, class In, class Set, class Weight, class Bias>
void pack_convolution(std::type_identity<Set>, const typename Descriptor::shape& s,
                      const std::vector<Weight>& weight, const std::vector<Bias>& bias,
                      const float* multiplier, std::int32_t in_zero_point, std::byte* packed) {
  using code = ctq::kernels::kernel_code<Descriptor>;
  if constexpr (requires { s.output_padding_h; }) {
    code::template pack<Set, In>(s, weight.data(), bias.data(), multiplier, in_zero_point, packed);
  } else {
    code::template pack<Set, In>(s, weight.data(), bias.data(), multiplier, packed);
  }
}

template <class Descriptor, class In, class Out, class Shape>
bool convolves_integers(const Shape& shape, values kind, unsigned seed) {
  const typename Descriptor::shape s = shape;
  generator random(seed);
  const auto in = integers<In>(in_elements(s), kind, random);
  const auto weight =
      integers<std::int8_t>(static_cast<std::size_t>(s.out_channels * terms(s)), kind, random);
  const epilogue e = random_epilogue<Out>(s.out_channels, terms(s), random);
  ctq::step_data data{.out_range = e.to};
  data.in[0].zero_point = std::numeric_limits<In>::lowest() + static_cast<int>(random() % 256);
  return equals_reference<Descriptor, In, Out>(
      shape, in, data, false, [&](auto set, std::byte* packed) {
        pack_convolution<Descriptor, In>(set, s, weight, e.bias, e.multiplier.data(),
                                         data.in[0].zero_point, packed);
      });
}

template <class Descriptor, class Shape>
bool convolves_floats(const Shape& shape, unsigned seed) {
  const typename Descriptor::shape s = shape;
  generator random(seed);
  // Without fma only sums of integers are equal.
  const bool whole = !ctq::kernels::simd::has_fma<ctq::isa::native>;
  const auto in = reals(in_elements(s), whole, random);
  const auto weight = reals(static_cast<std::size_t>(s.out_channels * terms(s)), whole, random);
  const auto bias = reals(static_cast<std::size_t>(s.out_channels), whole, random);
  return equals_reference<Descriptor, float, float>(
      shape, in, {}, seed % 2 == 0, [&](auto set, std::byte* packed) {
        pack_convolution<Descriptor, float>(set, s, weight, bias, nullptr, 0, packed);
      });
}

/// All element types.
template <class Descriptor>
void check_convolution(const typename Descriptor::shape& s, unsigned seed) {
  CAPTURE(seed);
  CHECK(convolves_integers<Descriptor, std::uint8_t, std::uint8_t>(s, values::random, seed));
  CHECK(convolves_integers<Descriptor, std::int8_t, std::int8_t>(s, values::extreme, seed));
  CHECK(convolves_integers<Descriptor, std::int8_t, std::uint8_t>(s, values::random, seed));
  CHECK(convolves_floats<Descriptor>(s, seed));
}

}  // namespace samples
