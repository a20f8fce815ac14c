// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/dtype.hpp"
#include "ctq/spec/observer.hpp"

// The observers that collect nothing: what they are asked for is a dtype. Merging changes nothing.

namespace ctq::observers {

/// PlaceholderObserver: its values are converted, or quantized as they come. What quantizes needs
/// no calibration then, since each tensor brings its own range.
class placeholder {
 public:
  explicit placeholder(const observer_args& args) : args_(args) {}

  [[nodiscard]] const observer_args& args() const { return args_; }
  /// Each tensor is quantized with parameters of its own, for the op that reads it.
  [[nodiscard]] bool is_dynamic() const { return args_.is_dynamic; }
  /// What the values are kept in: float as long as only the op's input is quantized.
  [[nodiscard]] ctq::dtype dtype() const { return is_dynamic() ? f32 : args_.dtype; }
  /// What the op computes in, PyTorch 1.13's compute_dtype; none if the values are not dynamic.
  [[nodiscard]] ctq::dtype compute_dtype() const {
    return is_dynamic() ? args_.dtype : ctq::dtype::none;
  }

  void merge(const placeholder&) {}
  friend bool operator==(const placeholder&, const placeholder&) = default;

 private:
  observer_args args_;
};

/// NoopObserver: its values stay as they are; dtype says what they will be converted to.
struct noop {
  ctq::dtype dtype = f16;
  void merge(const noop&) {}
  friend bool operator==(const noop&, const noop&) = default;
};

/// ReuseInputObserver: the output has the parameters of the input.
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
