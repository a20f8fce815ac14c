// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/evaluator_qparams.hpp"

#include <doctest/doctest.h>

#include "ctq/evaluate/evaluator.hpp"
#include "ctq/io/load_modules.hpp"
#include "ctq/io/read_fx.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "qat_network.hpp"

using namespace ctq;
using namespace qat_network;

namespace {

/// How many outputs of the traced network differ from those of PyTorch's convert_fx.
int differences(const torch_qat::trained& from, const backend_view& backend,
                const mapping_view& mapping) {
  const written weights(from.weights);
  const written file(from.qparams);
  const fx_graph traced = read_fx(torch_qat::rows).value_or_exit();
  const module_state modules = load_modules(traced, weights.path()).value_or_exit();
  const auto fused = fuse(traced.view(), backend, {.is_qat = true});
  const prepare_options options{.policy = unsupported::skip, .is_qat = true};
  const auto prepared = prepare_graph(fused.view(), backend, mapping, options);
  const auto lowered =
      lower(convert_graph(prepared.view(), backend, mapping, {.prepared = options}).view());
  const auto qparams =
      evaluator_qparams(prepared.view(), load_qparams(file.path()).value_or_exit()).value_or_exit();
  evaluator<stage::lowered> run(lowered.view(), modules, {.qparams = &qparams});
  float_ops::tensor x = float_ops::filled<float>({1, 3, 6, 6});
  std::ranges::copy(from.input, x.data.begin());
  const auto all = run.run({node_value(x)}).value_or_exit();
  const float_ops::value y = all.back().real();
  const auto& found = *y.get_if<float_ops::tensor>();
  REQUIRE(found.data.size() == from.output.size());
  int different = 0;
  for (std::size_t k = 0; k < found.data.size(); ++k)
    different += found.data[k] != from.output[k] ? 1 : 0;
  return different;
}

mapping_view defaults(std::string_view backend) {
  static list<mapping_entry> entries;
  entries = default_qconfig_mapping_entries(backend, true);
  return {entries.begin(), static_cast<int>(entries.size())};
}

}  // namespace

TEST_CASE("a traced network that PyTorch has trained gives the outputs of convert_fx") {
  CHECK(differences(torch_qat::per_channel, backend_v<fbgemm>, defaults("fbgemm")) == 0);
  CHECK(differences(torch_qat::per_tensor, backend_v<qnnpack>, defaults("qnnpack")) == 0);
  CHECK(differences(torch_qat::learned, backend_v<qnnpack>, mapping_v<learned>) == 0);
}

TEST_CASE("a value without qparams is an error") {
  constexpr auto& backend = backend_v<qnnpack>;
  const auto fused = fuse(net.view(), backend);
  const auto prepared = prepare_graph(fused.view(), backend, mapping_v<learned>);
  CHECK(evaluator_qparams(prepared.view(), {}).error().message() ==
        "node x: the file of qparams has no scale and zero point of it");
}
