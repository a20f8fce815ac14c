// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/node.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ctq;

namespace {

static_assert(is_any_of(nn::relu.id(), fn::relu, nn::relu));
static_assert(!is_any_of(nn::relu.id(), fn::relu, nn::conv2d));

static_assert(!choice{}.quantized());
static_assert(choice{.dtype_config = 0}.quantized());
static_assert(node{}.dtype == f32 && node{}.observer == -1 && node{}.number == -1);

static_assert(module_of_call("fc") == "fc" && module_of_call("fc#2") == "fc");
static_assert(module_of_call("conv1") == "conv1" && module_of_call("#2") == "#2");
static_assert(module_of_call("a#b") == "a#b" && module_of_call("a#") == "a#");
static_assert(path_of(node{.name = "head.fc#12"}) == "head.fc");

TEST_CASE("a node of the user has its name, one that a pass put in a number too") {
  std::string out;
  append_name(out, node{.name = "layer1.0.conv1"});
  out += ' ';
  append_name(out, node{.name = "activation_post_process", .number = 3});
  out += ' ';
  append_name(out, node{.name = "dequantize", .number = 0});
  CHECK(out == "layer1.0.conv1 activation_post_process_3 dequantize_0");
}

}  // namespace
