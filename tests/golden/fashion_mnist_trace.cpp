// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what every node of the int8 example network computes for some test images, as safetensors,
// so that compare_torch.py can compute the same with PyTorch's kernels.
//
//   fashion_mnist_trace DATA_DIR WEIGHTS IMAGES OUT

#include <charconv>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "ctq/ctq.hpp"
#include "fashion_mnist/data_set.hpp"
#include "fashion_mnist/model.hpp"

namespace {

using namespace fashion_mnist;

/// What one node computed for all images; NHWC, as it lies in memory.
struct recording {
  ctq::shape shape;
  std::vector<std::uint8_t> values;
};

std::string exact(float x) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

int run(const std::string& data, const std::string& weight_file, std::size_t images,
        const std::string& out) {
  const data_set test = read_data_set(data, "t10k", images).value_or_exit();
  const data_set train = read_data_set(data, "train", 512).value_or_exit();
  const auto weights = ctq::load_weights<network>(weight_file).value_or_exit();
  auto observed = ctq::prepare<network, ctq::x86, int8_everywhere>(weights);
  for (const data_set::image& image : train.images) observed(image);
  const auto int8 = ctq::convert(observed).value_or_exit();

  using plan = decltype(observed)::plan;
  auto steps =
      ctq::interpreter<ctq::simd_kernels<ctq::isa::native>>::make(
          plan::lowered.view(), weights.get(), int8.qparams(), plan::backend, plan::mapping)
          .value_or_exit();
  std::map<std::string, recording> recorded;
  ctq::metadata_map metadata;
  std::vector<float> inputs;
  ctq::tensor<float, 1, classes> logits;
  for (const data_set::image& image : test.images) {
    inputs.insert(inputs.end(), image.begin(), image.end());
    steps.run(image.data(), logits.data(), [&](const ctq::step& s, const void* values) {
      const ctq::node& n = plan::lowered.nodes[static_cast<std::size_t>(s.node)];
      if (n.dtype != ctq::quint8) return;
      std::string name;
      ctq::append_name(name, n);
      recording& r = recorded[name];
      r.shape = n.shape;
      const auto* const bytes = static_cast<const std::uint8_t*>(values);
      r.values.insert(r.values.end(), bytes, bytes + ctq::numel(n.shape));
      const ctq::qparams& q = int8.qparams()[static_cast<std::size_t>(n.observer)];
      metadata[name] = exact(q.scale) + " " + std::to_string(q.zero_point);
    });
  }

  const auto count = static_cast<std::int64_t>(test.size());
  std::vector<ctq::stored_tensor> tensors = {
      ctq::to_store<float>("input", {count, 1, 28, 28}, inputs)};
  for (const auto& [name, r] : recorded) {
    std::vector<std::int64_t> shape = {count, r.shape[1]};
    if (r.shape.rank == 4) shape = {count, r.shape[2], r.shape[3], r.shape[1]};
    tensors.push_back(ctq::to_store<std::uint8_t>(name, shape, r.values));
  }
  ctq::write_safetensors(out, tensors, metadata).value_or_exit();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s DATA_DIR WEIGHTS IMAGES OUT\n", argv[0]);
    return 2;
  }
  std::size_t images = 0;
  const std::string_view count = argv[3];
  std::from_chars(count.data(), count.data() + count.size(), images);
  return run(argv[1], argv[2], images, argv[4]);
}
