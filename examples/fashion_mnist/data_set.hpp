// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <ctq/io/idx.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "model.hpp"

// Fashion-MNIST as the network reads it.

namespace fashion_mnist {

struct data_set {
  using image = ctq::tensor<float, 1, 1, 28, 28>;

  ctq::idx_array pixels;
  std::vector<image> images;
  std::vector<int> labels;

  [[nodiscard]] std::size_t size() const { return images.size(); }
};

/// The first `count` images of one half, "train" or "t10k".
/// Errors  as ctq::read_idx; images that are not 28 by 28; invalid labels
[[nodiscard]] inline ctq::result<data_set> read_data_set(const std::filesystem::path& folder,
                                                         const std::string& half,
                                                         std::size_t count) {
  auto pixels = ctq::read_idx(folder / (half + "-images-idx3-ubyte.gz"));
  if (!pixels) return ctq::unexpected{pixels.error()};
  const auto labels = ctq::read_idx(folder / (half + "-labels-idx1-ubyte.gz"));
  if (!labels) return ctq::unexpected{labels.error()};
  if (pixels->shape.size() != 3 || pixels->shape[1] != 28 || pixels->shape[2] != 28)
    return ctq::fail(half + " images", "are not 28 by 28");
  if (labels->shape.size() != 1 || labels->size() != pixels->size())
    return ctq::fail(half + " labels", "are not as many as the images");
  data_set data{*std::move(pixels), {}, {}};
  count = std::min(count, data.pixels.size());
  data.images.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::ranges::transform(data.pixels[i], data.images[i].values.begin(), normalized);
    data.labels.push_back(labels->values[i]);
    if (data.labels.back() >= classes) return ctq::fail(half + " labels", "a class above 9");
  }
  return data;
}

}  // namespace fashion_mnist
