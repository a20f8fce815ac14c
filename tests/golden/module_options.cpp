// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "module_options.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace golden {
namespace {

using ctq::node_value;
using ctq::float_ops::list;
using ctq::float_ops::tensor;
using ctq::float_ops::value;
using options = std::vector<ctq::float_ops::named_value>;

/// What is known of a module before it is called.
struct module_call {
  std::string type;  // "Conv2d"
  std::vector<int> input;
  std::vector<int> weight;
  int outputs = 0;  // elements of the bias
};

value as_value(const std::vector<int>& v) { return list(v.begin(), v.end()); }

std::vector<options> of_convolution(const module_call& m) {
  if (m.weight.size() < 3 || m.input.size() < 2) return {{}};
  const std::vector<int> kernel(m.weight.begin() + 2, m.weight.end());
  const auto same = [&kernel](int x) { return std::vector<int>(kernel.size(), x); };
  const int groups = std::max(1, m.input[1] / std::max(1, m.weight[1]));
  std::vector<options> all;
  std::set<std::vector<int>> tried;
  const auto add = [&](int stride, int dilation, std::vector<int> padding) {
    std::vector<int> key = padding;
    key.insert(key.end(), {stride, dilation});
    if (!tried.insert(key).second) return;
    all.push_back({{"stride", stride},
                   {"padding", as_value(padding)},
                   {"dilation", dilation},
                   {"groups", groups}});
  };
  for (const int dilation : {1, 2, 3}) {
    std::vector<int> half = kernel;
    for (int& k : half) k = dilation * (k / 2);  // with which the size stays the same
    for (const int stride : {1, 2}) {
      add(stride, dilation, stride == 1 ? same(0) : half);
      add(stride, dilation, stride == 1 ? half : same(0));
    }
    for (const int padding : {1, 2, 3})
      for (const int stride : {1, 2}) add(stride, dilation, same(padding));
    for (const int stride : {3, 4})
      for (const int padding : {0, 1, 2}) add(stride, dilation, same(padding));
  }
  return all;
}

std::vector<options> of_transposed_convolution(const module_call& m) {
  if (m.weight.size() < 3) return {{}};
  const int groups = m.outputs == 0 ? 1 : std::max(1, m.outputs / std::max(1, m.weight[1]));
  std::vector<options> all;
  for (const int dilation : {1, 2})
    for (const int output_padding : {0, 1})
      for (const int padding : {0, 1, 2})
        for (const int stride : {1, 2, 3})
          all.push_back({{"stride", stride},
                         {"padding", padding},
                         {"output_padding", output_padding},
                         {"dilation", dilation},
                         {"groups", groups}});
  return all;
}

struct pool_window {
  int kernel, stride, padding;
};

std::vector<options> of_pool(const module_call& m) {
  const bool average = m.type.starts_with("Avg");
  std::vector<pool_window> windows{{2, 2, 0}, {3, 2, 1}, {3, 1, 1},
                                   {3, 3, 0}, {2, 1, 0}, {3, 2, 0}};
  for (const int padding : {0, 1, 2})
    for (const int kernel : {2, 3, 4, 5, 6, 7, 8})
      for (const int stride : {kernel, 1, 2, 3})
        if (2 * padding <= kernel) windows.push_back({kernel, stride, padding});
  std::vector<options> all;
  for (const bool ceil : {false, true})
    for (const pool_window& w : windows) {
      options o{{"kernel_size", w.kernel},
                {"stride", w.stride},
                {"padding", w.padding},
                {"ceil_mode", ceil}};
      all.push_back(o);
      if (!average || w.padding == 0) continue;
      o.push_back({"count_include_pad", false});
      all.push_back(o);
    }
  return all;
}

std::vector<options> one_each(const char* name, const std::vector<value>& values) {
  std::vector<options> all;
  for (const value& v : values) all.push_back({{name, v}});
  return all;
}

std::vector<options> of_norm(const module_call& m) {
  const auto with_eps = [](const options& o) {
    std::vector<options> all;
    for (const double eps : {1e-5, 1e-3, 1e-6, 1e-12}) {
      all.push_back(o);
      all.back().push_back({"eps", eps});
    }
    return all;
  };
  if (m.type == "LayerNorm") {
    const std::vector<int> last(m.input.empty() ? m.input.end() : m.input.end() - 1, m.input.end());
    return with_eps({{"normalized_shape", as_value(m.weight.empty() ? last : m.weight)}});
  }
  if (m.type != "GroupNorm") return with_eps({});
  std::vector<options> all;
  const int channels = m.input.size() < 2 ? 1 : m.input[1];
  for (int groups = 1; groups <= channels; ++groups)
    if (channels % groups == 0)
      for (const options& o : with_eps({{"num_groups", groups}})) all.push_back(o);
  return all;
}

std::vector<options> of_recurrent(const ctq::module_state& modules, const std::string& path) {
  int layers = 0;
  while (modules.find(path + ".weight_ih_l" + std::to_string(layers)) != nullptr) ++layers;
  const bool both = modules.find(path + ".weight_ih_l0_reverse") != nullptr;
  std::vector<options> all;
  for (const bool batch_first : {false, true})
    all.push_back({{"num_layers", std::max(1, layers)},
                   {"bidirectional", both},
                   {"batch_first", batch_first}});
  return all;
}

/// Likely options, the likeliest first; one empty set for modules that have none.
std::vector<options> candidates(const module_call& m, const ctq::module_state& modules,
                                const std::string& path) {
  const std::string& t = m.type;
  if (t.starts_with("ConvTranspose")) return of_transposed_convolution(m);
  if (t.starts_with("Conv")) return of_convolution(m);
  if (t.starts_with("MaxPool") || t.starts_with("AvgPool")) return of_pool(m);
  if (t.starts_with("AdaptiveAvgPool") || t.starts_with("AdaptiveMaxPool"))
    return one_each("output_size", {1, 2, 3, 4, 5, 6, 7, 8});
  if (t.starts_with("BatchNorm") || t.starts_with("InstanceNorm") || t.ends_with("Norm") ||
      t.starts_with("BNReLU"))
    return of_norm(m);
  if (t == "LeakyReLU") return one_each("negative_slope", {0.01, 0.1, 0.2, 0.3, 0.05, 0.25, 0.5});
  if (t == "ELU") return one_each("alpha", {1.0, 0.5, 2.0, 0.1, 1.5});
  if (t == "Softmax" || t == "LogSoftmax") return one_each("dim", {1, -1, 0, 2});
  if (t == "EmbeddingBag") return one_each("mode", {"mean", "sum", "max"});
  if (t == "PixelShuffle") return one_each("upscale_factor", {2, 3, 4});
  if (t == "PixelUnshuffle") return one_each("downscale_factor", {2, 3, 4});
  if (t == "Upsample") return one_each("scale_factor", {2, 3});
  if (t == "Hardtanh")
    return {{},
            {{"min_val", 0.0}, {"max_val", 6.0}},
            {{"min_val", -2.0}, {"max_val", 2.0}},
            {{"min_val", 0.0}, {"max_val", 1.0}}};
  if (t == "Flatten") return {{}, {{"start_dim", 0}}, {{"start_dim", 2}}};
  if (t == "LSTM" || t == "GRU" || t == "RNN") return of_recurrent(modules, path);
  return {{}};
}

class search {
 public:
  search(const option_search& s, ctq::module_state& modules)
      : s_(s), modules_(modules), run_(s.graph, modules, {.implementation = s.implementation}) {
    values_.resize(s.inputs.size());
  }

