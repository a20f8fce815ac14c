// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/core/block.hpp"
#include "ctq/core/shape.hpp"

// The types that options of ops are made of, and attributes: the options of any op in one block of
// fixed size, so that the set of ops stays open.

namespace ctq {

/// A height and a width: .kernel_size = 3 or .kernel_size = {3, 5}.
struct extent2d {
  int h{}, w{};

  constexpr extent2d() = default;
  constexpr extent2d(int both) : h(both), w(both) {}  // NOLINT(google-explicit-constructor)
  constexpr extent2d(int height, int width) : h(height), w(width) {}

  friend constexpr bool operator==(const extent2d&, const extent2d&) = default;
};

/// A depth, a height and a width.
struct extent3d {
  int d{}, h{}, w{};

  constexpr extent3d() = default;
  constexpr extent3d(int all) : d(all), h(all), w(all) {}  // NOLINT(google-explicit-constructor)
  constexpr extent3d(int depth, int height, int width) : d(depth), h(height), w(width) {}

  friend constexpr bool operator==(const extent3d&, const extent3d&) = default;
};

/// The number along an axis. Axes are counted from the last one, which is 0.
[[nodiscard]] constexpr int along(const extent2d& e, int axis) { return axis == 0 ? e.w : e.h; }
[[nodiscard]] constexpr int along(const extent3d& e, int axis) {
  return axis == 0 ? e.w : axis == 1 ? e.h : e.d;
}

/// A bool without padding bytes around it, so that options can be copied bit by bit.
struct flag {
  int value{};

  constexpr flag() = default;
  constexpr flag(bool v) : value(v) {}                    // NOLINT(google-explicit-constructor)
  constexpr operator bool() const { return value != 0; }  // NOLINT(google-explicit-constructor)
};

/// One index of x[…]: an element of an axis, or a slice of it.
struct index_item {
  enum kind : int { element, range, new_axis, ellipsis };

  int what{};   // a kind in the two lowest bits, above them the step of a slice
  int start{};  // negative: from the end
  int stop{};   // of a slice: the first element after it

  constexpr index_item() = default;
  constexpr index_item(int place) : start(place) {}  // NOLINT(google-explicit-constructor)
  constexpr index_item(kind k, int from, int to, int step)
      : what(static_cast<int>(k) + 4 * step), start(from), stop(to) {}

  [[nodiscard]] constexpr kind is() const { return static_cast<kind>(what % 4); }
  [[nodiscard]] constexpr int step() const { return what / 4; }

  friend constexpr bool operator==(const index_item&, const index_item&) = default;
};

namespace index {

/// x[start:stop:step] of Python, of one axis; the step is 1 or more.
[[nodiscard]] constexpr index_item slice(int start = 0, int stop = INT32_MAX, int step = 1) {
  return {index_item::range, start, stop, step};
}
/// As many whole axes as remain, as in x[..., 0].
inline constexpr index_item ellipsis{index_item::ellipsis, 0, 0, 0};
/// None: an axis of one element.
inline constexpr index_item new_axis{index_item::new_axis, 0, 0, 0};

}  // namespace index

/// The indices of x[…], at most five.
struct index_list {
  static constexpr int max_count = 5;

  index_item item[max_count]{};
  int count{};

  constexpr index_list() = default;
  template <class... Index>
  requires(sizeof...(Index) > 0 && sizeof...(Index) <= max_count) constexpr index_list(Index... i)
      : item{i...}, count{sizeof...(Index)} {}  // NOLINT(google-explicit-constructor)

  friend constexpr bool operator==(const index_list&, const index_list&) = default;
};

struct no_options {
  int nothing{};
};

/// The options of any op, in words of 8 bytes. Options are trivially copyable structs whose members
/// have 4 bytes.
struct attributes {
  static constexpr std::size_t max_words = 10;

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
