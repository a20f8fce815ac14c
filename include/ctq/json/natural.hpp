// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstdint>

// Multi-word natural numbers, for exact conversion between decimal numbers and doubles.

namespace ctq::json {

/// A natural number, large enough to read and write doubles exactly.
class natural {
 public:
  constexpr explicit natural(std::uint64_t n) {
    for (; n != 0; n >>= 32) word_[count_++] = static_cast<std::uint32_t>(n);
  }

  /// The number of bits; 0 for 0.
  [[nodiscard]] constexpr int width() const {
    return count_ == 0 ? 0 : 32 * count_ - std::countl_zero(word_[count_ - 1]);
  }

  constexpr void multiply_add(std::uint32_t factor, std::uint32_t addend) {
    std::uint64_t carry = addend;
    for (int i = 0; i < count_; ++i) {
      carry += std::uint64_t{word_[i]} * factor;
      word_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) word_[count_++] = static_cast<std::uint32_t>(carry);
  }

  constexpr void multiply_by_power_of_5(int n) {
    constexpr std::uint32_t step = 1220703125;  // 5^13, the last below 2^32
    for (; n >= 13; n -= 13) multiply_add(step, 0);
    std::uint32_t rest = 1;
    for (; n > 0; --n) rest *= 5;
    multiply_add(rest, 0);
  }

  constexpr void shift_left(int n) {
    if (count_ == 0) return;
    const int words = n / 32, bits = n % 32;
    for (int i = count_; i >= 0; --i) {  // the word at count_ is 0 and takes what overflows
      const std::uint64_t pair = std::uint64_t{word_[i]} << 32 | (i > 0 ? word_[i - 1] : 0U);
      word_[i + words] = static_cast<std::uint32_t>(pair >> (32 - bits));
    }
    for (int i = 0; i < words; ++i) word_[i] = 0;
    count_ += words + 1;
    trim();
  }

  struct quotient {
    std::uint64_t value;
    bool exact;
  };

  /// n / d, rounded down. Overwrites both.
  /// Requires  0 < d, n < 2^64 d
  ///
  /// Long division by words. The quotient is estimated from two words of n and one of d, rounded
  /// down, and corrected from the remainder, so that nothing has to be added back; usually two
  /// rounds.
  [[nodiscard]] static constexpr quotient divide(natural& n, natural& d) {
    const int unused = std::countl_zero(d.word_[d.count_ - 1]);
    n.shift_left(unused);
    d.shift_left(unused);
    const std::uint64_t divisor = std::uint64_t{d.word_[d.count_ - 1]} + 1;
    std::uint64_t value = 0;
    for (int at = 1; at >= 0; --at) {
      std::uint64_t digit = 0;
      while (n.at_least(d, at)) {
        const int top = at + d.count_;
        const std::uint64_t guess =
            (std::uint64_t{n.word_[top]} << 32 | n.word_[top - 1]) / divisor;
        const std::uint32_t factor = guess == 0 ? 1 : static_cast<std::uint32_t>(guess);
        n.subtract(d, factor, at);
        digit += factor;
      }
      value = value << 32 | digit;
    }
    return {value, n.count_ == 0};
  }

 private:
  /// *this >= d * 2^(32 at)
  [[nodiscard]] constexpr bool at_least(const natural& d, int at) const {
    if (count_ != d.count_ + at) return count_ > d.count_ + at;
    for (int i = d.count_ - 1; i >= 0; --i)
      if (word_[i + at] != d.word_[i]) return word_[i + at] > d.word_[i];
    return true;
  }

  /// *this -= d * factor * 2^(32 at), which must not be negative
  constexpr void subtract(const natural& d, std::uint32_t factor, int at) {
    std::uint64_t taken = 0;
    for (int i = 0; i < d.count_ || taken != 0; ++i) {
      taken += std::uint64_t{d.word_[i]} * factor;
      const auto low = static_cast<std::uint32_t>(taken);
      taken = (taken >> 32) + (word_[i + at] < low ? 1U : 0U);
      word_[i + at] -= low;
    }
    trim();
  }

  constexpr void trim() {
    while (count_ > 0 && word_[count_ - 1] == 0) --count_;
  }

  // The largest value is 5^1093 for 769 digits starting at the 325th decimal place, shifted by 63
  // bits.
  std::uint32_t word_[88]{};  // least significant first, 0 from count_ on
  int count_ = 0;
};

}  // namespace ctq::json
