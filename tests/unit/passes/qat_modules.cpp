// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/qat_modules.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/native.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/prepare.hpp"
#include "graphs.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

static_assert(qat_module_of(backend_v<native>, nn::linear.id()) == nnqat::linear.id());
static_assert(qat_module_of(backend_v<native>, nni::conv_bn2d.id()) == nniqat::conv_bn2d.id());
static_assert(qat_module_of(backend_v<native>, nn::relu.id()) == nullptr);
static_assert(qat_module_of(backend_v<native>, fn::linear.id()) == nullptr);

// A batch norm that was trained beside its conv is folded.
static_assert(nniqat::conv_bn_relu2d.id()->descriptor->float_form == nni::conv_relu2d.id());
static_assert(nniqat::linear_bn1d.id()->descriptor->float_form == nn::linear.id());
static_assert(nn::linear.id()->descriptor->float_form == nullptr);

constexpr auto net = model("x"_n = nn::placeholder({1, 2, 4, 4}),
                           "conv"_n = nn::conv2d("x"_n, {.out_channels = 2, .kernel_size = 3}),
                           "bn"_n = nn::batch_norm2d("conv"_n), "relu"_n = nn::relu("bn"_n),
                           "last"_n = nn::conv2d("relu"_n, {.out_channels = 2, .kernel_size = 1}),
                           "out"_n = nn::output("last"_n));

using trained = qconfig<fake_quantize<moving_average_min_max_observer<>>,
                        fake_quantize<min_max_observer<{.dtype = qint8}>>>;

TEST_CASE("for training modules are swapped that have a qconfig, and keep their batch norm") {
  struct mapping : qconfig_mapping<global<trained>, allow_float<"last">> {};
  const auto fused = fuse(net.view(), backend_v<native>, {.is_qat = true});
  CHECK(fused.view()[1].op == nni::conv_bn_relu2d.id());
  CHECK(fused.view()[1].batch_norm == "bn");
  const auto prepared = prepare_graph(fused.view(), backend_v<native>, mapping_v<mapping>,
                                      prepare_options{.is_qat = true});
  REQUIRE(!prepared.problem.any());
  const graph_view<stage::prepared> g = prepared.view();
  const node& conv = g[find(g, "conv")];
  CHECK(conv.op == nniqat::conv_bn_relu2d.id());
  REQUIRE(conv.weight != nullptr);
  CHECK(conv.weight->fake_quantize == fake_quantize_class::fake_quantize);
  CHECK(g[find(g, "last")].op == nn::conv2d.id());
  CHECK(g[find(g, "last")].weight == nullptr);
  CHECK(prepared.observers == 2);
}

TEST_CASE("PyTorch 1.13 hands qconfigs down from module to module, past expressions and orders") {
  using other = qconfig<fake_quantize<moving_average_min_max_observer<>>,
                        fake_quantize<per_channel_min_max_observer<>>>;
  struct mapping
      : qconfig_mapping<global<trained>, object_type<nn::linear, other>,
                        module_name<"a.b", trained>, module_name<"c", qconfig_none>,
                        module_name_regex<"d", qconfig_none>, object_type<nn::relu, qconfig_none>> {
  };
  constexpr mapping_view m = mapping_v<mapping>;
  const op_index types = resolving::types_of(m);
  const auto entry_of = [&](std::string_view path, op_id op, op_id around = nullptr) {
    const fx_row row{.target = path, .scope_type = around};
    return handed_down_entry(m, types, node{.name = "n", .op = op, .row = &row},
                             semantics::torch_1_13);
  };
  CHECK(entry_of("a.fc", nn::linear.id()) == 1);
  CHECK(entry_of("a.b", nn::linear.id()) == 2);
  CHECK(entry_of("a.b.fc", nn::linear.id()) == 1);  // its type, not the name of the one around it
  CHECK(entry_of("a.b.conv", nn::conv2d.id()) == 2);
  CHECK(entry_of("c.conv", nn::conv2d.id()) == 3);
  CHECK(entry_of("d", nn::conv2d.id()) == 0);
  CHECK(entry_of("e.conv", nn::conv2d.id(), nn::relu.id()) == 5);
  CHECK(entry_of("e.f.conv", nn::conv2d.id(), nn::relu.id()) == 5);
  CHECK(entry_of("e.conv", nn::conv2d.id()) == 0);
}

TEST_CASE(
    "an expression that leaves a module in float does not keep 1.13 from training its weight") {
  using other = qconfig<fake_quantize<moving_average_min_max_observer<>>,
                        fake_quantize<per_channel_min_max_observer<>>>;
  struct mapping : qconfig_mapping<global<trained>, module_name_regex<"conv", qconfig_none>,
                                   module_name_regex<"last", other>> {};
  const auto fused = fuse(net.view(), backend_v<native>, {.is_qat = true});
  const auto with = [&](semantics s) {
    return prepare_graph(fused.view(), backend_v<native>, mapping_v<mapping>,
                         prepare_options{.semantics = s, .is_qat = true});
  };
  const auto old = with(semantics::torch_1_13);
  const node& conv = old.view()[find(old.view(), "conv")];
  CHECK(conv.op == nniqat::conv_bn_relu2d.id());
  const node& last = old.view()[find(old.view(), "last")];
  CHECK(last.weight->type == observer_class::min_max);
  const auto now = with(semantics::torch_2_1);
  CHECK(now.view()[find(now.view(), "conv")].op == nni::conv_bn_relu2d.id());
  CHECK(now.view()[find(now.view(), "last")].weight->type == observer_class::per_channel_min_max);
  // What was trained is what convert quantizes.
  const auto made = convert_graph(old.view(), backend_v<native>, mapping_v<mapping>,
                                  {.semantics = semantics::torch_1_13});
  CHECK(made.view()[find(made.view(), "last")].weight == last.weight);
}

}  // namespace
