// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user-defined backend: its patterns, their dtypes and constraints. A request that it does not
// support is a compile error.

#include <cstdio>
#include <ctq/backends.hpp>
#include <ctq/passes.hpp>
#include <string>

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace nni = ctq::nni;
namespace fn = ctq::fn;

// [backend]
namespace npu_spec {

using namespace ctq;
using activation = dtype_with_constraints<quint8, quant_min<0>, quant_max<255>, scale_min<0x1p-12>>;
using weights = dtype_with_constraints<qint8, quant_min<-127>, quant_max<127>, scale_min<0x1p-12>>;
using int8 = dtype_config<input_dtype<activation>, output_dtype<activation>, weight_dtype<weights>,
                          bias_dtype<f32>>;
using same = dtype_config<input_dtype<activation>, output_dtype<activation>>;

struct npu
    : backend_config<
          "npu",
          backend_pattern_config<pattern<nn::linear>, dtype_configs<int8>, root_module<nn::linear>>,
          backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<int8>,
                                 fused_module<nni::conv_relu2d>>,
          backend_pattern_config<pattern<nni::conv_relu2d>, dtype_configs<int8>,
                                 root_module<nn::conv2d>>,
          backend_pattern_config<pattern<nn::max_pool2d>, dtype_configs<same>,
                                 share_observer_with_input>,
          backend_pattern_config<pattern<fn::flatten>, dtype_configs<same>,
                                 share_observer_with_input>> {};

}  // namespace npu_spec
// [backend]

// [override]
// The same, but linear layers stay in float: a pattern that is set again replaces the first.
struct npu_without_linear
    : npu_spec::npu::set<"npu_without_linear",
                         ctq::backend_pattern_config<ctq::pattern<nn::linear>>> {};
// [override]

inline constexpr auto lenet = ctq::model(
    "x"_n = nn::placeholder({1, 1, 28, 28}),
    "conv1"_n = nn::conv2d("x"_n, {.out_channels = 6, .kernel_size = 5, .padding = 2}),
    "relu1"_n = nn::relu("conv1"_n), "pool1"_n = nn::max_pool2d("relu1"_n, {.kernel_size = 2}),
    "flat"_n = fn::flatten("pool1"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 10}), "out"_n = nn::output("fc"_n));

// [mapping]
// npu requires scales of at least 2^-12, which the observers guarantee by their eps.
using npu_qconfig = ctq::qconfig<
    ctq::histogram_observer<{.dtype = ctq::quint8, .eps = 0x1p-12F}>,
    ctq::per_channel_min_max_observer<{.quant_min = -127, .quant_max = 127, .eps = 0x1p-12F}>>;

struct everywhere : ctq::qconfig_mapping<ctq::global<npu_qconfig>> {};
struct but_fc : everywhere::set<ctq::allow_float<"fc">> {};

static_assert(ctq::explain<lenet, npu_spec::npu, everywhere>().quantized("relu1"));
static_assert(!ctq::explain<lenet, npu_without_linear, but_fc>().quantized("fc"));
// [mapping]

int main() {
  std::string table;
  constexpr auto explanation = ctq::explain<lenet, npu_without_linear, but_fc>();
  explanation.append_to(table);
  std::fputs(table.c_str(), stdout);
}
