// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/core/padded.hpp"

// What the options of ops are made of, and attributes: the one form in which a node keeps the
// options of any op, so that the set of ops stays open.

namespace ctq {

/// A height and a width: .kernel_size = 3 or .kernel_size = {3, 5}.
struct extent2d {
  int h{}, w{};

  constexpr extent2d() = default;
  constexpr extent2d(int both) : h(both), w(both) {}  // NOLINT(google-explicit-constructor)
  constexpr extent2d(int height, int width) : h(height), w(width) {}

  friend constexpr bool operator==(const extent2d&, const extent2d&) = default;
};

/// A bool without padding bytes around it, so that options can be copied bit by bit.
struct flag {
  int value{};

  constexpr flag() = default;
  constexpr flag(bool v) : value(v) {}                    // NOLINT(google-explicit-constructor)
  constexpr operator bool() const { return value != 0; }  // NOLINT(google-explicit-constructor)
};

struct no_options {
  int nothing{};
};

/// The options of any op, as words. Options are trivially copyable structs of 4-byte members.
struct attributes {
  static constexpr std::size_t max_words = 8;

  std::uint64_t word[max_words]{};

  constexpr attributes() = default;
  constexpr explicit attributes(const no_options&) {}  // as below, in less compile time

  template <fits_in<8 * max_words> Options>
  constexpr explicit attributes(const Options& options)
      : attributes(to_block<attributes>(options)) {}

  template <class Options>
  [[nodiscard]] constexpr Options as() const {
    return from_block<Options>(*this);
  }

  friend constexpr bool operator==(const attributes&, const attributes&) = default;
};

}  // namespace ctq
