// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "ctq/runtime/aligned_buffer.hpp"

// What kernels with run-time shapes reuse in later calls: packed weights and scratch memory.

namespace ctq {

/// A cache of values derived from weights, by address. Entries of destroyed weights are dropped.
///   Key  what else the value depends on; another key replaces the entry
template <class Key, class Packed>
class packed_weights {
 public:
  using shared = std::shared_ptr<const Packed>;

  /// The value for a weight; make() computes it if it is not in the cache.
  template <class Make>
  [[nodiscard]] shared of(const std::shared_ptr<const void>& weight, const Key& key, Make make) {
    const auto found = entries_.find(weight.get());
    if (found != entries_.end() && !found->second.weight.expired() && found->second.key == key)
      return found->second.packed;
    // The weak pointer shows whether the address belongs to another, destroyed weight.
    std::erase_if(entries_, [](const auto& e) { return e.second.weight.expired(); });
    entry& e = entries_[weight.get()];
    e = {weight, key, std::make_shared<const Packed>(make())};
    return e.packed;
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct entry {
    std::weak_ptr<const void> weight{};
    Key key{};
    shared packed{};
  };

  std::map<const void*, entry> entries_;
};

/// Memory that grows as needed, aligned to 64 bytes. Growing discards the contents.
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
