// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/dtype.hpp"
#include "ctq/spec/observer.hpp"

// Observers without statistics, which only provide a dtype. Merging changes nothing.

namespace ctq::observers {

/// PlaceholderObserver: values are converted to a float dtype, or quantized dynamically, with the
/// range of each tensor, which needs no calibration.
class placeholder {
 public:
  explicit placeholder(const observer_args& args) : args_(args) {}

  [[nodiscard]] const observer_args& args() const { return args_; }
  /// Each tensor is quantized with its own parameters, for the op that reads it.
  [[nodiscard]] bool is_dynamic() const { return args_.is_dynamic; }
  /// The dtype of the stored values: float if only the op's input is quantized.
  [[nodiscard]] ctq::dtype dtype() const { return is_dynamic() ? f32 : args_.dtype; }
  /// The dtype in which the op computes, compute_dtype in PyTorch 1.13; none if not dynamic.
  [[nodiscard]] ctq::dtype compute_dtype() const {
    return is_dynamic() ? args_.dtype : ctq::dtype::none;
  }

  void merge(const placeholder&) {}
  friend bool operator==(const placeholder&, const placeholder&) = default;

 private:
  observer_args args_;
};

/// NoopObserver: observes nothing; dtype is the one to convert to.
struct noop {
  ctq::dtype dtype = f16;
  void merge(const noop&) {}
  friend bool operator==(const noop&, const noop&) = default;
};

/// ReuseInputObserver: the output has the qparams of the input.
struct reuse_input {
  void merge(const reuse_input&) {}
  friend bool operator==(const reuse_input&, const reuse_input&) = default;
};

/// No observer at all.
struct nothing {
  void merge(const nothing&) {}
  friend bool operator==(const nothing&, const nothing&) = default;
};

}  // namespace ctq::observers
