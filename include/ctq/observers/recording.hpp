// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <vector>

#include "ctq/core/shape.hpp"
#include "ctq/spec/observer.hpp"

// RecordingObserver: keeps a copy of every tensor, for debugging.

namespace ctq::observers {

/// A copy of a tensor.
struct recorded {
  std::vector<float> data;
  ctq::shape shape;

  friend bool operator==(const recorded&, const recorded&) = default;
};

/// Memory grows with the data, without a limit.
class recording {
 public:
  explicit recording(const observer_args& args) : args_(args) {}

  void observe(std::span<const float> data, const shape& shape) {
    tensors_.push_back({{data.begin(), data.end()}, shape});
  }
  /// Appends the tensors of `other`.
  void merge(const recording& other) {
    const std::vector<recorded> more = other.tensors_;  // other may be this one
    tensors_.insert(tensors_.end(), more.begin(), more.end());
  }
  void clear() { tensors_.clear(); }

  [[nodiscard]] bool observed() const { return !tensors_.empty(); }
  /// In the order in which they were observed.
  [[nodiscard]] std::span<const recorded> tensors() const { return tensors_; }
  [[nodiscard]] const observer_args& args() const { return args_; }

  friend bool operator==(const recording&, const recording&) = default;

 private:
  observer_args args_;
  std::vector<recorded> tensors_;
};

}  // namespace ctq::observers
