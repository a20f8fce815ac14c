// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ctq/core/qparams.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "op_entries.hpp"
#include "operand.hpp"
#include "subject.hpp"

// The operands of an op, the same for all libraries.

namespace bench {

class op {
 public:
  const op_entry& entry;
  std::size_t index;                // of the entry in ops
  std::vector<std::int8_t> weight;  // of layers, in the order of their kernel
  std::vector<float> scale;         // of each channel of the weight, or its multiplier
  std::vector<float> bias;          // of layers in float and of layer_norm
  std::vector<std::int32_t> integer_bias, folded;  // of transposed convolutions
  operand<std::uint8_t> table;                     // of embeddings, without scales and zero points

  static constexpr ctq::qparams a{0.05F, 117, 0, 255};
  static constexpr ctq::qparams b{0.03F, 100, 0, 255};

  explicit op(std::size_t which);

  [[nodiscard]] const ctq::kernel_signature& signature() const { return entry.steps[0].signature; }
  [[nodiscard]] ctq::qparams out() const;
  [[nodiscard]] const std::byte* input(int which) const;
  /// Both inputs, or the table.
  [[nodiscard]] std::span<const std::byte> read() const;
  [[nodiscard]] std::size_t written() const;
  /// The products of integers of layers and matmuls; 0 of other ops.
  [[nodiscard]] double products() const;
  /// The output buffer of ctq and of libraries that can write to it.
  [[nodiscard]] std::byte* result() const { return result_.data(); }
  void spoil() const;
  /// The largest difference from the reference: of integers; of floats in 255ths of the largest
  /// result, rounded up.
  [[nodiscard]] int distance(const void* answer) const;

 private:
  [[nodiscard]] std::size_t input_bytes(int which) const;
  void fill_input(int which);
  void make_weights();

  ctq::aligned_buffer in_;
  mutable ctq::aligned_buffer result_;
  std::vector<std::byte> expected_;
};

/// Runs the scalar reference once.
void run_reference(const op& of, std::byte* out);

// The subject of each library; empty if it does not have the kernel.
[[nodiscard]] subject ctq_op(const op& of);
[[nodiscard]] std::optional<subject> onednn(const op& of);
[[nodiscard]] std::optional<subject> onnxruntime(const op& of);

}  // namespace bench
