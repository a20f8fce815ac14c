// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/lower/missing_kernel.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/qnnpack.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "ctq/passes/schedule/schedule.hpp"
#include "networks/mobilenet_v3_small.hpp"
#include "user_ops.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

using everywhere =
    qconfig_mapping<global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>>;

template <class Backend>
dynamic_graph<stage::lowered> lowered(graph_view<stage::traced> g) {
  const auto fused = fuse(g, backend_v<Backend>);
  const auto prepared = prepare_graph(fused.view(), backend_v<Backend>, mapping_v<everywhere>);
  return lower(convert_graph(prepared.view(), backend_v<Backend>, mapping_v<everywhere>).view());
}

// own::sum has no form on integers, own::swish has one.
struct with_own
    : x86::set<"with_own",
               backend_pattern_config<pattern<own::swish>, dtype_configs<activation_int8>>,
               backend_pattern_config<pattern<own::sum>, dtype_configs<activation_int8>>> {};

TEST_CASE("an op without a form on integers is an error that says what to define") {
  constexpr auto net =
      model("x"_n = nn::placeholder({1, 4, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
            "c"_n = own::sum("fc"_n), "d"_n = own::swish("c"_n), "out"_n = nn::output("d"_n));
  const auto g = lowered<with_own>(net.view());
  CHECK(std::string{missing_kernel(g.view(), backend_v<with_own>).message()} ==
        "the QConfig cannot be honoured:\nbackend: with_own\nnode: c\npattern: own.sum\n"
        "no integer kernel for\nown.sum\nquint8 to quint8\noutput shape: 1x4\n"
        "integer kernels:\n"
        "requantize, relu, binary_add, binary_mul, binary_sub, binary_div, conv2d, conv3d, "
        "conv_transpose2d, conv_transpose3d, linear, batch_norm2d, pooling_max, pooling_avg, "
        "resampling, pixel_shuffle, pad, concat, reduction, softmax, layer_norm, prelu, matmul, "
        "elementwise, function\n"
        "define static void run(...) in the op\n"
        "to keep it in float:\nallow_float<c>");
}

/// How many steps of the int8 model have this kernel; -1: it does not compile.
template <class Backend>
int steps_with(kernel_id kernel, graph_view<stage::traced> g) {
  const auto entries = default_qconfig_mapping_entries(backend_v<Backend>.name, false);
  const mapping_view mapping{entries.data(), static_cast<int>(entries.size())};
  const auto fused = fuse(g, backend_v<Backend>);
  const auto prepared = prepare_graph(fused.view(), backend_v<Backend>, mapping);
  const auto reference = convert_graph(prepared.view(), backend_v<Backend>, mapping);
  const auto low = lower(reference.view());
  const auto steps = schedule(low.view());
  if (prepared.problem.any() || missing_kernel(low.view(), backend_v<Backend>).any() ||
      steps.problem.any())
    return -1;
  int found = 0;
  for (const step& s : steps.steps) {
    const bool converts =
        s.signature.kernel == kernel::quantize || s.signature.kernel == kernel::dequantize;
    if (s.signature.in == f32 && !converts) return -1;
    found += s.signature.kernel == kernel ? 1 : 0;
  }
  return found;
}

TEST_CASE("all of MobileNetV3 runs on integers, squeeze and excitation as broadcast products") {
  constexpr auto net = networks::mobilenet_v3_small(64);
  REQUIRE(!net.problem.any());
  CHECK(steps_with<x86>(kernel::binary_mul_broadcast, net.view()) == 9);
  CHECK(steps_with<qnnpack>(kernel::binary_mul_broadcast, net.view()) == 9);
  CHECK(steps_with<qnnpack>(kernel::binary_mul, net.view()) == 0);
}

TEST_CASE("where all that the backend accepted runs on integers there is nothing to tell") {
  constexpr auto net =
      model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
            "d"_n = own::swish("fc"_n), "out"_n = nn::output("d"_n));
  const auto g = lowered<with_own>(net.view());
  CHECK(first_without_kernel(g.view(), backend_v<with_own>) == -1);
  CHECK(!missing_kernel(g.view(), backend_v<with_own>).any());
}

TEST_CASE("an op that is cheap in float may be computed there, between integers") {
  struct soft
      : backend_config<
            "soft", backend_pattern_config<pattern<nn::softmax>, dtype_configs<activation_int8>>> {
  };
  dynamic_graph<stage::lowered> g;
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  node n{.name = "s", .op = nn::softmax.id()};
  n.choice.pattern = 0;
  n.choice.dtype_config = 0;
  g.add(n, 0);
  CHECK(is_observed(g.nodes[1], backend_v<soft>));
  CHECK(first_without_kernel(g.view(), backend_v<soft>) == -1);
  g.nodes[1].op = nn::linear.id();  // a layer is too slow there
  CHECK(first_without_kernel(g.view(), backend_v<soft>) == 1);
}

// A backend that observes nothing of a relu does not ask for one on integers.
struct free_relu
    : backend_config<
          "free_relu", backend_pattern_config<pattern<nn::linear>, dtype_configs<weighted_int8>>,
          backend_pattern_config<pattern<nn::relu>, dtype_configs<activation_int8>,
                                 observation<observation_type::input_output_not_observed>>> {};

TEST_CASE("an op that the backend does not observe may stay in float") {
  constexpr auto net =
      model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::relu("x"_n), "out"_n = nn::output("a"_n));
  const auto g = lowered<free_relu>(net.view());
  const int relu = find(g.view(), "a");
  REQUIRE(relu >= 0);
  CHECK(g.nodes[static_cast<std::size_t>(relu)].choice.quantized());
  CHECK(!is_observed(g.nodes[static_cast<std::size_t>(relu)], backend_v<free_relu>));
  CHECK(first_without_kernel(g.view(), backend_v<free_relu>) == -1);
}

}  // namespace
