// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

// Memory that ends where nothing may be read or written: a kernel that goes past its operand stops
// the test, also in assembly and gathers, which no sanitizer sees.

namespace samples {

/// n bytes, full of rubbish, up to a page that cannot be touched.
class fenced_bytes {
 public:
  static constexpr unsigned char rubbish = 0xA5;

  explicit fenced_bytes(std::size_t n) {
#if defined(__linux__)
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t used = (n + page - 1) / page * page;
    size_ = used + page;
    void* const all =
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) std::abort();
    memory_ = static_cast<unsigned char*>(all);
    if (mprotect(memory_ + used, page, PROT_NONE) != 0) std::abort();
    data_ = memory_ + used - n;
#else
    memory_ = data_ = new unsigned char[n];
#endif
    std::fill_n(data_, n, rubbish);
  }
  ~fenced_bytes() {
#if defined(__linux__)
    munmap(memory_, size_);
#else
    delete[] memory_;
#endif
  }
  fenced_bytes(const fenced_bytes&) = delete;
  fenced_bytes& operator=(const fenced_bytes&) = delete;

  [[nodiscard]] unsigned char* data() const { return data_; }

 private:
  unsigned char* memory_;
  unsigned char* data_;
#if defined(__linux__)
  std::size_t size_;
#endif
};

/// An input: a copy of values.
template <class T>
class fenced {
 public:
  explicit fenced(const std::vector<T>& values) : bytes_(values.size() * sizeof(T)) {
    std::copy(values.begin(), values.end(), reinterpret_cast<T*>(bytes_.data()));
  }
  [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(bytes_.data()); }

 private:
  fenced_bytes bytes_;
};

}  // namespace samples
