// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How fast a ResNet-50 with random weights is calibrated, op by op on one core: resnet50 [IMAGES]
// Fails below one image a second. The first image also folds and packs the weights.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/backends/x86.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/graph/shape_rules.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "ctq/runtime/weights.hpp"
#include "graph_builder.hpp"

namespace {

using namespace ctq;
using name = std::string_view;
using mapping_of = global<qconfig<
    histogram_observer<{.dtype = quint8}>,
    per_channel_min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_channel_symmetric}>>>;

/// Uniform in [-1, 1).
class random_numbers {
 public:
  float operator()() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<float>(static_cast<std::int32_t>(state_ >> 32)) * 0x1p-31F;
  }
  std::vector<float> some(std::size_t count, float size) {
    std::vector<float> all(count);
    for (float& x : all) x = size * (*this)();
    return all;
  }

 private:
  std::uint64_t state_ = 1;
};

/// The layers of torchvision's resnet50.
class resnet50 {
 public:
  resnet50() {
    name x = builder_.placeholder({1, 3, 224, 224});
    x = convolve("conv1", x, 64, 7, 2, true);
    x = builder_.add("maxpool", nn::max_pool2d, {x}, {.kernel_size = 3, .stride = 2, .padding = 1});
    int channels = 64;
    const int blocks[]{3, 4, 6, 3};
    for (int layer = 0; layer < 4; ++layer)
      for (int i = 0; i < blocks[layer]; ++i) {
        const std::string place = "layer" + std::to_string(layer + 1) + "." + std::to_string(i);
        const int width = 64 << layer;
        x = block(place, x, width, channels != 4 * width, layer > 0 && i == 0 ? 2 : 1);
        channels = 4 * width;
      }
    x = builder_.add("avgpool", nn::adaptive_avg_pool2d, {x}, {.output_size = 1});
    x = builder_.add("flatten", fn::flatten, {x}, {.start_dim = 1});
    builder_.output(builder_.add("fc", nn::linear, {x}, {.out_features = 1000}));
    graph_ = builder_.link();
  }

  [[nodiscard]] graph_view<stage::traced> view() const { return graph_.view(); }

 private:
  name convolve(const std::string& place, name x, int channels, int kernel, int stride, bool relu) {
    x = builder_.add(place, nn::conv2d, {x},
                     {.out_channels = channels,
                      .kernel_size = kernel,
                      .stride = stride,
                      .padding = kernel / 2,
                      .bias = false});
    x = builder_.add(place + ".bn", nn::batch_norm2d, {x});
    return relu ? builder_.add(place + ".relu", nn::relu, {x}) : x;
  }

  name block(const std::string& place, name x, int width, bool widens, int stride) {
    name y = convolve(place + ".conv1", x, width, 1, 1, true);
    y = convolve(place + ".conv2", y, width, 3, stride, true);
    y = convolve(place + ".conv3", y, 4 * width, 1, 1, false);
    if (widens) x = convolve(place + ".downsample", x, 4 * width, 1, stride, false);
    return builder_.add(place + ".relu", nn::relu, {builder_.add(place + ".add", op::add, {y, x})});
  }

  graph_builder builder_;
  dynamic_graph<stage::traced> graph_;
};

module_state random_modules(graph_view<stage::traced> g, random_numbers& random) {
  module_state m;
  for (int i = 0; i < g.size(); ++i)
    for (const parameter& p : parameters_of(g[i])) {
      const std::size_t count = float_ops::numel(p.shape);
      const auto sums = static_cast<float>(count) / static_cast<float>(p.shape[0]);
      std::vector<float> values =
          random.some(count, p.shape.size() > 1 ? std::sqrt(6.0F / sums) : 0.1F);
      const bool around_one = p.name.ends_with("running_var") || p.name.ends_with(".bn.weight");
      if (around_one)
        for (float& x : values) x += 1.0F;
      m.set_tensor(p.name, float_ops::tensor{p.shape, std::move(values)});
    }
  return m;
}

float_ops::tensor random_image(random_numbers& random) {
  return {{1, 3, 224, 224}, random.some(std::size_t{3} * 224 * 224, 2.0F)};
}

/// Runs one image and says how long a core was busy with it, in seconds; negative if it failed.
template <class Evaluator>
double seconds_for(Evaluator& run, const float_ops::tensor& image) {
  const std::clock_t start = std::clock();
  const auto output = run.forward({image});
  if (!output) {
    std::fprintf(stderr, "%s\n", output.error().message().c_str());
    return -1.0;
  }
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int count, char** arguments) {
  const int images = count > 1 ? std::atoi(arguments[1]) : 8;
  random_numbers random;
  const resnet50 model;
  const module_state modules = random_modules(model.view(), random);
  const mapping_entry everything = mapping_of::value;
  const mapping_view mapping{&everything, 1};
  const auto fused = fuse(model.view(), backend_v<x86>);
  const auto prepared = prepare_graph(fused.view(), backend_v<x86>, mapping, unsupported::skip);

  observer_set observers;
  evaluator<stage::prepared, fast_kernels> calibrate(prepared.view(), modules,
                                                     {.observers = &observers});
  double seconds = 0.0;
  for (int i = 0; i < images; ++i) {
    const double one = seconds_for(calibrate, random_image(random));
    if (one < 0.0) return EXIT_FAILURE;
    seconds += one;
  }
  const double rate = images / seconds;
  std::printf("calibrated: %.2f images a second, %d images\n", rate, images);

  const auto reference = convert_graph(prepared.view(), backend_v<x86>, mapping);
  const auto lowered = lower(reference.view());
  model_qparams qparams;
  for (int o = 0; o < prepared.observers; ++o)
    if (const auto found = observers.qparams(o)) qparams.activations[o] = *found;
  evaluator<stage::lowered, fast_kernels> int8(lowered.view(), modules, {.qparams = &qparams});
  const double packing = seconds_for(int8, random_image(random));
  const double once = seconds_for(int8, random_image(random));
  if (packing < 0.0 || once < 0.0) return EXIT_FAILURE;
  std::printf("lowered: %.2f images a second\n", 1.0 / once);
  return rate >= 1.0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
