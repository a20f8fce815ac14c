// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a program that ships waits for a ResNet-50 of 25 million int8 weights: reading the file,
// its checksum, packing. bench-load-resnet50 [TIMES]

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/isa.hpp"
#include "ctq/io/load_quantized.hpp"
#include "ctq/io/write_safetensors.hpp"
#include "ctq/runtime/pack_parameters.hpp"
#include "shapes.hpp"

namespace {

using namespace ctq;
using clock = std::chrono::steady_clock;

/// The layers of torchvision's resnet50, with random weights.
class resnet50 {
 public:
  resnet50() {
    convolve("conv1", 3, 64, 7, 2, 224);
    int channels = 64;
    int extent = 56;
    const int blocks[]{3, 4, 6, 3};
    for (int layer = 0; layer < 4; ++layer)
      for (int i = 0; i < blocks[layer]; ++i) {
        const std::string place = "layer" + std::to_string(layer + 1) + "." + std::to_string(i);
        const int width = 64 << layer;
        const int stride = layer > 0 && i == 0 ? 2 : 1;
        convolve(place + ".conv1", channels, width, 1, 1, extent);
        convolve(place + ".conv2", width, width, 3, stride, extent);
        if (i == 0) convolve(place + ".downsample", channels, 4 * width, 1, stride, extent);
        extent /= stride;
        convolve(place + ".conv3", width, 4 * width, 1, 1, extent);
        channels = 4 * width;
      }
    add("fc", nn::linear.id(),
        signature_of(kernel::linear, quint8, quint8, linear_shape{1, channels, 1000}),
        {1000, channels});
    for (std::size_t i = 0; i < names_.size(); ++i) nodes_[i].name = names_[i];
  }

  [[nodiscard]] std::span<const step> steps() const { return qparams_; }
  [[nodiscard]] std::span<const node> nodes() const { return nodes_; }
  [[nodiscard]] std::span<const stored_tensor> tensors() const { return tensors_; }

 private:
  void convolve(const std::string& name, int in, int out, int kernel_size, int stride, int extent) {
    add(name, nn::conv2d.id(),
        signature_of(kernel::conv2d, quint8, quint8,
                     bench::square(kernel_size, stride, in, out, extent)),
        {out, in, kernel_size, kernel_size});
  }
  void add(const std::string& name, op_id op, const kernel_signature& signature,
           std::vector<std::int64_t> shape) {
    step s{.signature = signature, .node = static_cast<int>(nodes_.size())};
    s.in_observer[0] = s.out_observer = 0;
    qparams_.push_back(s);
    nodes_.push_back({.op = op});
    names_.push_back(name);
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    auto& weight = bytes_.emplace_back(count);
    for (std::byte& x : weight) x = static_cast<std::byte>(random_() >> 11);
    const std::vector<std::int64_t> outputs{shape[0]};
    tensors_.push_back({name + ".weight", stored_dtype::i8, std::move(shape), weight});
    const std::vector<float> values(static_cast<std::size_t>(outputs[0]), 0x1p-8F);
    auto& reals = bytes_.emplace_back(values.size() * sizeof(float));
    std::ranges::copy(std::as_bytes(std::span(values)), reals.begin());
    tensors_.push_back({name + ".weight_scale", stored_dtype::f32, outputs, reals});
    tensors_.push_back({name + ".bias", stored_dtype::f32, outputs, reals});
  }

  std::vector<step> qparams_;
  std::vector<node> nodes_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<stored_tensor> tensors_;
  std::minstd_rand random_;
};

/// In milliseconds: the first round, for which a program waits, and the least of each part over all
/// rounds.
struct times {
  double first = 0, read = 1e9, checksum = 1e9, pack = 1e9, all = 1e9;
};

double ms_since(clock::time_point start) {
  return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

/// What load_quantized does with the file; the hash of the packed bytes.
result<std::string> load(const std::filesystem::path& path, const resnet50& model, times& least) {
  const auto start = clock::now();
  auto file = read_safetensors(path);
  if (!file) return unexpected{file.error()};
  const double read = ms_since(start);
  const std::string sum = quantized_file::checksum_of(file->tensors, file->metadata);
  if (sum.empty()) return fail("checksum", "is empty");
  const double checked = ms_since(start);
  const std::shared_ptr<const std::byte[]> data = std::move(file->bytes);
  state_dict state;
  for (const stored_tensor& t : file->tensors) {
    auto tensor = quantized_file::state_tensor_of(t, data);
    if (!tensor) return unexpected{tensor.error()};
    state.set(*std::move(tensor));
  }
  const qparams steps[]{{.scale = 0x1p-6F, .zero_point = 120}};
  const auto packed =
      pack_parameters<fast_kernels>(model.steps(), {model.nodes(), {}}, state, steps);
  if (!packed) return unexpected{packed.error()};
  const double all = ms_since(start);
  if (least.first == 0) least.first = all;
  least.read = std::min(least.read, read);
  least.checksum = std::min(least.checksum, checked - read);
  least.pack = std::min(least.pack, all - checked);
  least.all = std::min(least.all, all);
  quantized_file::hash h;
  h.add(std::span(packed->packed.data(), packed->packed.size()));
  return h.text();
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 20;
  const resnet50 model;
  const auto path = std::filesystem::temp_directory_path() / "ctq-load-resnet50.safetensors";
  if (const status s = write_safetensors(path, model.tensors()); !s) {
    std::fprintf(stderr, "%s\n", s.error().message().c_str());
    return EXIT_FAILURE;
  }
  times least;
  std::string packed;
  for (int i = 0; i < rounds; ++i) {
    auto hash = load(path, model, least);
    if (!hash) std::fprintf(stderr, "%s\n", hash.error().message().c_str());
    packed = hash ? *std::move(hash) : "";
    if (packed.empty()) break;
  }
  const auto bytes = std::filesystem::file_size(path);
  std::filesystem::remove(path);
  std::printf(
      "load ResNet-50 on %s: %.1f MB, read %.1f ms, checksum %.1f ms, pack %.1f ms, all %.1f ms, "
      "the first time %.1f ms; hash of the packed bytes %s\n",
      isa::native::name.data(), static_cast<double>(bytes) * 1e-6, least.read, least.checksum,
      least.pack, least.all, least.first, packed.c_str());
  return packed.empty() ? EXIT_FAILURE : EXIT_SUCCESS;
}
