// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/op_descriptor.hpp"

#include <doctest/doctest.h>

#include <cstddef>

#include "ctq/ops/op.hpp"

using namespace ctq;

namespace {

struct table_options {
  int rows{};
};
struct table_op : module_op<table_op, table_options> {
  static constexpr std::string_view name = "my.Table";
  static constexpr op_parameters parameters(const table_options& o) {
    return {op_parameter{"weight", {o.rows, 5}}, op_parameter{"bias", {5}}};
  }
  static void apply(tensor_ref<const float>, tensor_ref<float>, const parameter_refs&) {}
};

constexpr parameter_layout_of layout_of(int rows, bool on_integers) {
  return parameter_layout(*table_op::id()->descriptor, attributes{table_options{rows}},
                          on_integers);
}

TEST_CASE("parameters of an op lie one after the other, each at a multiple of 64 bytes") {
  const parameter_layout_of l = layout_of(4, false);
  REQUIRE(l.parameters.count == 2);
  CHECK(l.weight == -1);
  CHECK(l.floats[0] == 0);
  CHECK(l.floats[1] == 128);  // 80 bytes of the weight
  CHECK(l.bytes == 192);
}

TEST_CASE("parameters of more than 2 GiB have offsets, too") {
  const parameter_layout_of l = layout_of(300'000'000, false);
  CHECK(l.floats[1] == std::size_t{6'000'000'000});
  CHECK(l.bytes == std::size_t{6'000'000'064});
}

}  // namespace
