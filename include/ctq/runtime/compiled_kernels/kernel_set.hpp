// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/text.hpp"
#include "ctq/core/version.hpp"
#include "ctq/kernels/operands.hpp"
#include "ctq/ops/op.hpp"

// The kernels of one instruction set as functions whose addresses are known at run time. The
// library ctq-kernels consists of such sets; define_kernel_set.hpp makes one from the headers.

namespace ctq {

/// The weights of a layer before they are packed. Non-owning.
struct unpacked_layer {
  const void* weight{};          // (O, kh, kw, I/groups), float or int8, or two of 4 bits in a byte
  const void* bias{};            // O: float, or int32 where the layer requantizes
  const float* multiplier{};     // O, where it requantizes; of dynamic layers the weight's scales
  std::int32_t in_zero_point{};  // which is folded into the bias
};

/// How the parameters of a step are packed.
struct kernel_packing {
  /// Bytes of weights, bias and multipliers in the kernel's order, and of the table of 256 entries
  /// of an op that is fused into the kernel.
  std::size_t (*packed_bytes)(const kernel_signature&);
  /// Packs all but the table. The signature's kernel has weights.
  void (*pack)(const kernel_signature&, const unpacked_layer&, std::byte* packed);
};

/// Bytes of the packed parameters of all steps.
template <class Steps>
[[nodiscard]] constexpr std::size_t packed_end(const kernel_packing& kernels, const Steps& steps) {
  std::size_t at = 0;
  for (const auto& s : steps) at += packing::padded(kernels.packed_bytes(s.signature));
  return at;
}

/// The code of a kernel for run-time extents. The signature is that of the step.
using kernel_function = void (*)(const kernel_signature&, const operands&) noexcept;

/// All kernels of an instruction set, for run-time extents.
struct kernel_set {
  using blocking_text = static_text<96>;

  std::string_view isa;
  kernel_packing packing;
  std::size_t (*workspace_bytes)(const kernel_signature&);
  /// The code of a signature, or null if there is no such kernel.
  kernel_function (*function_of)(const kernel_signature&);
  /// The same op with functions that are compiled for this instruction set; an op of the user, for
  /// which the set has none, is returned as it is.
  op_id (*own_op)(op_id);
  /// How the kernel of a signature divides the work, as text.
  blocking_text (*blocking)(const kernel_signature&);
};

namespace compiled_kernels {

/// What must be equal in the headers and in the library: the release, and the layout of what they
/// pass to each other.
struct release {
  int major{}, minor{}, patch{};
  std::size_t layout{};
};

[[nodiscard]] consteval release release_of(std::string_view version) {
  int numbers[3]{};
  std::size_t which = 0;
  for (const char c : version) {
    if (c == '.') {
      ++which;
    } else if (c >= '0' && c <= '9' && which < 3) {
      numbers[which] = numbers[which] * 10 + (c - '0');
    }
  }
  std::size_t layout = kernels::kernel_count;
  const auto add = [&layout](std::size_t next) { layout = layout * 31 + next; };
  for (const std::size_t size :
       {sizeof(kernel_signature), sizeof(operands), sizeof(step_data), sizeof(op_info),
        sizeof(op_descriptor), sizeof(op_functions), sizeof(kernel_set)})
    add(size);
  for (const kernels::kernel_facts& k : kernels::facts)
    for (const char c : k.name) add(static_cast<unsigned char>(c));
  return {numbers[0], numbers[1], numbers[2], layout % 1'000'000};
}

/// The release of these headers.
inline constexpr release headers = release_of(version);

/// The kernel sets of the library that this machine runs, the fastest first. A program whose
/// headers are of another release than the library does not link: the linker reports that this
/// function, with the numbers of the headers, is undefined.
template <int Major, int Minor, int Patch, std::size_t Layout>
[[nodiscard]] span<const kernel_set* const> of_release() noexcept;

[[nodiscard]] inline span<const kernel_set* const> all() noexcept {
  return of_release<headers.major, headers.minor, headers.patch, headers.layout>();
}

}  // namespace compiled_kernels

}  // namespace ctq
