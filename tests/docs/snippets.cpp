// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pages of docs/ show and no example has: a program, so that it is compiled and run.

#include <cmath>
#include <cstdio>
#include <ctq/backends/default_qconfig_mappings.hpp>
#include <ctq/backends/executorch.hpp>
#include <ctq/ctq.hpp>
#include <ctq/json/custom_config/from_json.hpp>
#include <ctq/json/mapping_from_json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "../../examples/support/random_weights.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace fn = ctq::fn;

namespace {

// [sequential]
inline constexpr auto mlp = ctq::sequential({1, 64}, nn::linear({.out_features = 32}), nn::relu(),
                                            nn::linear({.out_features = 10}));
// [sequential]

inline constexpr auto net =
    ctq::model("x"_n = nn::placeholder({1, 3, 8, 8}),
               "conv"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 3, .padding = 1}),
               "relu"_n = nn::relu("conv"_n), "pool"_n = nn::adaptive_avg_pool2d("relu"_n),
               "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
               "fc"_n = nn::linear("flat"_n, {.out_features = 4}), "out"_n = nn::output("fc"_n));

// [mapping]
using min_max = ctq::qconfig<ctq::min_max_observer<>, ctq::per_channel_min_max_observer<>>;
using histogram = ctq::qconfig<ctq::histogram_observer<>, ctq::per_channel_min_max_observer<>>;

struct mixed
    : ctq::qconfig_mapping<ctq::global<histogram>,                     // everything,
                           ctq::object_type<nn::linear, min_max>,      // but linear layers,
                           ctq::module_name_regex<"conv.*", min_max>,  // what is named conv…,
                           ctq::allow_float<"fc">> {};                 // and fc stays in float
[[maybe_unused]] constexpr ctq::checked_mapping<mixed> mixed_is_well_formed;
// [mapping]
static_assert(!ctq::explain<net, ctq::x86, mixed>().quantized("fc"));

// [dynamic]
struct dynamic
    : ctq::qconfig_mapping<ctq::object_type<nn::linear, ctq::per_channel_dynamic_qconfig>> {};
// [dynamic]
static_assert(ctq::explain<net, ctq::x86, dynamic>().quantized("fc"));

// [int4]
struct int4
    : ctq::qconfig_mapping<
          ctq::object_type<nn::linear, ctq::int8_dynamic_activation_int4_weight_qconfig<32>>> {};
// [int4]
static_assert(ctq::explain<net, ctq::executorch, int4>().quantized("fc"));

// [mapping file]
inline constexpr ctq::embedded_file int8_json{"int8.json", R"({
  "": {
    "activation": {"class": "HistogramObserver", "reduce_range": true},
    "weight": {"class": "PerChannelMinMaxObserver",
               "dtype": "torch.qint8", "qscheme": "torch.per_channel_symmetric"}
  },
  "object_type": [["torch.nn.Linear", null]],
  "module_name_regex": [["layer1\\..*", null]],
  "module_name": [["fc", null]]
})"};

struct int8_from_file : ctq::mapping_from_json<int8_json> {};
[[maybe_unused]] constexpr ctq::checked_mapping<int8_from_file> int8_is_well_formed;
// [mapping file]
static_assert(!ctq::explain<net, ctq::x86, int8_from_file>().quantized("fc"));

// [plan options]
struct as_in_1_13 : ctq::plan_options {
  static constexpr auto semantics = ctq::semantics::torch_1_13;
  using convert_mapping = mixed;  // None here leaves nodes in float, though prepare observed them
};
static_assert(
    !ctq::explain<net, ctq::x86, mixed, ctq::unsupported::error, as_in_1_13>().quantized("fc"));
// [plan options]

// [standalone]
inline constexpr auto head =  // a module that is quantized on its own, with its own mapping
    ctq::model("x"_n = nn::placeholder({1, 8}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
               "out"_n = nn::output("fc"_n));
inline constexpr ctq::module_of<"my.Head", head> call_head{};

inline constexpr auto with_head =
    ctq::model("x"_n = nn::placeholder({1, 16}), "fc"_n = nn::linear("x"_n, {.out_features = 8}),
               "head"_n = call_head("fc"_n), "out"_n = nn::output("head"_n));

constexpr ctq::mapping_view its_mapping =
    ctq::mapping_v<ctq::qconfig_mapping<ctq::global<histogram>>>;
constexpr int first[] = {0};
struct head_alone : ctq::plan_options {
  static constexpr ctq::standalone_module modules[] = {
      {.name = "head",
       .mapping = &its_mapping,
       .custom = {.input_quantized_indexes = {first, 1}, .output_quantized_indexes = {first, 1}}}};
  static constexpr ctq::prepare_custom_config prepare{.standalone = {modules, 1}};
  using standalone_models = ctq::standalone_models<ctq::standalone_model<"head", head>>;
};
using everywhere = ctq::qconfig_mapping<ctq::global<min_max>>;
using with_head_plan =
    ctq::plan<with_head, ctq::x86, everywhere, ctq::unsupported::error, head_alone>;
static_assert(with_head_plan::int8_schedule.count == 4);  // quantize, fc, head.fc, dequantize
// [standalone]

// [lstm]
inline constexpr auto tagger =
    ctq::model("x"_n = nn::placeholder({20, 1, 8}), "lstm"_n = nn::lstm("x"_n, {.hidden_size = 16}),
               "y"_n = ctq::op::getitem("lstm"_n, {.index = {0}}),
               "tags"_n = nn::linear("y"_n, {.out_features = 5}), "out"_n = nn::output("tags"_n));

struct with_lstm : ctq::plan_options {
  static constexpr ctq::prepare_custom_config prepare{
      .custom_modules = {&ctq::lstm_custom_module, 1}};
};
using tagger_plan = ctq::plan<tagger, ctq::x86, everywhere, ctq::unsupported::error, with_lstm>;
static_assert(tagger_plan::int8_schedule.count == 4);  // quantize, lstm, tags, dequantize
// [lstm]

// [custom config]
inline constexpr ctq::embedded_file blocks_json{"blocks.json", R"({
  "ops": [{"name": "my.Cell", "kind": "module"}, {"name": "my.ObservedCell", "kind": "module"}],
  "standalone_module_name": [["head", null, [], {"input_quantized_idxs": [0]}, "qnnpack"]],
  "float_to_observed_custom_module_class": {"static": {"my.Cell": "my.ObservedCell"}},
  "preserved_attributes": ["labels"]
})"};

