// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/strided_view.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

constexpr strided_view rows = contiguous_view({2, 3, 4}, layout::nchw);
static_assert(rows.stride[0] == 12 && rows.stride[1] == 4 && rows.stride[2] == 1);
static_assert(is_contiguous(rows, layout::nchw));
constexpr strided_view image = contiguous_view({2, 3, 4, 5}, layout::nhwc);
static_assert(image.stride[0] == 60 && image.stride[1] == 1 && image.stride[2] == 15 &&
              image.stride[3] == 3);
static_assert(is_contiguous(image, layout::nhwc) && !is_contiguous(image, layout::nchw));
// An axis of one element has any step; an offset is a part.
static_assert(is_contiguous({.shape = {2, 1, 3}, .stride = {3, 77, 1}}, layout::nchw));
static_assert(!is_contiguous({.shape = {2, 3}, .stride = {3, 1}, .offset = 1}, layout::nchw));

constexpr strided_view turned = with_last_axes_exchanged(rows);
static_assert(turned.shape == shape{2, 4, 3} && turned.stride[1] == 1 && turned.stride[2] == 4);

/// The steps of a view with other extents; of rank 0 if there are none.
constexpr strided_view reshaped(strided_view v, const shape& to) {
  return reshape_view(v, to) ? v : strided_view{};
}
static_assert(is_contiguous(reshaped(rows, {6, 4}), layout::nchw));
static_assert(is_contiguous(reshaped(rows, {2, 1, 3, 2, 2}), layout::nchw));
// The pixels of an image are one axis in either order, its channels and pixels are not.
constexpr strided_view pixels = reshaped(image, {2, 3, 20});
static_assert(pixels.stride[0] == 60 && pixels.stride[1] == 1 && pixels.stride[2] == 3);
static_assert(reshaped(image, {2, 60}).shape.rank == 0);
static_assert(reshaped(turned, {8, 3}).shape.rank == 0);
constexpr strided_view split = reshaped(turned, {2, 2, 2, 3});
static_assert(split.stride[0] == 12 && split.stride[1] == 2 && split.stride[2] == 1 &&
              split.stride[3] == 4);

// Neighbouring axes are one where they can be.
static_assert(reorder_sizes(rows) == reorder_shape{{1, 1, 1, 1, 1, 24}, {0, 0, 0, 0, 0, 1}});
static_assert(reorder_sizes(image) == reorder_shape{{1, 1, 1, 2, 3, 20}, {0, 0, 0, 60, 1, 3}});
static_assert(reorder_sizes({.shape = {1, 3}, .stride = {9, 2}, .offset = 5}) ==
              reorder_shape{{1, 1, 1, 1, 1, 3}, {0, 0, 0, 0, 0, 2}, 5});

TEST_CASE("a view of one element is contiguous") {
  strided_view one{.shape = {1, 1}, .stride = {7, 9}};
  CHECK(is_contiguous(one, layout::nchw));
  CHECK(reshape_view(one, {1}));
  CHECK(is_contiguous(one, layout::nchw));
}

}  // namespace
