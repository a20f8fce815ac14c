// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/op_functions.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace ctq;

namespace {

void run_u8(const op_arguments<std::uint8_t>&, const attributes&) noexcept {}

static_assert(op_functions{.run_u8 = run_u8}.run<std::uint8_t>() == run_u8);
static_assert(op_functions{.run_u8 = run_u8}.has_run(quint8));
static_assert(!op_functions{.run_u8 = run_u8}.has_run(qint8));
static_assert(!op_functions{.tensors = 1}.has_integer_form(quint8));
static_assert(op_functions{.tensors = 1, .elementwise = true}.has_integer_form(quint8));
static_assert(op_functions{.tensors = 1, .elementwise = true}.has_integer_form(qint8));
static_assert(op_functions{.run_u8 = run_u8}.has_integer_form(quint8));
static_assert(!op_functions{.run_u8 = run_u8}.has_integer_form(qint8));
static_assert(op_functions{.tensors = 1, .elementwise = true}.needs_table(qint8));
static_assert(!op_functions{.tensors = 1, .elementwise = true}.needs_table(f32));
static_assert(
    !op_functions{.tensors = 1, .elementwise = true, .run_u8 = run_u8}.needs_table(quint8));
static_assert(!op_functions{.tensors = 2, .elementwise = true}.needs_table(qint8));

TEST_CASE("a tensor_ref is read and written as its elements") {
  std::array<int, 6> numbers = {1, 2, 3, 4, 5, 6};
  const tensor_ref<int> t{numbers.data(), {2, 3}};
  CHECK(t.size() == 6);
  t[5] = 7;
  int sum = 0;
  for (const int x : t) sum += x;
  CHECK(sum == 22);
}

}  // namespace
