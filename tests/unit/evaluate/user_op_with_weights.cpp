// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user op with weights, options, a channel axis and kernels on integers: through both executors,
// the evaluator and a backend from JSON. tests/integration/ctq checks the JSON and imports the op.

#include <doctest/doctest.h>

#include "../runtime/compare_executors.hpp"
#include "../user_gate.hpp"
#include "compare_evaluator.hpp"
#include "ctq/json/spec_from_json.hpp"
#include "user_gate.json.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

struct device
    : x86::set<"device",
               backend_pattern_config<pattern<user::gate>, dtype_configs<weighted_int8>>> {};

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 3, 7, 9}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 5, .kernel_size = 3, .padding = 1}),
          "gate"_n = user::gate("conv"_n, {.slope = 0.5F}), "again"_n = user::gate("gate"_n),
          "flat"_n = fn::flatten("again"_n, {.start_dim = 1}),
          "fc"_n = nn::linear("flat"_n, {.out_features = 4}), "out"_n = nn::output("fc"_n));

// ---- the descriptor

static_assert(user::gate.id()->descriptor->weights == op_weights::quantizable);
static_assert(user::gate.id()->descriptor->on_integers == on_integers::where_functions);
static_assert(user::gate.id()->descriptor->functions.has_integer_form(qint8));
static_assert(net.nodes[2].attrs.as<user::gate_options>().channels == 5);  // found
static_assert(options_of(user::gate.id()).fields[1].name == "slope");

TEST_CASE("the tensors of a user's op are those that it says") {
  const auto all = parameters_of(net.view()[2]);
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "gate.weight");
  CHECK(all[0].shape == std::vector<int>{2, 5});
  CHECK(all[1].name == "gate.bias");
  weights missing = small::random_weights<net>(1);
  std::vector<weight_tensor> some = missing.tensors();
  std::erase_if(some, [](const weight_tensor& t) { return t.name == "gate.bias"; });
  CHECK_FALSE(model_weights<net>::check(weights{some}));
}

TEST_CASE("what is no tensor, or has another shape than parameters() says, is an error") {
  const node& gate = net.view()[2];
  const float_ops::value x = float_ops::filled({1, 5, 7, 9});
  CHECK(user_call(gate, {float_ops::value(1)}, {}).error().message() ==
        "user.Gate: requires tensors");
  CHECK(user_call(gate, {x}, {{"weight", float_ops::filled({5, 2})}}).error().message() ==
        "user.Gate: weight is not a tensor of the shape that parameters() declares");
  std::vector<weight_tensor> tensors = small::random_weights<net>(1).tensors();
  for (weight_tensor& t : tensors)
    if (t.name == "gate.bias") t.values.pop_back();
  CHECK(quantize_parameters<plan<net, device, small::int8>>(weights{std::move(tensors)})
            .error()
            .message() == "tensor gate.bias: has another shape than the op says");
}

// ---- both executors and the evaluator

template <class Backend>
void executors_agree() {
  using p = plan<net, Backend, small::int8>;
  for (const char* name : {"gate", "again"})
    CHECK(p::lowered.nodes[static_cast<std::size_t>(find(p::lowered.view(), name))].dtype ==
          quint8);
  user::op_gate::runs = 0;
  const small::differences d =
      small::compare_executors<net, Backend, small::int8>(20, small::and_evaluator{});
  CHECK(user::op_gate::runs == 40);  // by the compiled model alone
  CHECK(d.other_bytes == 0);
  CHECK(d.error < 0.05F * d.size);
}

TEST_CASE("a user's op with weights has the same bytes in both executors and the evaluator") {
  executors_agree<device>();
}

// ---- a backend from JSON, which `ctq check` accepts too

struct from_file : spec_from_json<user_gate_json, ops<builtin, user::gate>> {};

TEST_CASE("the same with a backend from JSON that names the op") { executors_agree<from_file>(); }

}  // namespace