using blocks =
    ctq::prepare_custom_config_from_json<blocks_json, ctq::ops<ctq::builtin>, ctq::qnnpack>;
[[maybe_unused]] constexpr ctq::checked_custom_config<blocks> blocks_are_well_formed;
// [custom config]

struct int8 : ctq::qconfig_mapping<ctq::global<min_max>> {};

// [asserts]
static_assert(ctq::explain<net, ctq::x86, int8>().quantized("relu"));  // this node
static_assert(ctq::explain<net, ctq::x86, int8>().fully_quantized());  // every node
static_assert(ctq::coverage<net, ctq::x86, mixed>() > 0.6);            // how much of them
// [asserts]

using image = ctq::tensor<float, 1, 3, 8, 8>;
using logits = ctq::tensor<float, 1, 4>;

image random_image(std::mt19937& bits) {
  image x;
  std::normal_distribution<float> normal;
  for (float& v : x.values) v = normal(bits);
  return x;
}

// [sqnr]
/// Signal to quantization noise in dB: 40 is what eight bits are worth, below 20 something is
/// wrong.
template <class Floats, class Integers>
double sqnr(Floats& in_float, Integers& quantized, const std::vector<image>& samples) {
  double signal = 0, noise = 0;
  for (const image& x : samples) {
    const logits wanted = in_float(x), got = quantized(x);
    for (std::size_t i = 0; i < wanted.size; ++i) {
      signal += std::pow(wanted[i], 2);
      noise += std::pow(wanted[i] - got[i], 2);
    }
  }
  return 10 * std::log10(signal / noise);
}
// [sqnr]

/// One model, many threads.
template <class Model>
void run_in_threads(const Model& model, const std::vector<image>& batch,
                    std::vector<logits>& answers) {
  // [threads]
  std::vector<std::thread> workers;
  for (std::size_t t = 0; t < 2; ++t)
    workers.emplace_back([&, t] {
      ctq::session run{model};  // with an arena of its own: one for each thread
      for (std::size_t i = t; i < batch.size(); i += 2) answers[i] = run(batch[i]);
    });
  for (std::thread& w : workers) w.join();
  // [threads]
}

/// The model of a file that is in memory.
template <class Model>
bool runs_as(const Model& model, const std::string& path, const image& x) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove(path);
  const auto net_int8 = [&file] { return std::as_bytes(std::span(file)); };
  using plan = typename Model::plan;
  // [embedded]
  const auto loaded = ctq::load_quantized<plan>(net_int8()).value_or_exit();
  // [embedded]
  return loaded(x).values == model(x).values;
}

}  // namespace

int main() {
  std::mt19937 bits{1};
  const auto weights =
      ctq::model_weights<net>::check(demo::random_weights(net.view(), bits)).value_or_exit();
  std::vector<image> samples;
  for (int i = 0; i < 16; ++i) samples.push_back(random_image(bits));

  auto observed = ctq::prepare<net, ctq::x86, int8>(weights);
  for (const image& x : samples) observed(x);
  // [convert]
  const auto converted = ctq::convert(observed);
  if (!converted) {  // or ctq::convert(observed).value_or_exit()
    std::fputs(converted.error().message().c_str(), stderr);
    return 1;
  }
  const auto& model = *converted;
  // [convert]

  // [explain]
  std::string table;
  constexpr auto explanation = ctq::explain<net, ctq::x86, int8>();
  explanation.append_to(table);
  std::puts(table.c_str());
  // [explain]

  // [float model]
  ctq::float_model<net, ctq::x86> in_float{weights};
  ctq::session quantized{model};
  std::printf("%.1f dB\n", sqnr(in_float, quantized, samples));
  // [float model]

  std::vector<logits> answers(samples.size());
  run_in_threads(model, samples, answers);
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (quantized(samples[i]).values != answers[i].values) return 1;

  const std::string path =
      (std::filesystem::temp_directory_path() / ("ctq-snippets-" + std::to_string(bits())))
          .string();
  // [save]
  model.save(path).value_or_exit();
  // [save]
  if (!runs_as(model, path, samples[0])) return 1;

  // [options]
  const auto cheaper = ctq::convert(observed, ctq::add_within_one_step).value_or_exit();
  // [options]
  if (cheaper(samples[0]).values != quantized(samples[0]).values) return 1;  // net has no sum
  return mlp.problem.any() || sqnr(in_float, quantized, samples) < 20 ? 1 : 0;
}
