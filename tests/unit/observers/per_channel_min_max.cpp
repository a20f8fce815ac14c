// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/per_channel_min_max.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace {

using namespace ctq;
using observers::extrema;
using observers::moving_average_per_channel_min_max;
using observers::per_channel_min_max;

const std::vector<float> matrix{1,  -2, 3,  //
                                -4, 5,  6};

std::vector<extrema> seen(const auto& o) { return {o.seen().begin(), o.seen().end()}; }

TEST_CASE("channels are slices along ch_axis, from either end") {
  per_channel_min_max rows(per_channel_observer_args{});
  CHECK(!rows.observed());
  rows.observe(matrix, shape(2, 3));
  CHECK(seen(rows) == std::vector<extrema>{{-2, 3, false}, {-4, 6, false}});
  for (const int axis : {1, -1}) {
    per_channel_min_max columns(per_channel_observer_args{.ch_axis = axis});
    columns.observe(matrix, shape(2, 3));
    CHECK(seen(columns) == std::vector<extrema>{{-4, 1, false}, {-2, 5, false}, {3, 6, false}});
  }
}

TEST_CASE("groups are runs of a channel, the last of which may be shorter") {
  per_channel_min_max groups(per_channel_observer_args{.group_size = 2});
  groups.observe(matrix, shape(2, 3));
  CHECK(seen(groups) ==
        std::vector<extrema>{{-2, 1, false}, {3, 3, false}, {-4, 5, false}, {6, 6, false}});
  const auto p = groups.calculate_qparams();
  REQUIRE(p);
  CHECK(p->group_size == 2);
  CHECK(p->scale.size() == 4);
  groups.observe(matrix, shape(3, 2));
  CHECK_FALSE(groups.calculate_qparams());
  per_channel_min_max whole(per_channel_observer_args{.group_size = 100});
  whole.observe(matrix, shape(2, 3));
  CHECK(seen(whole) == std::vector<extrema>{{-2, 3, false}, {-4, 6, false}});
}

TEST_CASE("a channel on the middle axis includes its elements of every outer index") {
  per_channel_min_max o(per_channel_observer_args{.ch_axis = 1});
  std::vector<float> weight(2 * 3 * 2 * 2);
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = static_cast<float>(i);
  o.observe(weight, shape(2, 3, 2, 2));
  CHECK(seen(o) == std::vector<extrema>{{0, 15, false}, {4, 19, false}, {8, 23, false}});
}

TEST_CASE("ranges accumulate, or are averaged") {
  const std::vector<float> next{5, 0, 0, 0, 1, 0};
  per_channel_min_max o(per_channel_observer_args{});
  o.observe(matrix, shape(2, 3));
  o.observe(next, shape(2, 3));
  CHECK(seen(o) == std::vector<extrema>{{-2, 5, false}, {-4, 6, false}});
  moving_average_per_channel_min_max a(per_channel_observer_args{.averaging_constant = 0.5});
  a.observe(matrix, shape(2, 3));
  CHECK(seen(a) == std::vector<extrema>{{-2, 3, false}, {-4, 6, false}});
  a.observe(next, shape(2, 3));
  CHECK(seen(a) == std::vector<extrema>{{-1, 4, false}, {-2, 3.5F, false}});
}

TEST_CASE("per-channel parameters carry axis and range") {
  per_channel_min_max o(
      per_channel_observer_args{.quant_min = -127, .quant_max = 127, .eps = 0x1p-12F});
  CHECK(o.calculate_qparams()->scale == std::vector{1.0F});
  o.observe(matrix, shape(2, 3));
  const auto q = o.calculate_qparams();
  REQUIRE(q);
  CHECK(q->scale == std::vector{3.0F / 127.0F, 6.0F / 127.0F});
  CHECK(q->zero_point == std::vector{0, 0});
  CHECK(q->quant_min == -127);
  CHECK(q->axis == 0);
}

TEST_CASE("an empty tensor changes nothing") {
  per_channel_min_max o(per_channel_observer_args{});
  o.observe({}, shape(0, 3));
  CHECK(!o.observed());
}

TEST_CASE("mismatched tensors are an error, not a crash") {
  const auto cause = [](shape first, shape second, int axis) {
    per_channel_min_max o(per_channel_observer_args{.ch_axis = axis});
    o.observe(matrix, first);
    o.observe(matrix, second);
    CHECK(o.observed());
    CHECK(o.calculate_qparams().error().cause ==
          "a tensor has no axis ch_axis = " + std::to_string(axis) +
              ", or a number of elements that does not match its shape, or another number of "
              "channels than the first");
  };
  cause(shape(2, 3), shape(3, 2), 0);  // another number of channels
  cause(shape(2, 3), shape(2, 2), 0);  // fewer elements than data
  cause(shape(2, 3), shape(2, 3), 2);  // no such axis
  cause(shape(2, 3), shape(2, 3), -3);
}

TEST_CASE("the elements of a vector are its channels, but 1.13 fails on it") {
  const std::vector<float> vector{1, -2, 3};
  per_channel_min_max o(per_channel_observer_args{});
  o.observe(vector, shape(3));
  CHECK(seen(o) == std::vector<extrema>{{1, 1, false}, {-2, -2, false}, {3, 3, false}});
  CHECK(o.calculate_qparams());
  per_channel_min_max old(per_channel_observer_args{}, semantics::torch_1_13);
  old.observe({}, shape(0));
  CHECK(old.calculate_qparams());
  old.observe(vector, shape(3));
  CHECK(old.calculate_qparams().error().cause ==
        "PyTorch 1.13 does not support channels of a vector");
  per_channel_min_max other(per_channel_observer_args{}, semantics::torch_1_13);
  other.observe(matrix, shape(2, 3));
  other.merge(old);
  CHECK(!other.calculate_qparams());
}

TEST_CASE("the error for NaN names its channel") {
  per_channel_min_max o(per_channel_observer_args{});
  o.observe(std::vector{1.0F, std::numeric_limits<float>::quiet_NaN()}, shape(2, 1));
  CHECK(o.calculate_qparams().error().place == "calibration data, channel 1");
}

}  // namespace
