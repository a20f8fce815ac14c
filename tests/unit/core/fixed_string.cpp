// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/fixed_string.hpp"

#include <doctest/doctest.h>

#include <string>

using ctq::fixed_string;

namespace {

template <fixed_string Name>
struct named {
  static constexpr std::string_view name = Name.view();
};

static_assert(named<"layer1.0.conv1">::name == "layer1.0.conv1");
static_assert(named<"">::name.empty());
static_assert(fixed_string{"a\0b"}.view().size() ==
              3);  // the last NUL is not part of it, others are

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;
static_assert(same<named<"fc">, named<"fc">>);
static_assert(!same<named<"fc">, named<"fd">>);
static_assert(!same<named<"fc">, named<"fc2">>);

TEST_CASE("a string that is a template argument reads back as written") {
  CHECK(std::string{named<"conv1">::name} == "conv1");
}

}  // namespace
