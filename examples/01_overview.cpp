#include <cstdio>
#include <ctq/ctq.hpp>
using namespace ctq::literals;
namespace nn = ctq::nn;
namespace fn = ctq::fn;

inline constexpr auto net = ctq::model(
    "x"_n = nn::placeholder({1, 3, 32, 32}),
    "conv"_n = nn::conv2d("x"_n, {.out_channels = 16, .kernel_size = 3, .padding = 1}),
    "relu"_n = nn::relu("conv"_n), "pool"_n = nn::adaptive_avg_pool2d("relu"_n),
    "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 10}),
    "out"_n = nn::output("fc"_n));

struct int8 : ctq::qconfig_mapping<ctq::global<ctq::qconfig<
    ctq::histogram_observer<>, ctq::per_channel_min_max_observer<>>>> {};
static_assert(ctq::explain<net, ctq::x86, int8>().fully_quantized());

int main(int, char** file) {
  auto weights = ctq::load_weights<net>(file[1]);  // a PyTorch state_dict, as safetensors
  if (!weights) return std::puts(weights.error().message().c_str()), 1;
  auto observed = ctq::prepare<net, ctq::x86, int8>(*weights);  // the plan is a constant
  static ctq::tensor<float, 1, 3, 32, 32> image{};
  observed(image);                                 // calibrate: once for each sample
  auto model = ctq::convert(observed);             // qparams, packed int8 weights
  if (!model) return std::puts(model.error().message().c_str()), 1;
  ctq::tensor<float, 1, 10> logits;
  ctq::session{*model}(image, logits);             // straight-line int8 code, no allocation
}
