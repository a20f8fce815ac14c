// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocation_counter.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

// All forms are replaced, although the standard's array and nothrow forms call the plain ones:
// those of sanitizers do not.

namespace {

constinit std::atomic<std::size_t> count{0};

void* allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  // aligned_alloc requires a size that is a multiple of the alignment; new allows 0.
  const std::size_t rounded = (std::max(size, std::size_t{1}) + alignment - 1) & ~(alignment - 1);
  return rounded < size ? nullptr : std::aligned_alloc(alignment, rounded);
}

void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
  return allocate(size, std::max(static_cast<std::size_t>(alignment), sizeof(void*)));
}

/// Aborts if out of memory, to work without exceptions.
void* or_abort(void* memory) noexcept {
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

std::size_t demo::allocations() noexcept { return count.load(std::memory_order_relaxed); }

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

void* operator new(size_t n) { return or_abort(allocate(n)); }
void* operator new[](size_t n) { return or_abort(allocate(n)); }
void* operator new(size_t n, align_val_t a) { return or_abort(allocate(n, a)); }
void* operator new[](size_t n, align_val_t a) { return or_abort(allocate(n, a)); }
void* operator new(size_t n, const nothrow_t&) noexcept { return allocate(n); }
void* operator new[](size_t n, const nothrow_t&) noexcept { return allocate(n); }
void* operator new(size_t n, align_val_t a, const nothrow_t&) noexcept { return allocate(n, a); }
void* operator new[](size_t n, align_val_t a, const nothrow_t&) noexcept { return allocate(n, a); }

void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, align_val_t, const nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, align_val_t, const nothrow_t&) noexcept { std::free(p); }
