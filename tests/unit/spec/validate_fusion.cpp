// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/validate_fusion.hpp"

#include <doctest/doctest.h>

#include "spec/config_findings.hpp"

using namespace ctq;
using namespace spec_tests;

namespace {

template <class Pattern, class... Part>
using with = backend_pattern_config<Pattern, Part...>;
using conv_relu = pattern<nn::conv2d, nn::relu>;
static_assert(is_fine<with<conv_relu, fused_module<nni::conv_relu2d>>>);
static_assert(is_fine<with<pattern<nn::conv2d, fn::relu>, fused_module<nni::conv_relu2d>>>);
static_assert(is_fine<with<pattern<nn::linear, fn::tanh>, fused_module<nni::linear_tanh>>>);
static_assert(is_fine<with<pattern<nn::conv2d, gate>, fused_module<gate>>>);
static_assert(breaks<with<conv_relu, fused_module<nni::conv_relu3d>>>(rule::fused_module_mismatch));
// A module of one op drops the other.
static_assert(breaks<with<conv_relu, fused_module<nn::conv2d>>>(rule::fused_module_mismatch));
static_assert(breaks<with<conv_relu, fused_module<nn::relu>>>(rule::fused_module_mismatch));
static_assert(breaks<with<conv_relu, fuser_method<fuse_conv_bn>>>(rule::fused_module_mismatch));
static_assert(breaks<with<pattern<nn::conv2d, nn::batch_norm2d>, fuser_method<fuse_conv_bn_relu>>>(
    rule::fused_module_mismatch));
static_assert(is_fine<with<pattern<nn::conv_transpose2d, nn::batch_norm2d>,
                           fuser_method<fuse_convtranspose_bn>>>);
static_assert(
    breaks<with<conv_relu, fuser_method<sequential_wrapper2>>>(rule::fused_without_fuser));
static_assert(breaks<with<pattern<nn::linear>, reference_quantized_module<nnqr::linear>>>(
    rule::reference_without_root));

using tree = pattern<nested<op::add, match_all, nn::conv2d>>;
static_assert(breaks<with<tree, fused_module<nni::conv_add2d>>>(rule::fused_module_mismatch));
static_assert(is_fine<with<tree, fused_module<nni::conv_add2d>, root_node_getter<path<2>>,
                           extra_inputs_getter<path<1>>>>);
// Other modules, other ops, and a second op among the arguments.
template <class Pattern, auto Fused, class Root, class Extra>
constexpr bool is_a_sum =
    is_fine<with<Pattern, fused_module<Fused>, root_node_getter<Root>, extra_inputs_getter<Extra>>>;
static_assert(is_a_sum<pattern<nested<op::add, nested<nn::batch_norm2d, nn::conv2d>, match_all>>,
                       nni::conv_add2d, path<1, 1>, path<2>>);
static_assert(is_a_sum<pattern<nested<fn::add, nn::conv2d, match_all>, nn::relu>,
                       nni::conv_add_relu2d, path<1, 1>, path<1, 2>>);
static_assert(!is_a_sum<pattern<nested<fn::add, nn::conv2d, match_all>, nn::relu>, nni::conv_add2d,
                        path<1, 1>, path<1, 2>>);
static_assert(!is_a_sum<tree, nni::conv_add_relu2d, path<2>, path<1>>);
static_assert(!is_a_sum<tree, nn::conv2d, path<2>, path<1>>);
static_assert(
    !is_a_sum<pattern<nested<op::add, match_all, nn::linear>>, nni::conv_add2d, path<2>, path<1>>);
static_assert(
    !is_a_sum<pattern<nested<op::mul, match_all, nn::conv2d>>, nni::conv_add2d, path<2>, path<1>>);
static_assert(is_a_sum<pattern<nested<op::mul, match_all, nn::linear>>, gate, path<2>, path<1>>);

template <auto... Op>
constexpr bool become_sum(int root) {
  return can_become_sum(pattern<Op...>::value, root, nni::conv_add2d.id());
}
static_assert(become_sum<nested<op::add, match_all, nn::conv2d>>(2));
static_assert(!become_sum<nested<op::add, nn::linear, nn::conv2d>>(2));

// --- Nodes of the pattern -----------------------------------------------------------------------

static_assert(breaks<with<tree, root_node_getter<path<3>>>>(rule::node_path));
static_assert(breaks<with<tree, root_node_getter<path<3>>, extra_inputs_getter<path<1>>>>(
    rule::node_path));  // once
static_assert(says<with<tree, root_node_getter<path<1>>>>(
    "error: root_node_getter: the indices lead to a MatchAllNode, not to an op [node-path]"));
static_assert(says<with<conv_relu, root_node_getter<path<0>>>>(
    "error: root_node_getter: torch.nn.ReLU reads torch.nn.Conv2d of the same pattern, so that it "
    "is not the root [node-path]"));
static_assert(breaks<with<tree, extra_inputs_getter<path<1>, path<2, 1>>>>(rule::node_path));
static_assert(says<with<tree, extra_inputs_getter<path<2>>>>(
    "error: extra_inputs_getter: the indices lead to torch.nn.Conv2d, not to a MatchAllNode "
    "[node-path]"));
static_assert(says<with<tree, extra_inputs_getter<path<1>, path<1>>>>(
    "error: extra_inputs_getter: the same node is given twice [node-path]"));
static_assert(says<with<pattern<nested<op::add, match_all, match_all>, nn::relu>,
                        root_node_getter<path<1, 0>>, extra_inputs_getter<path<1, 2>>>>(
    "error: extra_inputs_getter: the root reads this node already [node-path]"));

}  // namespace

TEST_CASE("a fused module without a fuser does nothing") {
  backend_pattern_config_record c = with<conv_relu>::value;
  c.fused_module = nni::conv_relu2d.id();
  findings found;
  rules::pattern_config(found, 0, c);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == rule::fused_without_fuser);
}
