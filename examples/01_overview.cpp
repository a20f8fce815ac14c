#include <cstdio>
#include <ctq/ctq.hpp>
using namespace ctq::literals;
namespace nn = ctq::nn;
inline constexpr auto net = ctq::model("x"_n = nn::placeholder({1, 3, 32, 32}),
    "conv"_n = nn::conv2d("x"_n, {.out_channels = 16, .kernel_size = 3, .padding = 1}),
    "relu"_n = nn::relu("conv"_n), "flat"_n = ctq::fn::flatten("relu"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 10}), "out"_n = nn::output("fc"_n));
int main() {
  auto weights = ctq::load_weights<net>("net.safetensors").value_or_exit();  // a state_dict
  auto observed = ctq::prepare<net, ctq::x86>(weights);  // the plan is a constant
  static ctq::tensor<float, 1, 3, 32, 32> image;         // your data
  observed(image);                                       // calibrate: once for each sample
  auto model = ctq::convert(observed).value_or_exit();   // qparams, packed int8 weights
  for (float logit : model(image)) std::printf("%g\n", static_cast<double>(logit));
}
