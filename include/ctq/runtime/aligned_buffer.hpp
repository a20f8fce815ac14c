// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "ctq/core/large_pages.hpp"

// Memory that kernels read and write: aligned to a cache line, initialized with zeros.

namespace ctq {

/// Owns such memory.
class aligned_buffer {
 public:
  static constexpr std::align_val_t alignment{64};

  aligned_buffer() = default;
  explicit aligned_buffer(std::size_t bytes)
      : bytes_(static_cast<std::byte*>(::operator new(bytes, alignment))), size_(bytes) {
    prefer_large_pages(bytes_, bytes);
    if (bytes > 0) std::memset(bytes_, 0, bytes);
  }
  aligned_buffer(const aligned_buffer& other) : aligned_buffer(other.size_) {
    if (size_ > 0) std::memcpy(bytes_, other.bytes_, size_);
  }
  aligned_buffer(aligned_buffer&& other) noexcept
      : bytes_(std::exchange(other.bytes_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  aligned_buffer& operator=(aligned_buffer other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~aligned_buffer() { ::operator delete(bytes_, alignment); }

  [[nodiscard]] std::byte* data() { return bytes_; }
  [[nodiscard]] const std::byte* data() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ctq
