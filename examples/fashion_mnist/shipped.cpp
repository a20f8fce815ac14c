// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that ships: it loads the int8 model that the demo saved and runs the test images. It
// has no float weights, no observers and no calibration images.
//
//   shipped MODEL [--data DIR]

#include <chrono>
#include <cstdio>
#include <ctq/inference.hpp>
#include <span>
#include <string>

#include "data_set.hpp"
#include "model.hpp"
#include "support/checksum.hpp"

namespace {

using namespace fashion_mnist;

using plan = ctq::plan<network, ctq::x86, int8_everywhere>;

int run(const std::string& path, const std::string& data) {
  const auto start = std::chrono::steady_clock::now();
  // [load]
  const auto model = ctq::load_quantized<plan>(path).value_or_exit();
  ctq::session session{model};
  // [load]
  const std::chrono::duration<double, std::milli> load = std::chrono::steady_clock::now() - start;

  const data_set test = read_data_set(data, "t10k", 10000).value_or_exit();
  ctq::tensor<float, 1, classes> logits;
  demo::checksum outputs;
  for (const data_set::image& image : test.images) {
    session(image, logits);
    outputs.add(std::as_bytes(std::span(logits.values)));
  }
  std::printf("shipped: images=%zu checksum=%016llx load_ms=%.1f arena_bytes=%zu\n", test.size(),
              outputs.value(), load.count(), model.arena_bytes);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool has_data = argc == 4 && std::string{argv[2]} == "--data";
  if (argc != 2 && !has_data) {
    std::fprintf(stderr, "usage: %s MODEL [--data DIR]\n", argv[0]);
    return 2;
  }
  return run(argv[1], has_data ? argv[3] : "/usr/share/datasets/fashion-mnist");
}
