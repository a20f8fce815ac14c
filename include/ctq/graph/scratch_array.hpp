// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>

#include "ctq/core/list.hpp"

// What a pass remembers of each node. In a constant the number of nodes is known, and an array is
// indexed for nothing; at run time it is not. (For g++ 12 an element of an array costs no memory,
// one behind a pointer 300 bytes and one behind an operator[] 600, none of which it gives back.)

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

/// Makes a list one of `count` items, each a T{}; an array is large enough already.
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
