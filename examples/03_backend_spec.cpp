// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The specs of docs/howto/describe_a_backend.md, next to their PyTorch equivalents: as types, and
// from JSON.

#include <cstdio>
#include <ctq/backends/x86.hpp>
#include <ctq/json/spec_from_json.hpp>
#include <ctq/json/to_json.hpp>

using namespace ctq;

// A backend with one dtype config, as in the documentation of PyTorch's BackendConfig.
// [dtypes]
using quint8_activation = dtype_with_constraints<quint8>;
using qint8_weight = dtype_with_constraints<qint8>;
using weighted_int8_dtype_config =
    dtype_config<input_dtype<quint8_activation>, output_dtype<quint8_activation>,
                 weight_dtype<qint8_weight>, bias_dtype<f32>>;
// [dtypes]

// [patterns]
// For quantizing Linear
using linear_config =
    backend_pattern_config<pattern<nn::linear>, dtype_configs<weighted_int8_dtype_config>,
                           root_module<nn::linear>, qat_module<nnqat::linear>,
                           reference_quantized_module<nnqr::linear>>;

// For fusing Conv2d + ReLU into ConvReLU2d
using conv_relu_config =
    backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<weighted_int8_dtype_config>,
                           fused_module<nni::conv_relu2d>, fuser_method<sequential_wrapper2>>;

// For quantizing ConvReLU2d
using fused_conv_relu_config =
    backend_pattern_config<pattern<nni::conv_relu2d>, dtype_configs<weighted_int8_dtype_config>,
                           root_module<nn::conv2d>, qat_module<nniqat::conv_relu2d>,
                           reference_quantized_module<nnqr::conv2d>>;

struct my_backend
    : backend_config<"my_backend", linear_config, conv_relu_config, fused_conv_relu_config> {};
[[maybe_unused]] constexpr checked_backend<my_backend> my_backend_is_well_formed;
// [patterns]

// [residual]
// A residual block that becomes one module: relu(add(anything, batch_norm(conv(x)))).
struct op_conv_bn_add_relu : module_op<op_conv_bn_add_relu, conv2d_options> {
  static constexpr std::string_view name = "my.ConvBnAddReLU2d";
};
inline constexpr op_conv_bn_add_relu conv_bn_add_relu{};

inline constexpr fuser fuse_residual{"my.fuse_residual",
                                     [](const fuser_arguments& a) { return a.fused_module; }};

using residual_config = backend_pattern_config<
    pattern<nested<nn::relu, nested<op::add, match_all, nested<nn::batch_norm2d, nn::conv2d>>>>,
    dtype_configs<weighted_int8_dtype_config>, fused_module<conv_bn_add_relu>,
    fuser_method<fuse_residual>,
    root_node_getter<path<1, 2, 1>>,   // relu, (add, (bn, conv)): the conv
    extra_inputs_getter<path<1, 1>>>;  // relu, (add, anything): what is added

struct with_residuals : my_backend::set<"with_residuals", residual_config> {};
[[maybe_unused]] constexpr checked_backend<with_residuals> with_residuals_is_well_formed;
// [residual]

// The same backend as a file, which Meson's ctq_embed would make of my_backend.json.
// [file]
inline constexpr embedded_file my_backend_json{"my_backend.json", R"({
  "name": "my_backend",
  "configs": [
    {"pattern": "torch.nn.Linear",
     "observation_type": "OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT",
     "dtype_configs": [{"input_dtype": "torch.quint8", "output_dtype": "torch.quint8",
                        "weight_dtype": "torch.qint8", "bias_dtype": "torch.float32"}],
     "root_module": "torch.nn.Linear",
     "qat_module": "torch.ao.nn.qat.Linear",
     "reference_quantized_module_for_root": "torch.ao.nn.quantized.reference.Linear"},
    {"pattern": ["torch.nn.Conv2d", "torch.nn.ReLU"],
     "dtype_configs": [{"input_dtype": "torch.quint8", "output_dtype": "torch.quint8",
                        "weight_dtype": "torch.qint8", "bias_dtype": "torch.float32"}],
     "fused_module": "torch.ao.nn.intrinsic.ConvReLU2d",
     "fuser_method": "sequential_wrapper2"},
    {"pattern": "torch.ao.nn.intrinsic.ConvReLU2d",
     "dtype_configs": [{"input_dtype": "torch.quint8", "output_dtype": "torch.quint8",
                        "weight_dtype": "torch.qint8", "bias_dtype": "torch.float32"}],
     "root_module": "torch.nn.Conv2d",
     "qat_module": "torch.ao.nn.intrinsic.qat.ConvReLU2d",
     "reference_quantized_module_for_root": "torch.ao.nn.quantized.reference.Conv2d"}
  ]
})"};

struct from_file : spec_from_json<my_backend_json> {};
[[maybe_unused]] constexpr checked_backend<from_file> from_file_is_well_formed;
static_assert(backend_v<from_file> == backend_v<my_backend>);
// [file]

int main() { std::fputs(to_json<my_backend>().data(), stdout); }
