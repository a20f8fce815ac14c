// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/norms.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::check_near;
using run_op::floats;
using run_op::some;

namespace {

template <class Op>
result<value> run(const Op& op, python_call c) {
  return run_op::run(implementation::norms, op, std::move(c));
}

constexpr double eps = 1e-5;

/// (x - mean) / sqrt(var + eps), with the mean and the variance of the elements whose key is the
/// same: key(i) of element i.
template <class Key>
std::vector<double> normalized(const tensor& x, Key key, double epsilon = eps) {
  std::vector<double> out(x.data.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    double sum = 0, squares = 0, count = 0;
    for (std::size_t j = 0; j < out.size(); ++j)
      if (key(j) == key(i)) sum += static_cast<double>(x.data[j]), ++count;
    const double mean = sum / count;
    for (std::size_t j = 0; j < out.size(); ++j)
      if (key(j) == key(i)) squares += std::pow(static_cast<double>(x.data[j]) - mean, 2);
    out[i] = (static_cast<double>(x.data[i]) - mean) / std::sqrt(squares / count + epsilon);
  }
  return out;
}

/// x * weight[which(i)] + bias[which(i)]
template <class Which>
std::vector<double> scaled(std::vector<double> x, const tensor& weight, const tensor& bias,
                           Which which) {
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = x[i] * static_cast<double>(weight.data[which(i)]) +
           static_cast<double>(bias.data[which(i)]);
  return x;
}

// (N, C, H, W) = (2, 4, 3, 2), six pixels a channel.
const tensor image = some({2, 4, 3, 2}, 5);
std::size_t channel_of(std::size_t i) { return i / 6 % 4; }
std::size_t instance_of(std::size_t i) { return i / 6; }
std::size_t group_of(std::size_t i) { return i / 12; }

}  // namespace

TEST_CASE("batch norm takes the running statistics when it is evaluated") {
  const tensor mean = some({4}, 1), weight = some({4}, 3), bias = some({4}, 4);
  const tensor variance{{4}, {0.0F, 0.25F, 1.0F, 9.0F}};
  std::vector<double> wanted;
  for (std::size_t i = 0; i < image.data.size(); ++i) {
    const std::size_t c = channel_of(i);
    wanted.push_back((static_cast<double>(image.data[i]) - static_cast<double>(mean.data[c])) /
                     std::sqrt(static_cast<double>(variance.data[c]) + 0.01));
  }
  const std::vector<named_value> attributes{{"running_mean", mean},
                                            {"running_var", variance},
                                            {"weight", weight},
                                            {"bias", bias},
                                            {"eps", 0.01}};
  check_near(floats(run(nn::batch_norm2d, {.positional = {image}, .attributes = attributes})),
             image.shape, scaled(wanted, weight, bias, channel_of));
  check_near(floats(run(fn::batch_norm,
                        {.positional = {image, mean, variance}, .keywords = {{"eps", 0.01}}})),
             image.shape, wanted);
}

TEST_CASE("batch norm without running statistics, or in training, takes those of the batch") {
  const std::vector<double> wanted = normalized(image, channel_of);
  check_near(floats(run(nn::batch_norm2d, {.positional = {image}})), image.shape, wanted);
  const tensor wrong = filled({4}, 100.0F);
  check_near(floats(run(fn::batch_norm,
                        {.positional = {image, wrong, wrong}, .keywords = {{"training", true}}})),
             image.shape, wanted);
}

TEST_CASE("instance norm takes the statistics of each channel of each image") {
  const tensor weight = some({4}, 1), bias = some({4}, 2);
  const std::vector<double> wanted = normalized(image, instance_of);
  check_near(floats(run(nn::instance_norm2d, {.positional = {image}})), image.shape, wanted);
  check_near(floats(run(nn::instance_norm2d, {.positional = {image},
                                              .attributes = {{"weight", weight}, {"bias", bias}}})),
             image.shape, scaled(wanted, weight, bias, channel_of));
  // The function takes running statistics only if it is told not to use those of the input.
  const tensor mean = filled({4}, 0.5F), variance = filled({4}, 4.0F);
  check_near(floats(run(fn::instance_norm, {.positional = {image, mean, variance}})), image.shape,
             wanted);
  std::vector<double> running;
  for (const float x : image.data)
    running.push_back((static_cast<double>(x) - 0.5) / std::sqrt(4 + eps));
  check_near(floats(run(fn::instance_norm, {.positional = {image, mean, variance},
                                            .keywords = {{"use_input_stats", false}}})),
             image.shape, running);
}

