// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

// Memory that ends at a guard page: a kernel that accesses memory past its operand stops the test,
// including assembly and gathers, which sanitizers do not check.

namespace samples {

#if defined(__linux__)
/// Pages in front of a guard page. They are reused for the next operand, since system calls would
/// take most of a test's time; so they stay readable after an operand is destroyed, and contain the
/// data of earlier operands.
class fenced_pages {
 public:
  /// At least n bytes; `end` is the start of the guard page.
  explicit fenced_pages(std::size_t n) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    used_ = (n + page - 1) / page * page;
    std::vector<unsigned char*>& kept = kept_pages()[used_];
    if (kept.empty()) {
      void* const all =
          mmap(nullptr, used_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (all == MAP_FAILED) std::abort();
      first_ = static_cast<unsigned char*>(all);
      if (mprotect(end(), page, PROT_NONE) != 0) std::abort();
    } else {
      first_ = kept.back();
      kept.pop_back();
    }
  }
  ~fenced_pages() { kept_pages()[used_].push_back(first_); }
  fenced_pages(const fenced_pages&) = delete;
  fenced_pages& operator=(const fenced_pages&) = delete;

  [[nodiscard]] unsigned char* end() const { return first_ + used_; }

 private:
  static std::map<std::size_t, std::vector<unsigned char*>>& kept_pages() {
    static std::map<std::size_t, std::vector<unsigned char*>> pages;
    return pages;
  }

  unsigned char* first_;
  std::size_t used_;
};
#else
/// The bytes alone.
class fenced_pages {
 public:
  explicit fenced_pages(std::size_t n) : bytes_(n) {}
  [[nodiscard]] unsigned char* end() { return bytes_.data() + bytes_.size(); }

 private:
  std::vector<unsigned char> bytes_;
};
#endif

/// n bytes with arbitrary contents, up to a guard page.
class fenced_bytes {
 public:
  static constexpr unsigned char rubbish = 0xA5;

  explicit fenced_bytes(std::size_t n) : pages_(n), data_(pages_.end() - n) {
    std::fill_n(data_, n, rubbish);
  }
  fenced_bytes(const fenced_bytes&) = delete;
  fenced_bytes& operator=(const fenced_bytes&) = delete;

  [[nodiscard]] unsigned char* data() const { return data_; }

 private:
  fenced_pages pages_;
  unsigned char* data_;
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
