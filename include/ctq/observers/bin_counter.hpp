// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/compat.hpp"

// Counts how many elements fall into each bin. Computing the bins is work for vectors, adding one
// is not: neighbours are counted in different tables, since adding to a number that was just
// written waits for it (half the outputs of a relu are the same zero).

namespace ctq::observers {

/// Its memory is fixed when it is made.
///
/// A rule says where to count an element: rule(x) gives its bin, rule.template at<Isa>(v) those of
/// a register. What belongs nowhere, NaN at least, goes to the bin after the last, which is not
/// read.
class bin_counter {
 public:
  explicit bin_counter(std::size_t bins)
      : bins_(bins), stride_((bins + 1 + line) / line * line), counts_(tables * stride_) {}

  [[nodiscard]] std::size_t size() const { return bins_; }
  [[nodiscard]] std::uint32_t operator[](std::size_t bin) const { return counts_[bin]; }

  /// sum[i] += (*this)[i], rounded twice; sum has size() elements.
  template <class Isa = isa::native>
  void add_to(std::span<float> sum) const {
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

  /// Starts from zero. Requires  less than 2³¹ elements
  template <class Isa = isa::native, class Rule>
  void count(std::span<const float> data, const Rule& rule) {
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
  static constexpr std::size_t line = 16;  // counters of a cache line

  /// What comes back from memory in pieces of 8 bytes should not go there in pieces of 64: with
  /// registers of half the width, Zen 4 counts 8.6 instead of 7.3 GB/s.
  template <class Isa>
  using registers_of = std::conditional_t<isa::includes<Isa, isa::avx512>, isa::avx2, Isa>;

  /// Two bins at once are read back from memory, which halves the loads.
  template <class Isa, std::size_t Tables, class Rule>
  std::size_t count_blocks(std::span<const float> data, const Rule& rule) {
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

  /// Moves all to the first table and leaves the others empty.
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
