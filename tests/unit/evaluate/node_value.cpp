// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/node_value.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

using namespace ctq;

namespace {

const float_ops::tensor x{{3}, {-1.0F, 0.25F, 2.0F}};

quantized_tensor in_quarters() { return quantize(x, tensor_qparams{qint8, -1, {0.25}, {1}, {}}); }

}  // namespace

TEST_CASE("a value without integers is the real value itself") {
  const node_value v = x;
  CHECK(v.integers() == nullptr);
  CHECK(v.share_integers() == nullptr);
  CHECK(v.real().get_if<float_ops::tensor>()->data == x.data);
  const node_value number = float_ops::value(7);
  CHECK(as_integer(number.real()) == 7);
  CHECK(node_value().integers() == nullptr);
}

TEST_CASE("integers are dequantized to real numbers") {
  const node_value v = in_quarters();
  REQUIRE(v.integers() != nullptr);
  CHECK(v.integers()->int_repr() == std::vector<int>{-3, 2, 9});
  CHECK(v.real().get_if<float_ops::tensor>()->data == x.data);
}

TEST_CASE("copies share the integers, and who shares them keeps them") {
  std::shared_ptr<const quantized_tensor> kept;
  {
    const node_value v = in_quarters();
    const node_value copy = v;
    CHECK(copy.integers() == v.integers());
    kept = copy.share_integers();
  }
  CHECK(kept.use_count() == 1);
  CHECK(kept->size() == 3);
}

TEST_CASE("a tuple with integers is a list of real numbers, too") {
  const node_value v =
      std::vector<node_value>{in_quarters(), std::vector<node_value>{x, float_ops::value(7)}};
  CHECK(v.integers() == nullptr);
  REQUIRE(v.items() != nullptr);
  CHECK((*v.items())[0].integers()->int_repr() == std::vector<int>{-3, 2, 9});
  const float_ops::value real = v.real();
  const auto* const all = real.get_if<float_ops::list>();
  REQUIRE(all != nullptr);
  CHECK((*all)[0].get_if<float_ops::tensor>()->data == x.data);
  const auto* const inner = (*all)[1].get_if<float_ops::list>();
  REQUIRE(inner != nullptr);
  CHECK(as_integer((*inner)[1]) == 7);
  CHECK(node_value(x).items() == nullptr);
}