  /// First the combinations whose options are all likely, then those that are less so: each place
  /// behind the first costs one.
  bool run() {
    for (const int budget : {0, 1, 2, 4, 6, 9, 14, 24, 50, 1000}) {
      budget_ = budget;
      qparams_ = 0;
      if (from(0)) return true;
    }
    return false;
  }

  [[nodiscard]] std::string problem() const {
    if (last_ + 1 == s_.graph.size()) return "no combination of options gives the output";
    return "no combination of options fits node " + std::string(s_.graph[last_ + 1].name) +
           (why_.empty() ? std::string(": its range differs") : ": " + why_);
  }

 private:
  bool from(int i) {
    if (i - 1 > last_) {
      last_ = i - 1;
      why_.clear();
    }
    if (i == s_.graph.size()) return s_.accepts(values_.back().back());
    const ctq::node& n = s_.graph[i];
    const std::string path(path_of(n));
    const auto type = s_.types.find(path);
    const bool open =
        n.op->kind == ctq::op_kind::module && type != s_.types.end() && !decided_.contains(path);
    if (!open) return step(i);
    decided_.insert(path);
    int unlikeliness = 0;
    for (const options& o : candidates(describe(i, path, type->second), modules_, path)) {
      if (qparams_ > most_steps || unlikeliness > budget_) break;
      const int before = std::exchange(budget_, budget_ - unlikeliness++);
      modules_.clear_options(path);
      for (const auto& [name, given] : o) modules_.set_option(path, name, given);
      const bool found = step(i);
      budget_ = before;
      if (found) return true;
    }
    decided_.erase(path);
    return false;
  }

