// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <new>
#include <vector>

// Memory of the operands of all libraries' kernels, with equal alignment.

namespace bench {

/// Memory aligned to a cache line, as oneDNN's.
template <class T>
struct line_allocator {
  using value_type = T;

  line_allocator() = default;
  template <class U>
  line_allocator(const line_allocator<U>&) noexcept {}

  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete (p, std::align_val_t{64}); }

  friend bool operator==(const line_allocator&, const line_allocator&) = default;
};

/// An operand of any library's kernel.
template <class T>
using operand = std::vector<T, line_allocator<T>>;

}  // namespace bench
