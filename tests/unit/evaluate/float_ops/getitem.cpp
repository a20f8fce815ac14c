// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/getitem.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::counted;
using run_op::float_list;
using run_op::floats;

namespace {

ctq::result<value> at(const value& in, const value& index) {
  return run_op::run(implementation::selections, op::getitem, {.positional = {in, index}});
}

/// Python's own words for it: an index is clipped by adding the length once, then cut off.
std::vector<int> python_slice(int n, int start, int stop, int step) {
  const auto clip = [n](int i) { return std::clamp(i < 0 ? i + n : i, 0, n); };
  std::vector<int> all;
  for (int i = clip(start); i < clip(stop); i += step) all.push_back(i);
  return all;
}

std::vector<int> integers_of(const value& items) {
  std::vector<int> all;
  for (const value& v : *items.get_if<list>()) all.push_back(static_cast<int>(*as_integer(v)));
  return all;
}

/// The extents of the parts that an axis of `extent` elements is cut into.
std::vector<int> parts(const result<value>& y) {
  std::vector<int> all;
  for (const tensor& t : float_list(y)) all.push_back(t.shape[0]);
  return all;
}

}  // namespace

TEST_CASE("a slice of a list has the elements that Python's has, wherever it starts and stops") {
  for (int n = 0; n <= 4; ++n) {
    list items;
    for (int i = 0; i < n; ++i) items.emplace_back(i);
    for (int start = -6; start <= 6; ++start)
      for (int stop = -6; stop <= 6; ++stop)
        for (int step = 1; step <= 3; ++step) {
          CAPTURE(n);
          CAPTURE(start);
          CAPTURE(stop);
          const auto y = at(items, slice{start, stop, step});
          REQUIRE(y.has_value());
          CHECK(integers_of(*y) == python_slice(n, start, stop, step));
        }
  }
}

TEST_CASE("a slice of an axis has the same elements as one of a list") {
  const tensor in = counted({5, 2});
  for (int start = -7; start <= 7; ++start)
    for (int stop = -7; stop <= 7; ++stop) {
      const tensor rows = floats(at(in, slice{start, stop, 2}));
      const std::vector<int> chosen = python_slice(5, start, stop, 2);
      CHECK(rows.shape == extents{static_cast<int>(chosen.size()), 2});
      std::vector<float> wanted;
      for (const int i : chosen)
        for (const int x : {2 * i, 2 * i + 1}) wanted.push_back(static_cast<float>(x));
      CHECK(rows.data == wanted);
    }
}

TEST_CASE(
    "bounds that a slice leaves out are the ends, and a step that does not advance is wrong") {
  CHECK(floats(at(counted({3}), slice{})).data == std::vector<float>{0, 1, 2});
  CHECK(floats(at(counted({3}), slice{.start = 1})).data == std::vector<float>{1, 2});
  CHECK(floats(at(counted({3}), slice{.stop = -1})).data == std::vector<float>{0, 1});
  for (const int step : {0, -1})
    CHECK(cause(at(counted({3}), slice{.step = step})) == "the step of a slice is at least 1");
}

TEST_CASE("an index counts from either end and is an error past it") {
  const list items{"a", "b", "c"};
  for (int i = -3; i < 3; ++i)
    CHECK(at(items, i)->is_same(items[static_cast<std::size_t>((i + 3) % 3)]));
  for (const int i : {-4, 3})
    CHECK(cause(at(items, i)) == "index " + std::to_string(i) + " is outside 3 elements");
  CHECK(cause(at(list{}, 0)) == "index 0 is outside 0 elements");
  CHECK(cause(at(items, "a")) == "the index of a list is an integer or a slice");
  CHECK(floats(at(counted({2, 3}), -1)).data == std::vector<float>{3, 4, 5});
  CHECK(cause(at(counted({2, 3}), 2)) == "index 2 is outside 2 elements");
}

TEST_CASE("... stands for the axes that no other index uses, None for a new one of one element") {
  const tensor in = counted({2, 3, 4});
  CHECK(floats(at(in, list{ellipsis{}, 1})).shape == extents{2, 3});
  CHECK(floats(at(in, list{ellipsis{}, 1})).data == std::vector<float>{1, 5, 9, 13, 17, 21});
  CHECK(floats(at(in, list{0, ellipsis{}, 0})).data == std::vector<float>{0, 4, 8});
  CHECK(floats(at(in, list{ellipsis{}})).data == in.data);
  CHECK(floats(at(in, list{0, 0, 0, ellipsis{}})).shape == extents{});
  CHECK(floats(at(in, list{none{}, 1, none{}})).shape == extents{1, 1, 3, 4});
  CHECK(floats(at(in, list{ellipsis{}, none{}})).shape == extents{2, 3, 4, 1});
  CHECK(floats(at(in, list{slice{}, none{}, 2})).data == floats(at(in, list{slice{}, 2})).data);
}

TEST_CASE("a tensor of indices is replaced by the rows it names, in place of its axis") {
  const tensor in = counted({2, 3, 2});
  const index_tensor chosen{{2, 2}, {2, 0, -1, 1}};
  const tensor out = floats(at(in, list{slice{}, chosen}));
  CHECK(out.shape == extents{2, 2, 2, 2});
  std::vector<float> wanted;
  for (int n = 0; n < 2; ++n)
    for (const int i : {2, 0, 2, 1})
      for (int c = 0; c < 2; ++c) wanted.push_back(static_cast<float>((n * 3 + i) * 2 + c));
  CHECK(out.data == wanted);
  CHECK(floats(at(in, list{1, chosen})).shape == extents{2, 2, 2});
  CHECK(floats(at(in, index_tensor{{0}, {}})).shape == extents{0, 3, 2});
  CHECK(cause(at(in, index_tensor{{1}, {2}})) == "index 2 is outside 2 elements");
}

