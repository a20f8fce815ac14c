// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/losses.hpp"

#include <doctest/doctest.h>

using ctq::cross_entropy;
using ctq::mean_squared_error;

namespace {

/// Central differences: the loss is computed in float64 from logits that are exact floats.
template <class Loss>
void compare(std::vector<float> x, Loss loss) {
  const std::vector<float> gradient = loss(x)->gradient;
  for (std::size_t i = 0; i < x.size(); ++i) {
    constexpr float step = 0x1p-7F;
    const float kept = x[i];
    x[i] = kept + step;
    const double above = loss(x)->loss;
    x[i] = kept - step;
    const double below = loss(x)->loss;
    x[i] = kept;
    CHECK(static_cast<double>(gradient[i]) ==
          doctest::Approx((above - below) / (2.0 * static_cast<double>(step))).epsilon(1e-4));
  }
}

TEST_CASE("gradients of losses equal central differences") {
  const std::vector<float> logits{1.0F, -0.5F, 0.25F, 2.0F, 0.0F, -1.0F};
  const std::vector<int> labels{2, 0};
  compare(logits, [&](const auto& x) { return cross_entropy(x, labels); });
  compare(logits,
          [&](const auto& x) { return cross_entropy(x, labels, {.label_smoothing = 0.1F}); });
  const std::vector<float> shares{0.5F, 0.25F, 0.25F, 0.0F, 0.125F, 0.875F};
  compare(logits, [&](const auto& x) { return cross_entropy(x, shares, 3); });
  const std::vector<float> target{0.5F, 1.0F, 0.0F, -2.0F, 3.0F, 0.25F};
  compare(logits, [&](const auto& x) { return mean_squared_error(x, target); });
}

TEST_CASE("losses have PyTorch's values") {
  // torch.nn.functional.cross_entropy(torch.tensor([[1., 2., 3.]]), torch.tensor([0]))
  const std::vector<float> logits{1.0F, 2.0F, 3.0F};
  const std::vector<int> label{0};
  CHECK(cross_entropy(logits, label)->loss == doctest::Approx(2.4076059644));
  CHECK(cross_entropy(logits, label, {.label_smoothing = 0.3F})->loss ==
        doctest::Approx(2.1076059644));
  const std::vector<float> zero(3);
  CHECK(mean_squared_error(logits, zero)->loss == doctest::Approx(14.0 / 3));
  const std::vector<float> large{1000.0F, 0.0F, 0.0F};
  CHECK(cross_entropy(large, label)->loss == doctest::Approx(0.0));
}

TEST_CASE("targets may be probabilities of all classes") {
  // torch.nn.functional.cross_entropy(torch.tensor([[1., 2., 3.]]), torch.tensor([[.5, .25, .25]]))
  const std::vector<float> logits{1.0F, 2.0F, 3.0F}, shares{0.5F, 0.25F, 0.25F};
  CHECK(cross_entropy(logits, shares, 3)->loss == doctest::Approx(1.6576059644));
  const std::vector<float> first{1.0F, 0.0F, 0.0F};
  const std::vector<int> label{0};
  for (const float smooth : {0.0F, 0.25F}) {
    const auto of_shares = cross_entropy(logits, first, 3, {.label_smoothing = smooth});
    const auto of_label = cross_entropy(logits, label, {.label_smoothing = smooth});
    CHECK(of_shares->loss == of_label->loss);
    CHECK(of_shares->gradient == of_label->gradient);
  }
  // A model whose probabilities are those of the target has nothing to learn.
  const std::vector<float> two{0.5F, -3.0F, 1.0F, 1000.0F, 999.0F, 0.0F};
  const auto own = cross_entropy(two, ctq::training::softmax(two, 3), 3);
  for (const float g : own->gradient) CHECK(g == doctest::Approx(0.0).epsilon(1e-6));
  CHECK(ctq::training::softmax(two, 3)[3] == doctest::Approx(0.7310585786));
}

TEST_CASE("what does not fit is an error") {
  const std::vector<float> logits{1.0F, 2.0F, 3.0F};
  CHECK(cross_entropy(logits, std::vector<int>{}).error().message() ==
        "cross_entropy: 3 logits do not fit 0 labels");
  CHECK_FALSE(cross_entropy(logits, std::vector<int>{0, 1}));
  CHECK(cross_entropy(logits, std::vector<int>{3}).error().message() ==
        "cross_entropy: label 3 of sample 0 is none of 3 classes");
  CHECK_FALSE(cross_entropy(logits, std::vector<int>{-1}));
  CHECK(cross_entropy(logits, std::vector<float>(6), 3).error().message() ==
        "cross_entropy: 6 probabilities do not fit 3 logits of 3 classes");
  CHECK_FALSE(cross_entropy(logits, std::vector<float>(3), 2));
  CHECK_FALSE(cross_entropy(logits, std::vector<float>(3), 0));
  CHECK_FALSE(mean_squared_error(logits, std::vector<float>(2)));
}

}  // namespace
