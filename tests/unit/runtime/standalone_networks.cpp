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

/// A model, and its parts.
template <semantics Release>
struct blocks {
  static constexpr auto& whole = net;
  static constexpr auto& head = before;
  static constexpr auto& middle = inside;
  static constexpr auto& tail = behind;
  static constexpr const char* path = "block.";
  using backend = x86;
  using mapping = averages;
  using told_whole = told<Release>;
  using told_middle = told_block<Release>;
  static constexpr auto release = Release;
};

template <class Nets>
void compare() {
  constexpr auto release = Nets::release;
  const weights all = small::uniform_weights<Nets::whole>(3);
  auto whole = prepare<Nets::whole, x86, ranges, error, isa::of_models, typename Nets::told_whole>(
      model_weights<Nets::whole>::check(all).value_or_exit());
  auto head = prepare<Nets::head, x86, ranges, error, isa::of_models, told_before<release>>(
      part_of<Nets::head>(all, ""));
  auto middle =
      prepare<Nets::middle, typename Nets::backend, typename Nets::mapping, error, isa::of_models,
              typename Nets::told_middle>(part_of<Nets::middle>(all, Nets::path));
  auto tail = prepare<Nets::tail, x86, ranges, error, isa::of_models, told_behind<release>>(
      part_of<Nets::tail>(all, ""));

  const std::vector<float> data = small::random_values(8 * 64, 5);
  const auto image = [&](std::size_t i) {
    typename decltype(whole)::input x;
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(64 * i), x.size, x.begin());
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
  compare<blocks<semantics::torch_2_1>>();
}

TEST_CASE("as in PyTorch 1.13, where copies have the scale of their input") {
  compare<blocks<semantics::torch_1_13>>();
}

// A module with a backend of its own, of fewer and other patterns, whose integers are of 7 bits.
inline constexpr auto layer_before =
    model("x"_n = nn::placeholder({1, 8}), "first"_n = nn::linear("x"_n, {.out_features = 8}),
          "out"_n = nn::output("first"_n));
inline constexpr auto layer_inside =
    model("x"_n = nn::placeholder({1, 8}), "fc"_n = nn::linear("x"_n, {.out_features = 6}),
          "out"_n = nn::output("fc"_n));
inline constexpr auto layer_behind =
    model("x"_n = nn::placeholder({1, 6}), "last"_n = nn::linear("x"_n, {.out_features = 3}),
          "out"_n = nn::output("last"_n));
inline constexpr module_of<"my.Layer", layer_inside> layer{};
inline constexpr auto layer_net =
    model("x"_n = nn::placeholder({1, 8}), "first"_n = nn::linear("x"_n, {.out_features = 8}),
          "layer"_n = layer("first"_n), "last"_n = nn::linear("layer"_n, {.out_features = 3}),
          "out"_n = nn::output("last"_n));

using seven_bits = dtype_with_constraints<quint8, quant_min<0>, quant_max<127>>;
struct narrow
    : backend_config<"narrow",
                     backend_pattern_config<
                         pattern<nn::linear>,
                         dtype_configs<dtype_config<
                             input_dtype<seven_bits>, output_dtype<seven_bits>,
                             weight_dtype<dtype_with_constraints<qint8>>, bias_dtype<f32>>>,
                         root_module<nn::linear>, reference_quantized_module<nnqr::linear>>> {};
struct seven_bit_ranges
    : qconfig_mapping<global<qconfig<min_max_observer<{.quant_min = 0, .quant_max = 127}>,
                                     per_channel_min_max_observer<>>>> {};
constexpr backend_view of_narrow = backend_v<narrow>;
constexpr mapping_view of_seven_bits = mapping_v<seven_bit_ranges>;

template <semantics Release>
struct told_narrow : plan_options {
  static constexpr auto semantics = Release;
  static constexpr prepare_custom_config prepare{.input_quantized_indexes = {first, 1},
                                                 .output_quantized_indexes = {first, 1}};
};
template <semantics Release>
struct told_layer : plan_options {
  static constexpr auto semantics = Release;
  static constexpr standalone_module modules[] = {{.name = "layer",
                                                   .mapping = &of_seven_bits,
                                                   .backend = &of_narrow,
                                                   .custom = told_narrow<Release>::prepare}};
  static constexpr prepare_custom_config prepare{.standalone = {modules, 1}};
  using standalone_models = ctq::standalone_models<standalone_model<"layer", layer_inside>>;
};
template <semantics Release>
struct layers {
  static constexpr auto& whole = layer_net;
  static constexpr auto& head = layer_before;
  static constexpr auto& middle = layer_inside;
  static constexpr auto& tail = layer_behind;
  static constexpr const char* path = "layer.";
  using backend = narrow;
  using mapping = seven_bit_ranges;
  using told_whole = told_layer<Release>;
  using told_middle = told_narrow<Release>;
  static constexpr auto release = Release;
};

/// The pattern of a node of the whole model.
constexpr const backend_pattern_config_record& pattern_of(const char* name) {
  using planned = plan<layer_net, x86, ranges, error, told_layer<semantics::torch_2_1>>;
  const auto g = planned::lowered.view();
  return planned::backend.configs[g[find(g, name)].choice.pattern];
}
static_assert(pattern_of("layer.fc") == of_narrow.configs[0]);
static_assert(pattern_of("first").pattern == of_narrow.configs[0].pattern &&
              pattern_of("first") != of_narrow.configs[0]);

TEST_CASE("a module with a backend of its own gives the bytes that it gives alone") {
  compare<layers<semantics::torch_2_1>>();
  compare<layers<semantics::torch_1_13>>();
}

}  // namespace