TEST_CASE("tensors of indices of several axes name elements together") {
  const tensor in = counted({2, 3, 2});
  const index_tensor rows{{3}, {1, -1, 0}}, columns{{3}, {0, 2, -2}};
  const tensor out = floats(at(in, list{rows, columns}));
  CHECK(out.shape == extents{3, 2});
  CHECK(out.data == std::vector<float>{6, 7, 10, 11, 2, 3});
  const tensor last = floats(at(in, list{slice{}, columns, index_tensor{{3}, {0, 1, -1}}}));
  CHECK(last.data == std::vector<float>{0, 5, 3, 6, 11, 9});
  CHECK(cause(at(in, list{rows, index_tensor{{1}, {0}}})) ==
        "the tensors of indices have different shapes");
  CHECK(cause(at(in, list{rows, slice{}, rows})) == "tensors of indices belong to adjacent axes");
  CHECK(cause(at(in, list{rows, index_tensor{{3}, {0, 3, 0}}})) == "index 3 is outside 3 elements");
}

TEST_CASE("a list of integers gathers along its axis") {
  const tensor in = counted({2, 3});
  const tensor out = floats(at(in, list{slice{}, list{2, 0, -1}}));
  CHECK(out.shape == extents{2, 3});
  CHECK(out.data == std::vector<float>{2, 0, 2, 5, 3, 5});
  CHECK(floats(at(in, list{value(list{1})})).data == std::vector<float>{3, 4, 5});
  CHECK(cause(at(in, list{value(list{true, false})})) ==
        "the index is not an integer, slice, None, ... or tensor of integers");
  CHECK(floats(at(in, list{list{1}, list{-1}})).data == std::vector<float>{5});
  CHECK(cause(at(in, list{slice{}, list{3}})) == "index 3 is outside 3 elements");
}

TEST_CASE("indices that do not fit the tensor are errors") {
  const tensor in = counted({2, 3});
  CHECK(cause(at(in, list{0, 0, 0})) == "more indices than dimensions");
  CHECK(cause(at(in, list{ellipsis{}, ellipsis{}})) == "takes one ...");
  CHECK(cause(at(in, "a")) ==
        "the index is not an integer, slice, None, ... or tensor of integers");
}

TEST_CASE("shape, ndim and T are what PyTorch says of a tensor") {
  const auto get = [](const char* name) {
    return run_op::run(implementation::selections, fn::getattr,
                       {.positional = {counted({2, 3}), name}});
  };
  CHECK(integers_of(*get("shape")) == std::vector<int>{2, 3});
  CHECK(as_integer(*get("ndim")) == 2);
  CHECK(floats(get("T")).shape == extents{3, 2});
  CHECK(floats(get("T")).data == std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK(cause(get("grad")) == "a tensor has no attribute grad");
}

TEST_CASE("split cuts parts of one size, the last of what is left, and chunk a number of them") {
  const auto split = [](int n, const value& size) {
    return run_op::run(implementation::selections, fn::split, {.positional = {counted({n}), size}});
  };
  const auto chunk = [](int n, int count) {
    return run_op::run(implementation::selections, fn::chunk,
                       {.positional = {counted({n}), count}});
  };
  CHECK(parts(split(7, 3)) == std::vector<int>{3, 3, 1});
  CHECK(parts(split(6, 3)) == std::vector<int>{3, 3});
  CHECK(parts(split(2, 9)) == std::vector<int>{2});
  CHECK(parts(split(0, 3)) == std::vector<int>{0});
  CHECK(parts(split(7, list{2, 0, 5})) == std::vector<int>{2, 0, 5});
  CHECK(cause(split(7, list{2, 4})) == "the parts have fewer elements than the dimension");
  CHECK(cause(split(7, list{2, 6})) == "the parts have more elements than the dimension");
  CHECK(cause(split(7, 0)) == "a part has no elements");
  CHECK(cause(split(7, list{8, -1})) == "a part has less than 0 elements");
  // torch.chunk rounds the size of a part up, so there may be fewer than asked for.
  for (int n = 1; n < 12; ++n)
    for (int count = 1; count < 8; ++count) {
      const int size = (n + count - 1) / count;
      std::vector<int> wanted(static_cast<std::size_t>(n / size), size);
      if (n % size != 0) wanted.push_back(n % size);
      CHECK(parts(chunk(n, count)) == wanted);
    }
  CHECK(parts(chunk(0, 3)) == std::vector<int>{0, 0, 0});
  CHECK(cause(chunk(4, 0)) == "needs a dimension and at least one chunk");
}

TEST_CASE("the parts of a split along an inner axis have its columns, and unbind drops the axis") {
  const tensor in = counted({2, 3});
  const auto cut = float_list(
      run_op::run(implementation::selections, method::split, {.positional = {in, 2, -1}}));
  REQUIRE(cut.size() == 2);
  CHECK(cut[0].data == std::vector<float>{0, 1, 3, 4});
  CHECK(cut[1].data == std::vector<float>{2, 5});
  const auto columns =
      float_list(run_op::run(implementation::selections, fn::unbind, {.positional = {in, 1}}));
  REQUIRE(columns.size() == 3);
  CHECK(columns[1].shape == extents{2});
  CHECK(columns[1].data == std::vector<float>{1, 4});
  CHECK(cause(run_op::run(implementation::selections, fn::unbind, {.positional = {counted({})}})) ==
        "a scalar has no dimensions");
}
