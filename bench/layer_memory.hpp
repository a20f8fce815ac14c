// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "ctq/core/packing.hpp"
#include "ctq/kernels/operands.hpp"
#include "ctq/passes/schedule/memory.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "layer.hpp"

// The memory that a kernel of ctq runs a layer in.

namespace bench {

/// Packed weights, input and output, contiguous, each aligned to a cache line; the workspace.
/// operands() points into it.
class layer_memory {
 public:
  /// The packed weights are not written.
  layer_memory(const layer& of, std::size_t packed_bytes, std::size_t workspace_bytes)
      : in_(ctq::packing::padded(packed_bytes)),
        out_(in_ + ctq::packing::padded(of.in.size())),
        memory_{out_ + of.outputs()},
        workspace_{workspace_bytes} {
    std::memcpy(memory_.data() + in_, of.in.data(), of.in.size());
    data_.in[0].zero_point = layer::zero_point_in;
    data_.out_range = {.zero_point = layer::zero_point_out, .lo = 0, .hi = 255};
    operands_ = {.in = {memory_.data() + in_},
                 .out = memory_.data() + out_,
                 .packed = memory_.data(),
                 .workspace = workspace_.data(),
                 .data = &data_};
  }
  layer_memory(const layer_memory&) = delete;
  layer_memory& operator=(const layer_memory&) = delete;

  [[nodiscard]] std::byte* packed() { return memory_.data(); }
  [[nodiscard]] const ctq::operands& operands() const { return operands_; }

  /// The subject that runs `run(operands)` on this memory, which it shares.
  template <class Run>
  [[nodiscard]] static subject subject_of(std::string name, std::shared_ptr<layer_memory> m,
                                          Run run) {
    return {std::move(name),
            [m, run] { run(m->operands_); },
            [m] { return m->operands_.out; },
            {m->memory_.data(), m->memory_.size()}};
  }

 private:
  std::size_t in_, out_;  // offsets
  ctq::aligned_buffer memory_, workspace_;
  ctq::step_data data_;
  ctq::operands operands_;
};

}  // namespace bench