TEST_CASE("an image without a batch is a batch of one to instance norm") {
  const tensor one{{4, 3, 2}, {image.data.begin(), image.data.begin() + 24}};
  tensor batch = one;
  batch.shape.insert(batch.shape.begin(), 1);
  const tensor out = floats(run(nn::instance_norm2d, {.positional = {one}}));
  CHECK(out.shape == one.shape);
  CHECK(out.data == floats(run(nn::instance_norm2d, {.positional = {batch}})).data);
}

TEST_CASE("layer norm takes the statistics of the last axes, and a parameter an element") {
  const tensor weight = some({3, 2}, 1), bias = some({3, 2}, 2);
  const std::vector<double> wanted = normalized(image, instance_of);
  const std::vector<named_value> attributes{
      {"normalized_shape", list{3, 2}}, {"weight", weight}, {"bias", bias}};
  check_near(floats(run(nn::layer_norm, {.positional = {image}, .attributes = attributes})),
             image.shape, scaled(wanted, weight, bias, [](std::size_t i) { return i % 6; }));
  check_near(floats(run(fn::layer_norm, {.positional = {image, list{2}}})), image.shape,
             normalized(image, [](std::size_t i) { return i / 2; }));
  CHECK(cause(run(fn::layer_norm, {.positional = {image, list{3}}})) ==
        "the input's last axes are not normalized_shape");
  CHECK(cause(run(fn::layer_norm, {.positional = {image, list{2}, weight}})) ==
        "the parameters have another shape");
}

TEST_CASE("group norm takes the statistics of some channels of an image, and a parameter each") {
  const tensor weight = some({4}, 1), bias = some({4}, 2);
  const std::vector<double> wanted = normalized(image, group_of);
  check_near(floats(run(fn::group_norm, {.positional = {image, 2, weight, bias}})), image.shape,
             scaled(wanted, weight, bias, channel_of));
  check_near(floats(run(fn::group_norm, {.positional = {image, 4}})), image.shape,
             normalized(image, instance_of));
  for (const int groups : {0, 3, -2})
    CHECK(cause(run(fn::group_norm, {.positional = {image, groups}})) ==
          "groups do not divide the channels");
}

TEST_CASE("a constant channel is its bias, and one large number among small ones does no harm") {
  const tensor constant = filled({1, 2, 2, 2}, 3e6F);
  const tensor bias{{2}, {-1.5F, 2.0F}};
  CHECK(floats(run(nn::instance_norm2d, {.positional = {constant}, .attributes = {{"bias", bias}}}))
            .data == std::vector<float>{-1.5F, -1.5F, -1.5F, -1.5F, 2, 2, 2, 2});
  tensor far = some({1, 1, 2, 4});
  for (float& x : far.data) x += 1e6F;  // sums of squares would lose all of the variance
  check_near(floats(run(nn::instance_norm2d, {.positional = {far}})), far.shape,
             normalized(far, [](std::size_t) { return 0; }));
}

TEST_CASE("a tensor without elements stays one") {
  CHECK(floats(run(nn::batch_norm2d, {.positional = {filled({0, 4, 2, 2})}})).shape ==
        extents{0, 4, 2, 2});
  CHECK(floats(run(nn::instance_norm2d, {.positional = {filled({2, 4, 0, 2})}})).data.empty());
  CHECK(floats(run(fn::group_norm, {.positional = {filled({0, 4, 2}), 2}})).shape ==
        extents{0, 4, 2});
  CHECK(floats(run(fn::layer_norm, {.positional = {filled({3, 0}), list{0}}})).data.empty());
}

TEST_CASE("parameters of another number of channels are errors") {
  CHECK(cause(run(nn::batch_norm2d,
                  {.positional = {image}, .attributes = {{"weight", filled({3})}}})) ==
        "the input has 4 channels, not as many as the parameters");
  CHECK(cause(run(nn::batch_norm2d,
                  {.positional = {image}, .attributes = {{"running_mean", filled({4})}}})) ==
        "needs both running statistics");
  CHECK(cause(run(fn::group_norm, {.positional = {image, 2, filled({2})}})) ==
        "the parameters do not have one element per channel");
}
