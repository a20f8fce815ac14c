// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/op_table.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace ctq;

namespace {

struct op_swish : function_op<op_swish> {
  static constexpr std::string_view name = "my.swish";
};
constexpr op_swish swish{};

constexpr const op_table& known = ops<builtin>::value;
constexpr const op_table& mine = ops<builtin, swish>::value;

static_assert(known.find("torch.nn.Conv2d") == nn::conv2d.id());
static_assert(known.find("torch.nn.functional.relu") == fn::relu.id());
static_assert(known.find("torch.relu") == fn::torch_relu.id());
static_assert(known.find("_operator.add") == op::add.id());
static_assert(known.find("relu_") == method::relu_.id());

// As PyTorch's sources abbreviate, and as other releases call it.
static_assert(known.find("nn.Conv2d") == nn::conv2d.id());
static_assert(known.find("F.relu") == fn::relu.id());
static_assert(known.find("nni.ConvReLU2d") == nni::conv_relu2d.id());
static_assert(known.find("nniqat.ConvBn1d") == nniqat::conv_bn1d.id());
static_assert(known.find("nnqat.Linear") == nnqat::linear.id());
static_assert(known.find("nnqr.Linear") == nnqr::linear.id());
static_assert(known.find("operator.add") == op::add.id());
static_assert(known.find("torch.nn.intrinsic.ConvReLU2d") == nni::conv_relu2d.id());
static_assert(known.find("torch._C._nn.avg_pool2d") == fn::avg_pool2d.id());

// Where Python says it is defined.
static_assert(known.find("torch.nn.modules.linear.Linear") == nn::linear.id());
static_assert(known.find("torch.ao.nn.intrinsic.modules.fused.ConvReLU2d") ==
              nni::conv_relu2d.id());

// The user's ops are found beside ctq's, in the table that has them.
static_assert(mine.find("my.swish") == swish.id() && known.find("my.swish") == nullptr);
static_assert(mine.find("nn.Linear") == nn::linear.id());
static_assert(ops<swish>::value.find("nn.Linear") == nullptr);
static_assert(mine.size() == known.size() + 1 && mine[0] == swish.id());

static_assert(known.find("") == nullptr && known.find("nn.") == nullptr);
static_assert(known.find("torch.nn.conv2d") == nullptr);
static_assert(known.find("MatchAllNode") == nullptr);

TEST_CASE("every op has a name of its own and is found by it") {
  std::set<std::string> names;
  for (int i = 0; i < known.size(); ++i) {
    CHECK(known.find(known[i]->name) == known[i]);
    names.emplace(known[i]->name);
  }
  CHECK(static_cast<int>(names.size()) == known.size());
}

TEST_CASE("what is inserted by passes has no name in files") {
  CHECK(known.find("activation_post_process") == nullptr);
  CHECK(known.find("placeholder") == nullptr);
}

}  // namespace
