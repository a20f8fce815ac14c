// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "ctq/runtime/aligned_buffer.hpp"

// What kernels with shapes of run time keep from call to call: weights in their own order, and
// scratch memory.

namespace ctq {

/// Something made of a weight, for as long as the weight is there.
///   Key  what else it was made of; another key takes the place of the one before
template <class Key, class Packed>
class packed_weights {
 public:
  /// make() gives what is not there yet.
  template <class Make>
  [[nodiscard]] const Packed& of(const std::shared_ptr<const void>& weight, const Key& key,
                                 Make make) {
    const auto found = entries_.find(weight.get());
    if (found != entries_.end() && !found->second.weight.expired() && found->second.key == key)
      return found->second.packed;
    // A weak pointer keeps the address from being another weight's, or has expired.
    std::erase_if(entries_, [](const auto& e) { return e.second.weight.expired(); });
    entry& e = entries_[weight.get()];
    e = {weight, key, make()};
    return e.packed;
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct entry {
    std::weak_ptr<const void> weight{};
    Key key{};
    Packed packed{};
  };

  std::map<const void*, entry> entries_;
};

/// Memory that grows with what is asked for, aligned to 64 bytes. What was there is lost.
class scratch_memory {
 public:
  template <class T = std::byte>
  [[nodiscard]] T* of(std::size_t count) {
    if (buffer_.size() < count * sizeof(T)) buffer_ = aligned_buffer(count * sizeof(T));
    return reinterpret_cast<T*>(buffer_.data());
  }

 private:
  aligned_buffer buffer_;
};

}  // namespace ctq