  static constexpr int most_steps = 100000;

  /// Computes node i for all inputs, then what follows.
  bool step(int i) {
    ++qparams_;
    bool good = true;
    for (std::size_t k = 0; k < values_.size() && good; ++k) {
      auto v = compute(i, k);
      good = v.has_value();
      if (good)
        values_[k].push_back(*std::move(v));
      else if (i > last_)
        why_ = v.error().message();
    }
    good = good && fits_what_was_seen(i) && from(i + 1);
    for (auto& of_input : values_)
      if (of_input.size() > static_cast<std::size_t>(i))
        of_input.resize(static_cast<std::size_t>(i));
    return good;
  }

  ctq::result<node_value> compute(int i, std::size_t k) {
    const ctq::node& n = s_.graph[i];
    if (n.op->kind == ctq::op_kind::placeholder) {
      std::size_t input = 0;
      for (int before = 0; before < i; ++before)
        input += s_.graph[before].op->kind == ctq::op_kind::placeholder ? 1 : 0;
      if (input >= s_.inputs[k].size()) return ctq::fail(std::string(n.name), "has no input");
      return s_.inputs[k][input];
    }
    std::vector<node_value> reads;
    for (const int a : s_.graph.args_of(i))
      reads.push_back(values_[k][static_cast<std::size_t>(a)]);
    return run_.run_node(i, reads);
  }

  /// The range of a node's output over the inputs of calibration.
  bool fits_what_was_seen(int i) const {
    const auto wanted = s_.seen.find(std::string(s_.graph[i].name));
    if (wanted == s_.seen.end() || values_.size() < 2) return true;
    const seen_range& w = wanted->second;
    double min = HUGE_VAL;
    double max = -HUGE_VAL;
    for (std::size_t k = 0; k + 1 < values_.size(); ++k) {
      const value v = values_[k].back().real();
      const auto* t = v.get_if<tensor>();
      if (t == nullptr || t->data.empty()) return true;
      const auto [low, high] = std::ranges::minmax(t->data);
      const bool averages = k > 0 && w.averaging < 1.0;
      min = averages ? min + w.averaging * (low - min) : std::min<double>(min, low);
      max = averages ? max + w.averaging * (high - max) : std::max<double>(max, high);
    }
    const double scale = std::max({1e-3, std::abs(w.min), std::abs(w.max)});
    const double slack = 1e-4 * scale;
    if (w.shared) return w.min - min <= slack && max - w.max <= slack;
    const double widening = w.widened ? 0.05 * scale : slack;
    return std::abs(min - w.min) <= slack && max - w.max <= slack && w.max - max <= widening;
  }

  [[nodiscard]] module_call describe(int i, const std::string& path,
                                     const std::string& type) const {
    module_call m;
    m.type = type.substr(type.rfind('.') + 1);
    const ctq::argument_list args = s_.graph.args_of(i);
    if (args.size() > 0) {
      const value v = values_.back()[static_cast<std::size_t>(args[0])].real();
      if (const auto* t = v.get_if<tensor>()) m.input = t->shape;
    }
    if (const value* w = modules_.find(path + ".weight"))
      if (const auto* t = w->get_if<tensor>()) m.weight = t->shape;
    if (const value* b = modules_.find(path + ".bias"))
      if (const auto* t = b->get_if<tensor>()) m.outputs = static_cast<int>(t->data.size());
    return m;
  }

  const option_search& s_;
  ctq::module_state& modules_;
  ctq::evaluator<ctq::stage::fused> run_;
  std::vector<std::vector<node_value>> values_;  // by input, by node
  std::set<std::string> decided_;
  int qparams_ = 0;
  int budget_ = 0;
  int last_ = -1;    // node, of those that fitted
  std::string why_;  // the next one could not be computed
};

}  // namespace

std::string find_options(const option_search& s, ctq::module_state& modules) {
  search of(s, modules);
  return of.run() ? std::string() : of.problem();
}

}  // namespace golden
