// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/kernels/data_movement.hpp"
#include "ctq/core/kernels/elementwise.hpp"
#include "ctq/core/kernels/kernel_list.hpp"
#include "ctq/core/kernels/layers.hpp"
#include "ctq/core/kernels/pooling.hpp"
#include "ctq/core/text.hpp"

// The descriptors of all kernels, and what they say of a kernel that is a value: plain constants,
// so that passes can ask without seeing a kernel's code.

namespace ctq::kernels {

/// A descriptor as a record.
struct kernel_facts {
  std::string_view name;
  bool (*exists)(dtype in, dtype out);
  bool has_weights, calls_op, computes_ops;
};

template <class List>
struct facts_table;
template <template <class...> class List, class... Descriptor>
struct facts_table<List<Descriptor...>> {
  // With its bound, which clang 19 does not take from a pack.
  static constexpr kernel_facts rows[sizeof...(Descriptor)] = {
      {Descriptor::name, Descriptor::exists, Descriptor::has_weights, Descriptor::calls_op,
       Descriptor::computes_ops}...};
};

[[nodiscard]] constexpr const kernel_facts& facts_of(kernel_id k) {
  return facts_table<descriptors::list>::rows[static_cast<std::size_t>(k)];
}

[[nodiscard]] constexpr bool exists(kernel_id k, dtype in, dtype out) {
  return facts_of(k).exists(in, out);
}
[[nodiscard]] constexpr bool exists(const kernel_signature& s) { return exists(s.op, s.in, s.out); }

}  // namespace ctq::kernels

namespace ctq {

[[nodiscard]] constexpr std::string_view name_of(kernel_id k) { return kernels::facts_of(k).name; }

}  // namespace ctq

namespace ctq::kernels {

/// Appends the part of a key that decides whether there is a kernel: "conv2d, quint8 to qint8".
template <class Text>
constexpr void append_key(Text& out, kernel_id k, dtype in, dtype out_type) {
  append_all(out, name_of(k), ", ", name_of(in), " to ", name_of(out_type));
}

/// Appends the element types that a kernel exists for: "float32 to quint8, float32 to qint8".
template <class Text>
constexpr void append_types(Text& out, kernel_id k) {
  std::string_view comma;
  for (const dtype in : {f32, quint8, qint8})
    for (const dtype to : {f32, quint8, qint8}) {
      if (!exists(k, in, to)) continue;
      append_all(out, comma, name_of(in), " to ", name_of(to));
      comma = ", ";
    }
}

/// Appends the kernels that compute ops on integers: "requantize, relu, …".
template <class Text>
constexpr void append_integer_kernels(Text& out) {
  std::string_view comma;
  for (const kernel_facts& k : facts_table<descriptors::list>::rows) {
    if (!k.computes_ops || !k.exists(quint8, quint8)) continue;
    append_all(out, comma, k.name);
    comma = ", ";
  }
}

}  // namespace ctq::kernels
