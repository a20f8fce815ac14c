// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/lower/integer_forms.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "ctq/backends/qconfigs.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/prepare.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

using graph = graph_view<stage::reference>;

constexpr auto net = model(
    "x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
    "add"_n = op::add("fc"_n, "x"_n), "relu"_n = nn::relu("add"_n), "out"_n = nn::output("relu"_n));

template <class Mapping>
dynamic_graph<stage::reference> converted() {
  const auto fused = fuse(net.view(), backend_v<x86>);
  const auto prepared = prepare_graph(fused.view(), backend_v<x86>, mapping_v<Mapping>);
  return convert_graph(prepared.view(), backend_v<x86>, mapping_v<Mapping>);
}

/// The quantize behind a node, or the node that reads it last.
int reader_of(graph g, std::string_view name) {
  int last = -1;
  for (int i = 0; i < g.size(); ++i)
    for (const int a : g.args_of(i))
      if (g[a].name == name) last = i;
  return last;
}

TEST_CASE("ops between dequantize and quantize stand in the place of the quantize") {
  struct everywhere
      : qconfig_mapping<global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>> {};
  const auto reference = converted<everywhere>();
  const graph g = reference.view();
  const lowering::integer_forms<graph> forms{g, semantics{}, true};

  const int linear = reader_of(g, "fc");
  CHECK(forms.form[linear] == q::linear.id());
  CHECK(forms.of[linear] == find(g, "fc"));
  CHECK(forms.relu[linear] == -1);
  CHECK(forms.fused[find(g, "fc")]);
  CHECK(g[forms.source(linear, 0)].op == q::quantize_per_tensor.id());

  const int sum = reader_of(g, "relu");  // which goes into the add
  CHECK(forms.form[sum] == q::add_relu.id());
  CHECK(forms.of[sum] == find(g, "add"));
  CHECK(forms.relu[sum] == find(g, "relu"));
  CHECK(forms.fused[find(g, "add")]);
  CHECK(forms.fused[find(g, "relu")]);
}

TEST_CASE("an op whose input is quantized as it comes stands in its own place and reads floats") {
  using dynamic = qconfig<placeholder_observer<{.dtype = quint8, .is_dynamic = true}>,
                          min_max_observer<{.dtype = qint8}>>;
  struct mapping : qconfig_mapping<object_type<nn::linear, dynamic>> {};
  const auto reference = converted<mapping>();
  const graph g = reference.view();
  for (const bool only_with_kernels : {false, true}) {
    const lowering::integer_forms<graph> forms{g, semantics{}, only_with_kernels};
    const int fc = find(g, "fc");
    CHECK(forms.form[fc] == q::linear_dynamic.id());
    CHECK(forms.is_dynamic[fc]);
    CHECK(g[forms.source(fc, 0)].name == "x");
  }
}

TEST_CASE("where a kernel is asked for, an op that has none keeps its float form") {
  struct mapping : qconfig_mapping<object_type<nn::linear, float16_dynamic_qconfig>> {};
  const auto reference = converted<mapping>();
  const graph g = reference.view();
  for (const bool only_with_kernels : {false, true}) {
    const lowering::integer_forms<graph> forms{g, semantics{}, only_with_kernels};
    CHECK((forms.form[find(g, "fc")] == nullptr) == only_with_kernels);
  }
}

}  // namespace
