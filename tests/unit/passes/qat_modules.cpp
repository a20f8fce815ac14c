// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/qat_modules.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/native.hpp"
#include "ctq/graph/model.hpp"
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

}  // namespace
