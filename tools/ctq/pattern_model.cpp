// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pattern_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/qconfigs.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/ops/op_table.hpp"

namespace tool {

namespace {

using ctq::op_id;
using ctq::op_kind;

/// How a model calls an op: the arguments after the tensors, or the options of its module. All keep
/// the shape of their input where they can, so that they fit behind one another.
struct op_call {
  std::string_view name;         // the last part of the qualified name
  std::string_view arguments{};  // JSON, after the tensors
  std::string_view options{};    // JSON, of a module
  std::string_view tensors{};    // of a module or in front of `arguments`: "weight 4 4 3 3"
  std::string_view keywords{};   // JSON
};

#define TOOL_CONVOLUTION(N, K)                                                          \
  {"Conv" #N "d",                                                                       \
   {},                                                                                  \
   R"("in_channels": 4, "out_channels": 4, "kernel_size": 3, "padding": 1)",            \
   "weight 4 4 " K ";bias 4"},                                                          \
      {"ConvTranspose" #N "d",                                                          \
       {},                                                                              \
       R"("in_channels": 4, "out_channels": 4, "kernel_size": 3, "padding": 1)",        \
       "weight 4 4 " K ";bias 4"},                                                      \
      {"conv" #N "d", "1, 1", {}, "weight 4 4 " K ";bias 4"},                           \
      {"conv_transpose" #N "d", "1, 1", {}, "weight 4 4 " K ";bias 4"},                 \
      {"BatchNorm" #N "d",                                                              \
       {},                                                                              \
       R"("num_features": 4)",                                                          \
       "weight 4;bias 4;running_mean 4;running_var 4"},                                 \
      {"InstanceNorm" #N "d", {}, R"("num_features": 4)"},                              \
      {"AdaptiveAvgPool" #N "d", {}, R"("output_size": 3)"},                            \
      {"AvgPool" #N "d", {}, R"("kernel_size": 2)"},                                    \
      {"MaxPool" #N "d", {}, R"("kernel_size": 2)"}, {"adaptive_avg_pool" #N "d", "3"}, \
      {"avg_pool" #N "d", "2"}, {                                                       \
    "max_pool" #N "d", "2"                                                              \
  }

constexpr std::string_view recurrent_options = R"("input_size": 4, "hidden_size": 4)";
constexpr std::string_view embedding_options = R"("num_embeddings": 10, "embedding_dim": 16)";

constexpr op_call calls[] = {
    TOOL_CONVOLUTION(1, "3"),
    TOOL_CONVOLUTION(2, "3 3"),
    TOOL_CONVOLUTION(3, "3 3 3"),
    {"Linear", {}, R"("in_features": 4, "out_features": 4)", "weight 4 4;bias 4"},
    {"linear", {}, {}, "weight 4 4;bias 4"},
    {"LSTM",
     {},
     recurrent_options,
     "weight_ih_l0 16 4;weight_hh_l0 16 4;bias_ih_l0 16;bias_hh_l0 16"},
    {"GRU",
     {},
     recurrent_options,
     "weight_ih_l0 12 4;weight_hh_l0 12 4;bias_ih_l0 12;bias_hh_l0 12"},
    {"LSTMCell", {}, recurrent_options, "weight_ih 16 4;weight_hh 16 4;bias_ih 16;bias_hh 16"},
    {"GRUCell", {}, recurrent_options, "weight_ih 12 4;weight_hh 12 4;bias_ih 12;bias_hh 12"},
    {"RNNCell", {}, recurrent_options, "weight_ih 4 4;weight_hh 4 4;bias_ih 4;bias_hh 4"},
    {"Embedding", {}, embedding_options, "weight 10 16"},
    {"EmbeddingBag", {}, embedding_options, "weight 10 16"},
    {"embedding", {}, {}, "weight 10 16"},
    {"LayerNorm", {}, R"("normalized_shape": [6])", "weight 6;bias 6"},
    {"layer_norm", "[6], ", {}, "weight 6;bias 6"},
    {"group_norm", "2, ", {}, "weight 4;bias 4"},
    {"PReLU", {}, R"("num_parameters": 4)", "weight 4"},
    {"PixelShuffle", {}, R"("upscale_factor": 2)"},
    {"PixelUnshuffle", {}, R"("downscale_factor": 2)"},
    {"pixel_shuffle", "2"},
    {"pixel_unshuffle", "2"},
    {"interpolate", {}, {}, {}, R"("scale_factor": 2)"},
    {"Softmax", {}, R"("dim": 1)"},
    {"ConstantPad2d", {}, R"("padding": [1, 1, 1, 1], "value": 0.5)"},
    {"pad", "[1, 1, 1, 1]"},
    {"clamp", "-0.5, 0.5"},
    {"flatten", "1"},
    {"mean", "[2, 3]"},
    {"narrow", "1, 0, 2"},
    {"repeat", "1, 2, 1, 1"},
    {"repeat_interleave", "2"},
    {"transpose", "1, 2"},
    {"permute", "[0, 2, 3, 1]"},
    {"permute_copy", "[0, 2, 3, 1]"},
    {"squeeze", "0"},
    {"squeeze_", "0"},
    {"unsqueeze", "0"},
    {"unsqueeze_", "0"},
    {"reshape", "1, -1"},
    {"resize_", "1, 144"},
    {"view", "1, -1"},
    {"floordiv", "2"},
    {"size", "0"},
    {"cat", "1"},
    {"concat", "1"},
    {"concatenate", "1"},
    {"stack", "1"},
};

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// Of an op that takes tensors alone there is no row.
op_call call_of(op_id op) {
  const std::string_view name = last_part(op->name);
  for (const op_call& c : calls)
    if (c.name == name) return c;
  return {name};
}

std::vector<model_tensor> tensors_of(std::string_view text) {
  std::vector<model_tensor> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    std::string_view one = text.substr(at, end - at);
    model_tensor& t = all.emplace_back();
    t.path = one.substr(0, one.find(' '));
    while (one.find(' ') != one.npos) {
      one.remove_prefix(one.find(' ') + 1);
      int extent = 0;
      for (const char digit : one.substr(0, one.find(' '))) extent = 10 * extent + (digit - '0');
      t.shape.push_back(extent);
    }
    at = end + 1;
  }
  return all;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// "nn.Conv2d" of "torch.nn.Conv2d", as rows call modules.
std::string_view shortened(std::string_view name) {
  return name.starts_with("torch.") ? name.substr(6) : name;
}

class writer {
 public:
  writer(const ctq::backend_view& backend, const ctq::pattern_record& p)
      : backend_(backend), pattern_(p) {
    input_ = "[1, 4, 6, 6]";
    bool is_linear = false;
    for (const ctq::pattern_element& e : p.element) {
      if (e.op == nullptr) continue;
      const std::string_view name = last_part(e.op->name);
      is_linear = is_linear || contains(name, "Cell") || contains(name, "inear");
      if (contains(name, "1d"))
        input_ = "[1, 4, 12]";
      else if (contains(name, "3d"))
        input_ = "[1, 4, 6, 6, 6]";
      else if (name == "LSTM" || name == "GRU")
        input_ = "[5, 2, 4]";
      else if (contains(name, "mbedding"))
        input_ = "[2, 3]";
      else if (name == "addmm")
        input_ = "[4, 4]";
      if (contains(name, "mbedding")) model_.reads_indices = true;
    }
    if (is_linear) input_ = "[2, 4]";
  }

  pattern_model write() {
    std::string result = element(0);
    const op_id last = pattern_.element[0].op;
    if (gives_several(last)) result = function("operator.getitem", {result}, "0");
    if (is_any_of(last, ctq::method::shape)) result = function("operator.getitem", {result}, "0");
    if (is_any_of(last, ctq::method::shape, ctq::method::size))
      result = function("view", {"x0", result}, "-1");
    rows_ += row("output", "output", "output", node(result));
    model_.rows = fmt::format("[{}{}]", inputs_, rows_);
    return std::move(model_);
  }

 private:
  static std::string node(const std::string& name) { return fmt::format(R"({{"n": "{}"}})", name); }

  static std::string row(std::string_view name, std::string_view op, std::string_view target,
                         const std::string& args, const std::string& more = {}) {
    return fmt::format(R"({{"name": "{}", "op": "{}", "target": "{}", "args": [{}]{}}})", name, op,
                       target, args, more);
  }

  static bool gives_several(op_id op) {
    const std::string_view name = last_part(op->name);
    return name == "LSTM" || name == "GRU" || name == "LSTMCell";
  }
  static std::size_t tensors_read_by(op_id op) {
    constexpr std::string_view names[] = {"add", "sub", "mul", "matmul"};
    if (last_part(op->name) == "addmm") return 3;
    const bool takes_two =
        std::find(std::begin(names), std::end(names), last_part(op->name)) != std::end(names);
    return takes_two || op->descriptor->takes_list ? 2 : 1;
  }

  std::string input() {
    const std::string name = fmt::format("x{}", input_count_++);
    inputs_ += row(name, "placeholder", name, "", fmt::format(R"(, "shape": {})", input_)) + ",";
    return name;
  }

  std::string new_name() { return fmt::format("y{}", count_++); }

  /// The subtree at an element: the name of what it gives.
  std::string element(int at) {
    const ctq::pattern_element& e = pattern_.element[at];
    if (e.op == nullptr) return input();
    std::vector<std::string> reads;
    int next = at + 1;
    for (int a = 0; a < e.args; ++a) {
      reads.push_back(element(next));
      next += subtree(pattern_, next);
    }
    while (reads.size() < tensors_read_by(e.op)) reads.push_back(input());
    return call(e.op, reads);
  }

  std::string call(op_id op, const std::vector<std::string>& reads) {
    if (op->kind == op_kind::module) return module(op, reads);
    return function(op->name, reads, {});
  }

  /// A fused or trained module is written as the modules that it is made of.
  std::string module(op_id op, std::vector<std::string> reads) {
    for (const ctq::backend_pattern_config_record& c : backend_.configs)
      if (c.qat_module == op && c.pattern.is_single() && c.pattern.anchor() != op) {
        model_.is_trained = true;
        return module(c.pattern.anchor(), std::move(reads));
      }
    if (op->descriptor->fused_of[0] != nullptr) {
      for (const op_id part : op->descriptor->fused_of)
        if (part != nullptr) reads = {module(part, reads)};
      return reads[0];
    }
    const std::string_view of_sum = last_part(op->name);
    if (of_sum == "ConvAdd2d" || of_sum == "ConvAddReLU2d") {
      const std::string sum =
          function("operator.add", {module(ctq::nn::conv2d.id(), reads), input()}, {});
      return of_sum == "ConvAdd2d" ? sum : module(ctq::nn::relu.id(), {sum});
    }
    const op_call c = call_of(op);
    const std::string name = new_name();
    for (model_tensor& t : tensors_of(c.tensors))
      model_.tensors.push_back({fmt::format("{}.{}", name, t.path), std::move(t.shape)});
    std::string read;
    for (const std::string& r : reads) read += (read.empty() ? "" : ", ") + node(r);
    rows_ += row(name, "call_module", name, read,
                 fmt::format(R"(, "module": {{"type": "{}"{}{}}})", shortened(op->name),
                             c.options.empty() ? "" : ", ", c.options)) +
             ",";
    return name;
  }

  std::string function(std::string_view op, const std::vector<std::string>& reads,
                       std::string_view given) {
    const op_id known = ctq::ops<ctq::builtin>::value.find(op);
    const op_call c = given.empty() && known != nullptr ? call_of(known) : op_call{op, given};
    std::string args;
    const auto add = [&args](std::string_view more) {
      if (!more.empty()) args += fmt::format("{}{}", args.empty() ? "" : ", ", more);
    };
    for (const std::string& r : reads) add(node(r));
    if (known != nullptr && known->descriptor->takes_list) args = "[" + args + "]";
    const bool weights_last = c.arguments.ends_with(", ");
    if (weights_last) add(c.arguments.substr(0, c.arguments.size() - 2));
    for (const model_tensor& t : tensors_of(c.tensors)) {
      const std::string name = fmt::format("{}{}", t.path, count_);
      model_.tensors.push_back({name, t.shape});
      inputs_ += row(name, "get_attr", name, "",
                     fmt::format(R"(, "shape": [{}])", fmt::join(t.shape, ", "))) +
                 ",";
      add(node(name));
    }
    if (!weights_last) add(c.arguments);
    const std::string name = new_name();
    if (op == "shape") {
      rows_ += row(name, "call_function", "builtins.getattr", args + R"(, "shape")") + ",";
    } else {
      rows_ +=
          row(name,
              known != nullptr && known->kind == op_kind::method ? "call_method" : "call_function",
              op, args,
              c.keywords.empty() ? "" : fmt::format(R"(, "kwargs": {{{}}})", c.keywords)) +
          ",";
    }
    return name;
  }

  const ctq::backend_view& backend_;
  const ctq::pattern_record& pattern_;
  pattern_model model_;
  std::string input_, inputs_, rows_;
  int input_count_ = 0;
  int count_ = 0;
};

}  // namespace

pattern_model pattern_model_of(const ctq::backend_view& backend, int pattern) {
  return writer{backend, backend.configs[pattern].pattern}.write();
}

std::vector<ctq::mapping_entry> mapping_for(const ctq::dtype_config_record& config) {
  using ctq::observer_class;
  const auto observer = [](const ctq::dtype_with_constraints_record& d, observer_class type) {
    ctq::observer_record r{type, {.dtype = d.dtype == ctq::dtype::none ? ctq::f32 : d.dtype}};
    const bool is_int8 = d.dtype == ctq::quint8 || d.dtype == ctq::qint8;
    if (!is_int8) r.type = observer_class::placeholder;
    if (d.scale_min_lower_bound.given)
      r.args.eps = static_cast<float>(d.scale_min_lower_bound.value);
    if (d.quant_min_lower_bound.given && d.quant_max_upper_bound.given) {
      r.args.quant_min = d.quant_min_lower_bound.value;
      r.args.quant_max = d.quant_max_upper_bound.value;
    }
    return r;
  };
  ctq::qconfig_record q{observer(config.input_dtype, observer_class::min_max),
                        observer(config.weight_dtype, observer_class::min_max)};
  q.activation.args.is_dynamic = config.is_dynamic;
  if (config.weight_dtype.dtype == ctq::qint8)
    q.weight.args.qscheme = ctq::qscheme::per_tensor_symmetric;
  const bool weight_only =
      config.input_dtype.dtype == ctq::f32 && config.weight_dtype.dtype != ctq::dtype::none;
  if (weight_only)
    q.weight = {observer_class::per_channel_min_max,
                {.dtype = config.weight_dtype.dtype,
                 .qscheme = ctq::qscheme::per_channel_affine_float_qparams}};
  if (config.weight_dtype.dtype == ctq::dtype::none)
    q.weight = {observer_class::min_max,
                {.dtype = ctq::qint8, .qscheme = ctq::qscheme::per_tensor_symmetric}};
  ctq::mapping_parts::treatments by = ctq::mapping_parts::uniform(q, false);
  using ctq::categories::treatment;
  by[static_cast<std::size_t>(treatment::norm_weight)].weight =
      ctq::default_placeholder_observer::value;
  if (config.output_dtype.dtype != ctq::quint8)  // fixed ranges are those of quint8
    for (const treatment fixed : {treatment::from_0_to_1, treatment::from_neg1_to_1})
      by[static_cast<std::size_t>(fixed)] = q;
  const auto entries = ctq::mapping_parts::entries_for(by, ctq::semantics::torch_2_1);
  return {entries.begin(), entries.end()};
}

}  // namespace tool
