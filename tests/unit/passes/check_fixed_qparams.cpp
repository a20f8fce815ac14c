// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/check_fixed_qparams.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/native.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/prepare.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto net =
    model("x"_n = nn::placeholder({1, 2}), "s"_n = nn::sigmoid("x"_n), "out"_n = nn::output("s"_n));
constexpr auto net_of_tanh =
    model("x"_n = nn::placeholder({1, 2}), "t"_n = nn::tanh("x"_n), "out"_n = nn::output("t"_n));

template <class Activation>
struct mapping : qconfig_mapping<global<qconfig<Activation, min_max_observer<{.dtype = qint8}>>>> {
};
template <observer_args Args>
using fixed = fixed_qparams_observer<Args>;
using right = fixed<{.quant_min = 0, .quant_max = 255, .scale = 0x1p-8F, .zero_point = 0}>;

template <class Activation, const auto& Net = net>
diagnostic problem(semantics s) {
  const auto fused = fuse(Net.view(), backend_v<native>, {.semantics = s});
  return prepare_graph(fused.view(), backend_v<native>, mapping_v<mapping<Activation>>,
                       prepare_options{.semantics = s, .policy = unsupported::skip})
      .problem;
}

TEST_CASE(
    "PyTorch 1.13 refuses a sigmoid without its fixed observer, later ones leave it in float") {
  const diagnostic d = problem<min_max_observer<>>(semantics::torch_1_13);
  CHECK(d.message() ==
        "QConfigMapping must specify fixed qparams\nobserver for fixed qparams op\nnode: s\n"
        "torch.nn.Sigmoid");
  CHECK(!problem<min_max_observer<>>(semantics::torch_2_1).any());
  CHECK(!problem<right>(semantics::torch_1_13).any());
  CHECK(!problem<placeholder_observer<{.dtype = f16}>>(semantics::torch_1_13).any());
  CHECK(problem<fixed<{.quant_min = 0, .quant_max = 255, .scale = 0x1p-7F}>>(semantics::torch_1_13)
            .any());
}

TEST_CASE("a tanh wants the zero point in the middle, a sigmoid at the end") {
  constexpr auto old = semantics::torch_1_13;
  using middle = fixed<{.quant_min = 0, .quant_max = 255, .scale = 0x1p-7F, .zero_point = 128}>;
  using end = fixed<{.quant_min = 0, .quant_max = 255, .scale = 0x1p-7F, .zero_point = 0}>;
  using small = fixed<{.quant_min = 0, .quant_max = 255, .scale = 0x1p-8F, .zero_point = 128}>;
  CHECK(!problem<middle, net_of_tanh>(old).any());
  CHECK(problem<end, net_of_tanh>(old).any());
  CHECK(problem<right, net_of_tanh>(old).any());
  CHECK(problem<small>(old).any());
}

}  // namespace
