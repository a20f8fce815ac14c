// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MobileNetV3-small with random weights, compiled for two backends, gives the bytes of the scalar
// interpreter, and roughly the floats of the float model.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "ctq/ctq.hpp"
#include "machine.hpp"
#include "networks/mobilenet_v3_small.hpp"

namespace {

constexpr int size = 64;
constexpr auto net = networks::mobilenet_v3_small(size);
using image = ctq::tensor<float, 1, 3, size, size>;
using classes = ctq::tensor<float, 1, 1000>;

/// Uniform in [low, high).
class random_numbers {
 public:
  float operator()(float low, float high) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return low + (high - low) * (static_cast<float>(state_ >> 40) * 0x1p-24F);
  }
  void fill(image& x) {
    for (float& each : x.values) each = (*this)(-2.0F, 2.0F);
  }

 private:
  std::uint64_t state_ = 1;
};

/// Weights shrink with what they are summed over, so that values keep their size.
ctq::weights random_weights(random_numbers& random) {
  std::vector<ctq::weight_tensor> all;
  for (int i = 0; i < net.count; ++i)
    for (const ctq::parameter& p : ctq::parameters_of(net.nodes[i])) {
      std::size_t count = 1;
      for (const int extent : p.shape) count *= static_cast<std::size_t>(extent);
      const auto outputs = static_cast<std::size_t>(p.shape[0]);
      const float sized = std::sqrt(6.0F / static_cast<float>(count / outputs));
      const bool positive = p.name.ends_with("running_var");
      const float high = p.shape.size() > 1 ? sized : positive ? 1.5F : 0.5F;
      std::vector<float> values(count);
      for (float& x : values) x = random(positive ? 0.5F : -high, high);
      if (p.name.ends_with("1.weight") && p.shape.size() == 1)
        for (float& x : values) x = 1.0F + 0.5F * x;  // of a batch norm
      all.push_back({p.name, p.shape, std::move(values)});
    }
  return ctq::weights{std::move(all)};
}

template <class Backend>
bool check() {
  random_numbers random;
  const auto weights = ctq::model_weights<net>::check(random_weights(random)).value_or_exit();
  auto observed = ctq::prepare<net, Backend>(weights);
  const auto x = std::make_unique<image>();
  for (int i = 0; i < 4; ++i) {
    random.fill(*x);
    observed(*x);
  }
  const auto int8 = ctq::convert(observed).value_or_exit();
  using plan = typename decltype(observed)::plan;
  auto oracle =
      ctq::interpreter<ctq::reference_kernels>::make(plan::lowered.view(), weights.get(),
                                                     int8.qparams(), plan::backend, plan::mapping)
          .value_or_exit();
  ctq::session session{int8};
  ctq::float_model<net, Backend> floats{weights};
  bool same = true;
  double signal = 0.0;
  double noise = 0.0;
  for (int i = 0; i < 3; ++i) {
    random.fill(*x);
    classes ours, expected;
    session(*x, ours);
    oracle.run(x->data(), expected.data());
    same = same && std::memcmp(ours.data(), expected.data(), sizeof ours.values) == 0;
    const classes wanted = floats(*x);
    for (std::size_t c = 0; c < classes::size; ++c) {
      const auto off = static_cast<double>(ours[c]) - static_cast<double>(wanted[c]);
      signal += static_cast<double>(wanted[c]) * static_cast<double>(wanted[c]);
      noise += off * off;
    }
  }
  const double decibels = 10.0 * std::log10(signal / noise);
  std::printf("%.*s: %s the interpreter, %.1f dB\n", static_cast<int>(plan::backend.name.size()),
              plan::backend.name.data(), same ? "equals" : "differs from", decibels);
  return same && decibels > 3.0;
}

// All that PyTorch quantizes is quantized, squeeze and excitation as well.
template <class Backend>
constexpr bool quantizes_all() {
  const auto explained = ctq::explain<net, Backend>();
  for (const char* node : {"features.1.block.1.avgpool", "features.1.block.1.mul",
                           "features.4.block.2.mul", "features.0.2", "classifier.3"})
    if (!explained.quantized(node)) return false;
  return true;
}
static_assert(quantizes_all<ctq::x86>() && quantizes_all<ctq::qnnpack>());

}  // namespace

int main() {
  if (!machine_runs_this_binary()) return 77;
  const bool x86 = check<ctq::x86>();
  const bool qnnpack = check<ctq::qnnpack>();
  return x86 && qnnpack ? 0 : 1;
}
