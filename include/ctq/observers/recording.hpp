// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/containers/span.hpp"
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

  void observe(span<const float> data, const shape& shape) {
    recorded& tensor = tensors_.emplace_back();
    tensor.data.assign(data.begin(), data.end());
    tensor.shape = shape;
  }
  /// Appends the tensors of `other`.
  void merge(const recording& other) {
    const list<recorded> more = other.tensors_;  // other may be this one
    for (const recorded& tensor : more) tensors_.push_back(tensor);
  }
  void clear() { tensors_.clear(); }

  [[nodiscard]] bool observed() const { return !tensors_.empty(); }
  /// In the order in which they were observed.
  [[nodiscard]] span<const recorded> tensors() const { return tensors_; }
  [[nodiscard]] const observer_args& args() const { return args_; }

  friend bool operator==(const recording&, const recording&) = default;

 private:
  observer_args args_;
  list<recorded> tensors_;
};

}  // namespace ctq::observers
