// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantization-aware training: weights of 4 bits, per channel, and activations of 8 bits. First the
// float weights are quantized as they are, then trained on a part of the training images, with
// rounded weights and activations, and converted.
//
//   qat [--data DIR] [--weights FILE] [--picture FILE] [--images N] [--epochs N] [--batch N]
//       [--rate X] [--test-images N]

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctq/ctq.hpp>
#include <ctq/train.hpp>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data_set.hpp"
#include "model.hpp"
#include "support/curve.hpp"
#include "support/progress_bar.hpp"

namespace {

using namespace fashion_mnist;

// [mapping]
/// The range of a weight is that of the last step: averaging_constant = 1.
struct int4_weights
    : ctq::qconfig_mapping<ctq::global<ctq::qconfig<
          ctq::fake_quantize<ctq::moving_average_min_max_observer<{.dtype = ctq::quint8}>>,
          ctq::fake_quantize<
              ctq::moving_average_per_channel_min_max_observer<{.dtype = ctq::qint8,
                                                                .quant_min = -7,
                                                                .quant_max = 7,
                                                                .averaging_constant = 1.0}>>>>> {};
// [mapping]

using qat_model = decltype(ctq::prepare_qat<network, ctq::x86, int4_weights>(
    std::declval<const ctq::model_weights<network>&>()));

/// Some images of a data set as one batch.
struct batch {
  std::vector<float> images;
  std::vector<int> labels;

