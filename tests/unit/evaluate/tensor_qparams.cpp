// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/tensor_qparams.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace ctq;

TEST_CASE("the qparams of an observer keep its axis") {
  const observers::per_channel_qparams p{
      .scale = {0.5F, 2.0F}, .zero_point = {1, 2}, .float_zero_point = {}, .axis = 1};
  const tensor_qparams s = tensor_qparams_of(qint8, p);
  CHECK(s.axis == 1);
  CHECK(s.scale == std::vector<double>{0.5, 2.0});
  CHECK(s.zero_point == std::vector<std::int32_t>{1, 2});
  CHECK(tensor_qparams_of(quint8, {.scale = 0.5F, .zero_point = 7}).zero_point[0] == 7);
}

TEST_CASE("problem_with counts the scales, one for each channel or group") {
  const tensor_qparams s{qint8, 0, {1.0, 0.5, 2.0, 1.0}, {0, 0, 0, 0}, {}, 2};
  CHECK(problem_with(s, {2, 3, 1}).empty());
  CHECK(problem_with(s, {2, 5, 1}) ==
        "the number of scales is 4, that of zero points 4; both must be 6");
  const std::string wanted =
      " elements: qparams per group are those of qint8, along axis 0, with zero points of 0 and "
      "groups of at most 2^20";
  CHECK(problem_with({qint8, 1, {1.0}, {0}, {}, 2}, {2, 1}) == "groups of 2" + wanted);
  CHECK(problem_with({qint8, 0, {1.0}, {0}, {}, -2}, {1, 1}) == "groups of -2" + wanted);
  CHECK(problem_with({qint8, 0, {1.0}, {3}, {}, 2}, {1, 1}) == "groups of 2" + wanted);
  CHECK(problem_with({qint8, 0, {1.0}, {}, {0.5F}, 2}, {1, 1}) == "groups of 2" + wanted);
  CHECK(problem_with({quint8, 0, {1.0}, {0}, {}, 2}, {1, 1}) == "groups of 2" + wanted);
  CHECK(problem_with({qint8, 0, {1.0}, {0}, {}, 1 << 20}, {1, 1}).empty());
  CHECK(problem_with({qint8, 0, {1.0}, {0}, {}, 1048577}, {1, 1}) == "groups of 1048577" + wanted);
}
