// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/nearest.hpp"

#include <doctest/doctest.h>

using namespace ctq::json;

namespace {

static_assert(edits("", "", 3) == 0 && edits("abc", "abc", 0) == 0);
static_assert(edits("conv", "cnv", 3) == 1);    // one missing
static_assert(edits("conv", "convv", 3) == 1);  // one too many
static_assert(edits("conv", "cobv", 3) == 1);   // another one
static_assert(edits("kitten", "sitting", 5) == 3);
static_assert(edits("abc", "xyz", 1) == 2);  // more than the limit is limit + 1
static_assert(edits("a", "abcdef", 2) == 3);
static_assert(edits("a", "a", -1) == 0);  // whatever: more than -1

constexpr std::string_view nearest_op(std::string_view wrong) {
  nearest n{wrong};
  for (const std::string_view known :
       {"torch.nn.Conv1d", "torch.nn.Conv2d", "torch.ao.nn.qat.Conv2d", "torch.nn.Linear"})
    n.offer(known);
  return n.found();
}

static_assert(nearest_op("torch.nn.conv2d") == "torch.nn.Conv2d");
static_assert(nearest_op("torch.nn.Conv2") == "torch.nn.Conv2d");
static_assert(nearest_op("torch.nn.Conv_d") == "torch.nn.Conv1d");  // the first of equals
static_assert(nearest_op("torch.nn.Liner") == "torch.nn.Linear");
static_assert(nearest_op("Conv2d") == "torch.nn.Conv2d");  // another prefix is one edit
static_assert(nearest_op("torch.nn.Softmax").empty());
static_assert(nearest_op("").empty());

TEST_CASE("names of any length are compared") {
  nearest n{"a name that is much longer than any that is known, by far and away, really"};
  n.offer("a name");
  CHECK(n.found().empty());
}

}  // namespace
