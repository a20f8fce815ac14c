// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/pattern.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

constexpr pattern_record single = pattern<nn::linear>::value;
static_assert(single.is_single() && single.anchor() == nn::linear.id());
static_assert(single.element[0] == pattern_element{nn::linear.id(), 0});

// The op nearest the output first, each with the one before as its only argument.
constexpr pattern_record chain = pattern<nn::conv2d, nn::batch_norm2d, nn::relu>::value;
static_assert(chain.element.size() == 3 && !chain.is_single());
static_assert(chain.element[0] == pattern_element{nn::relu.id(), 1});
static_assert(chain.element[1] == pattern_element{nn::batch_norm2d.id(), 1});
static_assert(chain.element[2] == pattern_element{nn::conv2d.id(), 0});

// A tree in pre-order.
using residual = pattern<nested<op::add, match_all, nested<nn::batch_norm2d, nn::conv2d>>>;
static_assert(residual::value.element.size() == 4);
static_assert(residual::value.element[0] == pattern_element{op::add.id(), 2});
static_assert(residual::value.element[1] == pattern_element{nullptr, 0});
static_assert(residual::value.element[2] == pattern_element{nn::batch_norm2d.id(), 1});
static_assert(residual::value.element[3] == pattern_element{nn::conv2d.id(), 0});

// A chain may begin with a tree; the nested form of the whole says the same.
using then_relu = pattern<nested<op::add, match_all, nn::conv2d>, nn::relu>;
static_assert(then_relu::value ==
              pattern<nested<nn::relu, nested<op::add, match_all, nn::conv2d>>>::value);
static_assert(pattern<nested<nn::relu, nn::conv2d>>::value == pattern<nn::conv2d, nn::relu>::value);

static_assert(pattern<nn::relu>::value != pattern<fn::relu>::value);
static_assert(pattern<nn::conv2d, nn::relu>::value != pattern<nn::relu, nn::conv2d>::value);

// Long chains.
static_assert(pattern<nn::relu, nn::relu, nn::relu, nn::relu, nn::relu, nn::relu, nn::relu,
                      nn::relu, nn::relu, nn::relu, nn::relu, nn::relu, nn::relu, nn::relu,
                      nn::relu, nn::relu, nn::relu>::value.element.size() == 17);

static_assert(subtree(residual::value, 0) == 4 && subtree(residual::value, 2) == 2);
static_assert(is_chain(chain) && is_chain(single) && !is_chain(residual::value));

// What is no op is no part of a pattern.
static_assert(pattern_parts::names_ops<pattern<nn::conv2d>> &&
              pattern_parts::names_ops<pattern<nested<op::add, match_all, nn::conv2d>, nn::relu>>);
static_assert(!pattern_parts::names_ops<pattern<5>> &&
              !pattern_parts::names_ops<pattern<nested<op::add, match_all, 5>>> &&
              !pattern_parts::names_ops<int>);

template <class Pattern>
std::string text_of() {
  std::string out;
  append_pattern(out, Pattern::value);
  return out;
}

TEST_CASE("one op prints as its name") {
  CHECK(text_of<pattern<nn::linear>>() == "torch.nn.Linear");
}

TEST_CASE("a chain prints in the order the data flows") {
  CHECK(text_of<pattern<nn::conv2d, nn::relu>>() == "(torch.nn.Conv2d, torch.nn.ReLU)");
  CHECK(text_of<pattern<nn::conv2d, nn::batch_norm2d, fn::relu>>() ==
        "(torch.nn.Conv2d, torch.nn.BatchNorm2d, torch.nn.functional.relu)");
}

TEST_CASE("a tree prints as PyTorch's nested tuple") {
  CHECK(text_of<residual>() ==
        "(_operator.add, MatchAllNode, (torch.nn.BatchNorm2d, torch.nn.Conv2d))");
  CHECK(text_of<then_relu>() == "(torch.nn.ReLU, (_operator.add, MatchAllNode, torch.nn.Conv2d))");
  CHECK(
      text_of<
          pattern<nested<op::add, nested<nn::relu, nn::conv2d>, nested<nn::relu, nn::linear>>>>() ==
      "(_operator.add, (torch.nn.ReLU, torch.nn.Conv2d), (torch.nn.ReLU, torch.nn.Linear))");
  CHECK(text_of<pattern<nested<op::add, nested<nn::relu, nn::conv2d>, match_all>>>() ==
        "(_operator.add, (torch.nn.ReLU, torch.nn.Conv2d), MatchAllNode)");
}

}  // namespace
