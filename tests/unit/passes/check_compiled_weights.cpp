// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/check_compiled_weights.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::linear("x"_n, {.out_features = 4}),
          "b"_n = nn::linear("a"_n, {.out_features = 4}), "out"_n = nn::output("b"_n));

template <int Axis>
using along = qconfig<min_max_observer<>, per_channel_min_max_observer<{.ch_axis = Axis}>>;
template <class... Entry>
struct mapping : qconfig_mapping<Entry...> {};
template <class... Entry>
using check = plan_check<net, x86, mapping<Entry...>, unsupported::error>;

// Of observers of weights that are quantized, only ch_axis 0 remains.
static_assert(!check<global<along<0>>>::bad());
static_assert(check<global<along<0>>, module_name<"b", along<1>>>::found.message() ==
              "compiled code needs a scale for each\noutput, or one for all; node b\n"
              "has ch_axis 1: set it to 0");
static_assert(check<global<along<-2>>>::bad());
static_assert(!check<object_type<nn::conv2d, along<1>>, object_type<nn::linear, along<0>>>::bad());
static_assert(!check<object_type<nn::relu, along<1>>>::bad());

TEST_CASE("graphs that are not compiled may have any axis") {
  CHECK(!graph_plan_check<net, x86, mapping<global<along<1>>>, unsupported::error>::bad());
}

}  // namespace
