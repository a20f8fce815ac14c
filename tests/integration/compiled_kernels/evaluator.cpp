// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An evaluator with fast_kernels calls the kernels of the library ctq-kernels, of the instruction
// set that CTQ_ISA names, and gives the bytes of the reference. Compiled without flags of an
// instruction set, and with -DCTQ_COMPILED_KERNELS.

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "../../unit/runtime/small_net.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/evaluate/calibrated_qparams.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

int wrong = 0;

void check(bool right, const std::string& what) {
  if (right) return;
  ++wrong;
  std::printf("wrong: %s\n", what.c_str());
}

/// Layers along two and three axes, transposed ones too, and one that stays in float.
inline constexpr auto layers = model(
    "x"_n = nn::placeholder({1, 4, 6, 8, 7}),
    "volume"_n = nn::conv3d("x"_n, {.out_channels = 9, .kernel_size = 3, .padding = 1}),
    "up3"_n = nn::conv_transpose3d("volume"_n, {.out_channels = 5, .kernel_size = 2, .stride = 2}),
    "images"_n = fn::flatten("up3"_n, {.start_dim = 2, .end_dim = 3}),
    "conv"_n = nn::conv2d("images"_n, {.out_channels = 20, .kernel_size = 3}),
    "up2"_n = nn::conv_transpose2d("conv"_n, {.out_channels = 6, .kernel_size = 3, .stride = 2}),
    "sigmoid"_n = nn::sigmoid("up2"_n),
    "in_float"_n = nn::conv2d("sigmoid"_n, {.out_channels = 3, .kernel_size = 3}),
    "pool"_n = nn::avg_pool2d("in_float"_n, {.kernel_size = 5}),
    "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 11}), "out"_n = nn::output("fc"_n));

/// Transposed convolutions have one scale for the weight.
using one_scale = qconfig<min_max_observer<>, min_max_observer<{.dtype = qint8}>>;
struct but_one
    : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>,
                      object_type<nn::conv_transpose2d, one_scale>,
                      object_type<nn::conv_transpose3d, one_scale>,
                      module_name<"in_float", qconfig_none>> {};

std::vector<float> floats_of(const node_value& v) {
  return v.real().get_if<float_ops::tensor>()->data;
}

template <const auto& Model, class Mapping>
void check_model(const std::string& name) {
  module_state modules;
  for (const weight_tensor& t : small::random_weights<Model>(5).tensors())
    modules.set_tensor(t.name, float_ops::tensor{t.shape, t.values});
  std::mt19937 random(3);
  const ctq::shape& s = Model.view()[0].shape;
  const auto input = [&] {
    float_ops::tensor x = float_ops::filled<float>({s.extent, s.extent + s.rank});
    std::normal_distribution<float> normal;
    for (float& v : x.data) v = normal(random);
    return std::vector<node_value>{x};
  };
  const auto fused = fuse(Model.view(), backend_v<x86>);
  const auto prepared = prepare_graph(fused.view(), backend_v<x86>, mapping_v<Mapping>);
  const auto reference = convert_graph(prepared.view(), backend_v<x86>, mapping_v<Mapping>);
  const auto lowered = lower(reference.view());

  observer_set observers;
  evaluator<stage::prepared, fast_kernels> calibrate(prepared.view(), modules,
                                                     {.observers = &observers});
  for (int i = 0; i < 4; ++i) calibrate.forward(input()).value_or_exit();
  const model_qparams qparams = calibrated_qparams(prepared.view(), observers).value_or_exit();
  evaluator<stage::lowered> expected(lowered.view(), modules, {.qparams = &qparams});
  for (const kernel_set* set : compiled_kernels::all()) {
    setenv("CTQ_ISA", std::string{set->isa}.c_str(), 1);
    evaluator<stage::lowered, fast_kernels> run(lowered.view(), modules, {.qparams = &qparams});
    for (int i = 0; i < 4; ++i) {
      const auto x = input();
      check(floats_of(run.forward(x).value_or_exit()) ==
                floats_of(expected.forward(x).value_or_exit()),
            name + " on " + std::string{set->isa});
    }
  }
}

void check_wrong_name() {
  setenv("CTQ_ISA", "avx1024", 1);
  const module_state modules;
  const auto fused = fuse(small::mlp.view(), backend_v<x86>);
  evaluator<stage::fused, fast_kernels> run(fused.view(), modules, {});
  const auto out = run.forward({node_value(float_ops::filled<float>({3, 21}))});
  check(!out && out.error().place == "CTQ_ISA", "a wrong name is an error of the run");
}

}  // namespace

int main() {
  check_model<small::net, small::int8>("each kind of step");
  check_model<layers, but_one>("each kind of layer");
  check_wrong_name();
  std::printf("%zu instruction sets, %d wrong\n", compiled_kernels::all().size(), wrong);
  return wrong == 0 && !compiled_kernels::all().empty() ? 0 : 1;
}
