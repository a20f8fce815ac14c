// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/module_of.hpp"
#include "ctq/passes/standalone_plan.hpp"
#include "ctq/runtime/convert.hpp"
#include "ctq/runtime/quantized_model.hpp"
#include "ctq/runtime/session.hpp"
#include "train/small_models.hpp"

// A compiled model with standalone modules gives the bytes of its parts, compiled one by one: what
// is before the module, the module, what follows it.

using namespace ctq;
using namespace ctq::literals;

namespace {

// A module inside the module, which reads floats and gives integers.
inline constexpr auto inmost =
    model("x"_n = nn::placeholder({1, 4, 6, 6}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3, .padding = 1}),
          "norm"_n = nn::batch_norm2d("conv"_n), "relu"_n = nn::relu("norm"_n),
          "out"_n = nn::output("relu"_n));
inline constexpr module_of<"my.Inner", inmost> inner{};

inline constexpr auto inside =
    model("x"_n = nn::placeholder({1, 4, 6, 6}),
          "pool"_n = nn::max_pool2d("x"_n, {.kernel_size = 3, .stride = 1, .padding = 1}),
          "inner"_n = inner("x"_n),
          "conv"_n = nn::conv2d("inner"_n, {.out_channels = 4, .kernel_size = 1}),
          "sum"_n = op::add("conv"_n, "pool"_n), "out"_n = nn::output("sum"_n));
inline constexpr module_of<"my.Block", inside> block{};

inline constexpr auto before =
    model("x"_n = nn::placeholder({1, 1, 8, 8}),
          "first"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3}),
          "relu"_n = nn::relu("first"_n), "out"_n = nn::output("relu"_n));
inline constexpr auto behind =
    model("x"_n = nn::placeholder({1, 4, 6, 6}),
          "last"_n = nn::conv2d("x"_n, {.out_channels = 2, .kernel_size = 3, .stride = 2}),
          "flat"_n = fn::flatten("last"_n, {.start_dim = 1}),
          "fc"_n = nn::linear("flat"_n, {.out_features = 5}), "out"_n = nn::output("fc"_n));
inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 1, 8, 8}),
          "first"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3}),
          "relu"_n = nn::relu("first"_n), "block"_n = block("relu"_n),
          "last"_n = nn::conv2d("block"_n, {.out_channels = 2, .kernel_size = 3, .stride = 2}),
          "flat"_n = fn::flatten("last"_n, {.start_dim = 1}),
          "fc"_n = nn::linear("flat"_n, {.out_features = 5}), "out"_n = nn::output("fc"_n));

struct ranges
    : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {};
struct averages
    : qconfig_mapping<
          global<qconfig<moving_average_min_max_observer<>, per_channel_min_max_observer<>>>> {};
constexpr mapping_view of_block = mapping_v<averages>;
constexpr mapping_view of_inner = mapping_v<ranges>;
constexpr int first[] = {0};

template <semantics Release>
struct told_block : plan_options {
  static constexpr auto semantics = Release;
  static constexpr standalone_module modules[] = {
      {.type = inner.id(),
       .mapping = &of_inner,
       .custom = {.output_quantized_indexes = {first, 1}}}};
  static constexpr prepare_custom_config prepare{.standalone = {modules, 1},
                                                 .input_quantized_indexes = {first, 1},
                                                 .output_quantized_indexes = {first, 1}};
  using standalone_models = ctq::standalone_models<standalone_model<"inner", inmost>>;
};
template <semantics Release>
struct told : plan_options {
  static constexpr auto semantics = Release;
  static constexpr standalone_module modules[] = {
      {.name = "block", .mapping = &of_block, .custom = told_block<Release>::prepare}};
  static constexpr prepare_custom_config prepare{.standalone = {modules, 1}};
  using standalone_models = ctq::standalone_models<
      standalone_model<"block", inside, typename told_block<Release>::standalone_models>>;
};
template <semantics Release>
struct told_before : plan_options {
  static constexpr auto semantics = Release;
  static constexpr prepare_custom_config prepare{.output_quantized_indexes = {first, 1}};
};
template <semantics Release>
struct told_behind : plan_options {
  static constexpr auto semantics = Release;
  static constexpr prepare_custom_config prepare{.input_quantized_indexes = {first, 1}};
};

constexpr auto error = unsupported::error;

/// The weights of one part; those of a module have its path before their names.
template <const auto& Part>
model_weights<Part> part_of(const weights& all, const std::string& path) {
  std::vector<weight_tensor> its;
  const auto g = Part.view();
  for (int i = 0; i < g.size(); ++i)
    for (const parameter& p : parameters_of(g[i])) {
      weight_tensor t = *all.find(path + p.name);
      t.name = p.name;
      its.push_back(std::move(t));
    }
  return model_weights<Part>::check(weights{std::move(its)}).value_or_exit();
}

template <semantics Release>
void compare() {
  const weights all = small::random_weights<net>(3);
  auto whole = prepare<net, x86, ranges, error, isa::of_models, told<Release>>(
      model_weights<net>::check(all).value_or_exit());
  auto head = prepare<before, x86, ranges, error, isa::of_models, told_before<Release>>(
      part_of<before>(all, ""));
  auto middle = prepare<inside, x86, averages, error, isa::of_models, told_block<Release>>(
      part_of<inside>(all, "block."));
  auto tail = prepare<behind, x86, ranges, error, isa::of_models, told_behind<Release>>(
      part_of<behind>(all, ""));

  const std::vector<float> data = small::random_values(8 * 64, 5);
  const auto image = [&](std::size_t i) {
    tensor<float, 1, 1, 8, 8> x;
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(64 * i), 64, x.begin());
    return x;
  };
  for (std::size_t i = 0; i < 8; ++i)
    CHECK(whole(image(i)).values == tail(middle(head(image(i)))).values);

  const auto int8 = convert(whole).value_or_exit();
  const auto int8_head = convert(head).value_or_exit();
  const auto int8_middle =
      convert(middle, input_qparams{{int8_head.output_qparams()}}).value_or_exit();
  const auto int8_tail =
      convert(tail, input_qparams{{int8_middle.output_qparams()}}).value_or_exit();
  for (std::size_t i = 0; i < 8; ++i) {
    const auto y = int8(image(i));
    CHECK(y.values == int8_tail(int8_middle(int8_head(image(i)))).values);
    CHECK(y.values != whole(image(i)).values);  // it is rounded
  }
}

TEST_CASE("standalone modules give the bytes that they give alone") {
  compare<semantics::torch_2_1>();
}

TEST_CASE("as in PyTorch 1.13, where copies have the scale of their input") {
  compare<semantics::torch_1_13>();
}

}  // namespace