  batch(const data_set& data, std::span<const std::size_t> chosen) {
    for (const std::size_t i : chosen) {
      images.insert(images.end(), data.images[i].values.begin(), data.images[i].values.end());
      labels.push_back(data.labels[i]);
    }
  }
};

template <class Logits>
int best_class(const Logits& y) {
  return static_cast<int>(std::max_element(y.begin(), y.end()) - y.begin());
}

/// The part of the images whose label a model in evaluation says.
double simulated_accuracy(qat_model& model, const data_set& data) {
  std::size_t right = 0;
  for (std::size_t first = 0; first < data.size(); first += 100) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = first; i < std::min(first + 100, data.size()); ++i) chosen.push_back(i);
    const batch b(data, chosen);
    const auto logits = model.forward(b.images).value_or_exit();
    for (std::size_t i = 0; i < chosen.size(); ++i)
      right += best_class(logits.subspan(i * classes, classes)) == b.labels[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(data.size());
}

/// The same of the int8 model.
double converted_accuracy(qat_model& model, const data_set& data) {
  const auto int8 = ctq::convert(model).value_or_exit();
  ctq::session run{int8};
  std::size_t right = 0;
  ctq::tensor<float, 1, classes> y;
  for (std::size_t i = 0; i < data.size(); ++i) {
    run(data.images[i], y);
    right += best_class(y) == data.labels[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(data.size());
}

struct options {
  std::string data, weights, picture;
  std::size_t images, epochs, batch, test_images;
  float rate;  // the learning rate of the first step
};

struct training_result {
  std::vector<double> losses;
  double images_per_s{};
};

// [train]
/// Stochastic gradient descent along a cosine. In the last epoch ranges and batch norms stay as
/// they are, as they will in the int8 model.
training_result train(qat_model& model, const data_set& data, const options& o) {
  const std::size_t steps = data.size() / o.batch;
  ctq::sgd optimizer({.momentum = 0.9F, .weight_decay = 1e-4F});
  const ctq::cosine_schedule rate{.initial = o.rate,
                                  .steps = static_cast<std::int64_t>(o.epochs * steps)};
  ctq::training::random_source random(1);
  training_result result;
  demo::progress_bar bar{"training on " + std::to_string(o.epochs) + " x " +
                             std::to_string(steps * o.batch) + " images",
                         o.epochs * steps * o.batch};
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t epoch = 0; epoch < o.epochs; ++epoch) {
    const std::vector<std::size_t> order = ctq::training::shuffled(data.size(), random);
    if (epoch > 0 && epoch + 1 == o.epochs) {
      model.freeze_batch_norm();
      model.disable_observer();
    }
    for (std::size_t step = 0; step < steps; ++step) {
      const batch b(data, std::span(order).subspan(step * o.batch, o.batch));
      const auto logits = model.forward(b.images).value_or_exit();
      const auto loss = ctq::cross_entropy(logits, b.labels).value_or_exit();
      model.zero_gradients();
      model.backward(loss.gradient).value_or_exit();
      optimizer.set_learning_rate(rate.at(static_cast<std::int64_t>(epoch * steps + step)));
      optimizer.step(model.parameters());
      result.losses.push_back(loss.loss);
      bar.advance(o.batch);
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  result.images_per_s = static_cast<double>(o.epochs * steps * o.batch) / seconds.count();
  return result;
}
// [train]

/// Post-training quantization: the same observers, without rounding and without training.
void calibrate(qat_model& model, const data_set& data) {
  model.eval();
  model.disable_fake_quant();
  std::vector<std::size_t> first(std::min<std::size_t>(512, data.size()));
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = i;
  demo::progress_bar bar{"calibrating on " + std::to_string(first.size()) + " images",
                         first.size()};
  for (std::size_t i = 0; i < first.size(); i += 32) {
    const std::size_t count = std::min<std::size_t>(32, first.size() - i);
    model.forward(batch(data, std::span(first).subspan(i, count)).images).value_or_exit();
    bar.advance(count);
  }
}

int run(const options& o) {
  const data_set test = read_data_set(o.data, "t10k", o.test_images).value_or_exit();
  const data_set images = read_data_set(o.data, "train", o.images).value_or_exit();
  const auto weights = ctq::load_weights<network>(o.weights).value_or_exit();
  if (images.size() < o.batch) {
    std::fprintf(stderr, "qat: %zu images are less than a batch\n", images.size());
    return 2;
  }

  // [model]
  auto model = ctq::prepare_qat<network, ctq::x86, int4_weights>(weights);
  // [model]

  calibrate(model, images);
  const double ptq_accuracy = converted_accuracy(model, test);
  model.disable_observer();
  const double float_accuracy = simulated_accuracy(model, test);

  model.train();
  model.enable_observer();
  model.enable_fake_quant();
  const training_result trained = train(model, images, o);
  model.eval();
  model.disable_observer();
  const double simulated = simulated_accuracy(model, test);
  const double qat_accuracy = converted_accuracy(model, test);

  demo::write_curve(o.picture, trained.losses,
                    {.title = "cross entropy of quantization-aware training, by step",
                     .averaged = std::max<std::size_t>(1, trained.losses.size() / 60)})
      .value_or_exit();
  std::printf("Fashion-MNIST, %zu test images; weights of 4 bits, activations of 8\n\n",
              test.size());
  const auto row = [](const char* what, double accuracy) {
    std::printf("%-44s %8.2f %%\n", what, 100 * accuracy);
  };
  row("float", float_accuracy);
  row("quantized after training, int8 code", ptq_accuracy);
  row("after quantization-aware training, simulated", simulated);
  row("after quantization-aware training, int8 code", qat_accuracy);
  std::printf("\nthe loss, step by step: %s\n", o.picture.c_str());
  std::printf("qat: float_acc=%.4f ptq4_acc=%.4f qat4_acc=%.4f images_per_s=%.0f\n", float_accuracy,
              ptq_accuracy, qat_accuracy, trained.images_per_s);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> option = {
      {"--data", "/usr/share/datasets/fashion-mnist"},
      {"--weights", "examples/fashion_mnist/fashion_mnist.safetensors"},
      {"--picture", "qat_loss.png"},
      {"--images", "20000"},
      {"--epochs", "3"},
      {"--batch", "32"},
      {"--rate", "0.01"},
      {"--test-images", "10000"}};
  for (int i = 1; i < argc; i += 2) {
    if (!option.contains(argv[i]) || i + 1 == argc) {
      std::fprintf(stderr,
                   "usage: %s [--data DIR] [--weights FILE] [--picture FILE] [--images N] "
                   "[--epochs N] [--batch N] [--rate X] [--test-images N]\n",
                   argv[0]);
      return 2;
    }
    option[argv[i]] = argv[i + 1];
  }
  const auto number = [&](const char* name) -> std::size_t {
    const long n = std::strtol(option[name].c_str(), nullptr, 10);
    if (n < 1) {
      std::fprintf(stderr, "qat: %s is a number from 1\n", name);
      std::exit(2);
    }
    return static_cast<std::size_t>(n);
  };
  return run({option["--data"], option["--weights"], option["--picture"], number("--images"),
              number("--epochs"), number("--batch"), number("--test-images"),
              std::strtof(option["--rate"].c_str(), nullptr)});
}
