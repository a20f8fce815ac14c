// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>

#include "ctq/core/containers/list.hpp"

// Workspace of a pass, per node: arrays in constants, where the number of nodes is known, lists at
// run time. (In constant expressions of g++ 12 an access to an array costs no memory, one through a
// pointer 300 bytes and one through an operator[] 600, which are not freed.)

namespace ctq {

namespace scratch_arrays {

template <class T, std::size_t N>
struct of {
  using type = T[N];
};
template <class T>
struct of<T, 0> {
  using type = list<T>;
};

}  // namespace scratch_arrays

/// An array of N, or a list if N is 0, which resize allocates.
template <class T, std::size_t N>
using scratch_array = typename scratch_arrays::of<T, N>::type;

/// Gives a list `count` items, each a T{}; an array is large enough already.
template <class T>
constexpr void resize(list<T>& items, std::integral auto count) {
  items = list<T>(count);
}
template <class T, std::size_t N>
constexpr void resize(T (&)[N], std::integral auto) {}

/// The same for several.
template <class... Items>
constexpr void resize_all(std::integral auto count, Items&... items) {
  (resize(items, count), ...);
}

}  // namespace ctq
