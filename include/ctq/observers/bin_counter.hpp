// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/isa.hpp"
#include "ctq/kernels/xsimd.hpp"

// Counts the elements in each bin. Bins are computed with SIMD, counters are incremented one by
// one. Consecutive elements use different tables, since incrementing a counter that was just
// written waits for the store (half the outputs of a relu are zero).

namespace ctq::observers {

/// Allocates only in the constructor.
///
/// A rule maps elements to bins: rule(x) returns the bin of x, rule.template at<Isa>(v) those of a
/// register. Elements in no bin, such as NaN, map to the index after the last bin, which is not
/// read.
class bin_counter {
 public:
  explicit bin_counter(std::size_t bins)
      : bins_(bins), stride_((bins + 1 + line) / line * line), counts_(tables * stride_) {}

  [[nodiscard]] std::size_t size() const { return bins_; }
  [[nodiscard]] std::uint32_t operator[](std::size_t bin) const { return counts_[bin]; }

  /// sum[i] += float((*this)[i]), rounding both the conversion and the sum; sum has size()
  /// elements.
  template <class Isa = isa::native>
  void add_to(span<float> sum) const {
    std::size_t i = 0;
    if constexpr (kernels::vectorized<Isa>) {
      using floats = kernels::batch<registers_of<Isa>, float>;
      for (; i + floats::size <= bins_; i += floats::size) {
        const auto* const from = reinterpret_cast<const std::int32_t*>(counts_.data() + i);
        const auto count = kernels::batch<registers_of<Isa>, std::int32_t>::load_unaligned(from);
        (floats::load_unaligned(sum.data() + i) + xsimd::to_float(count))
            .store_unaligned(sum.data() + i);
      }
    }
    for (; i < bins_; ++i) sum[i] += static_cast<float>(counts_[i]);
  }

  /// Discards earlier counts.
  /// Requires  fewer than 2³¹ elements
  template <class Isa = isa::native, class Rule>
  void count(span<const float> data, const Rule& rule) {
    std::fill_n(counts_.data(), bins_, 0U);
    std::size_t i = 0;
    if constexpr (kernels::vectorized<Isa>) {
      if (data.size() >= tables * bins_) {
        i = count_blocks<registers_of<Isa>, tables>(data, rule);
        add_up_tables<Isa>();
      } else {
        i = count_blocks<registers_of<Isa>, 1>(data, rule);
      }
    }
    for (; i < data.size(); ++i) ++counts_[rule(data[i])];
  }

 private:
  static constexpr std::size_t tables = 8;
  static constexpr std::size_t line = 16;  // counters per cache line

  /// The bins are stored as a register and read back in pieces of 8 bytes. Store forwarding prefers
  /// narrower stores: with registers of half the width Zen 4 counts 8.6 instead of 7.3 GB/s.
  template <class Isa>
  using registers_of = std::conditional_t<isa::includes<Isa, isa::avx512>, isa::avx2, Isa>;

  /// Reads two bins at a time back from memory, which halves the loads.
  template <class Isa, std::size_t Tables, class Rule>
  std::size_t count_blocks(span<const float> data, const Rule& rule) {
    using floats = kernels::batch<Isa, float>;
    constexpr std::size_t lanes = floats::size;
    constexpr std::size_t block = 64;
    const std::size_t whole = data.size() / block * block;
    const std::size_t stride = stride_;
    std::uint32_t* const table = counts_.data();
    alignas(64) std::int32_t bins[block];
    for (std::size_t i = 0; i < whole; i += block) {
      for (std::size_t j = 0; j < block; j += lanes)
        rule.template at<Isa>(floats::load_unaligned(data.data() + i + j)).store_aligned(bins + j);
#pragma GCC unroll 32
      for (std::size_t j = 0; j < block; j += 2) {
        const auto two = std::bit_cast<std::uint64_t>(std::array{bins[j], bins[j + 1]});
        ++table[j % Tables * stride + static_cast<std::uint32_t>(two)];
        ++table[(j + 1) % Tables * stride + static_cast<std::uint32_t>(two >> 32U)];
      }
    }
    return whole;
  }

  /// Adds all tables to the first and clears the others.
  template <class Isa>
  void add_up_tables() {
    using counters = kernels::batch<Isa, std::uint32_t>;
    for (std::size_t i = 0; i < stride_; i += counters::size) {
      counters sum = counters::load_unaligned(counts_.data() + i);
      for (std::size_t t = 1; t < tables; ++t) {
        std::uint32_t* const at = counts_.data() + t * stride_ + i;
        sum = sum + counters::load_unaligned(at);
        counters(0U).store_unaligned(at);
      }
      sum.store_unaligned(counts_.data() + i);
    }
  }

  std::size_t bins_;
  std::size_t stride_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace ctq::observers
