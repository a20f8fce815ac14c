// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every pattern of PyTorch's backends with each of its dtype configs: the least model that has it
// is calibrated, converted and run, at each of its stages and by all that runs it.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ctq/backends.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/io/load_modules.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "ctq/runtime/packing/run_graph.hpp"
#include "runs_as.hpp"
#include "words.hpp"

using namespace ctq;
using tool::pattern_stages;
using tool::run_form;

namespace {

constexpr backend_view backends[] = {backend_v<native>,  backend_v<fbgemm>, backend_v<x86>,
                                     backend_v<qnnpack>, backend_v<onednn>, backend_v<executorch>};

class random_numbers {
 public:
  std::vector<float> some(std::size_t count, float low, float high) {
    std::vector<float> all(count);
    for (float& x : all) x = low + (high - low) * static_cast<float>(random_() >> 8) * 0x1p-24F;
    return all;
  }
  std::vector<std::int64_t> indices(std::size_t count, unsigned end) {
    std::vector<std::int64_t> all(count);
    for (std::int64_t& x : all) x = static_cast<std::int64_t>(random_() % end);
    return all;
  }

 private:
  std::mt19937 random_{1};
};

/// A minimal model with weights and inputs.
struct running_case {
  const pattern_stages& s;
  module_state modules;
  std::vector<weight_tensor> tensors;
  std::vector<node_value> inputs;
  std::deque<std::vector<float>> elements;
  std::deque<std::vector<std::int64_t>> indices;
  std::vector<const void*> data;  // of the inputs
  model_qparams qparams;

  explicit running_case(const pattern_stages& stages) : s(stages) {
    random_numbers random;
    tensor_file file;
    for (const tool::model_tensor& t : s.model.tensors) {
      const auto count = float_ops::numel(t.shape);
      const bool is_variance = t.path.ends_with("running_var");
      tensors.push_back({t.path, t.shape,
                         random.some(count, is_variance ? 0.5F : -0.5F, is_variance ? 2 : 0.5F)});
    }
    for (const weight_tensor& t : tensors)
      file.tensors.push_back({t.name,
                              stored_dtype::f32,
                              {t.shape.begin(), t.shape.end()},
                              std::as_bytes(std::span(t.values))});
    auto read = modules_of(s.rows, file);
    if (!read) FAIL(read.error().message());
    modules = *std::move(read);
    for (int i = 0; i < s.rows.view().size(); ++i)
      if (s.rows.view()[i].op->kind == op_kind::placeholder) add_input(*s.rows.shape_of(i), random);
  }

  void add_input(const shape& of, random_numbers& random) {
    float_ops::extents extents(of.extent, of.extent + of.rank);
    const std::size_t count = float_ops::numel(extents);
    if (s.model.reads_indices) {
      indices.push_back(random.indices(count, 10));
      inputs.emplace_back(
          float_ops::value(float_ops::index_tensor{std::move(extents), indices.back()}));
      data.push_back(indices.back().data());
    } else {
      elements.push_back(random.some(count, -2.0F, 2.0F));
      inputs.emplace_back(float_ops::tensor{std::move(extents), elements.back()});
      data.push_back(elements.back().data());
    }
  }

  void calibrate() {
    observer_set observers;
    evaluator<stage::prepared> run(s.prepared.view(), modules, {.observers = &observers});
    if (const auto done = run.forward(inputs); !done) FAIL(done.error().message());
    for (int o = 0; o < s.prepared.observers; ++o)
      if (const auto found = observers.qparams(o)) qparams.activations[o] = *found;
  }

  template <class Kernels = reference_kernels, stage Stage>
  std::vector<node_value> values(graph_view<Stage> g) {
    auto run = evaluator<Stage, Kernels>(g, modules, {.qparams = &qparams}).run(inputs);
    if (!run) FAIL(run.error().message());
    return *std::move(run);
  }

  /// The qparams of observers, as kernels take them.
  [[nodiscard]] std::vector<ctq::qparams> numbers() const {
    std::vector<ctq::qparams> all(static_cast<std::size_t>(s.prepared.observers));
    for (const auto& [o, found] : qparams.activations)
      if (has_kernels(found)) all[static_cast<std::size_t>(o)] = qparams_of(found);
    return all;
  }

  /// A compiled program packs a graph of which it keeps only a part: the parameters are the same.
  void check_packing() const {
    const graph_nodes whole(s.lowered.view());
    std::vector<node> kept(whole.nodes.begin(), whole.nodes.end());
    std::deque<op_descriptor> descriptors;
    std::deque<op_info> ops;
    for (node& n : kept) {
      descriptors.push_back(run_graphs::stripped(*n.op->descriptor));
      ops.push_back(run_graphs::with_descriptor(*n.op, &descriptors.back()));
      run_graphs::strip(n, &ops.back());
    }
    const dynamic_schedule plan = schedule(s.lowered.view());
    const std::span<const step> all(plan.steps.data(), plan.steps.size());
    const weights given{tensors};
    const auto state = quantize_parameters(
        all, {.graph = whole, .weights = &given, .backend = backend, .mapping = s.mapping()});
    REQUIRE(state);
    const auto wanted = pack_parameters<reference_kernels>(all, whole, *state, numbers());
    const auto got =
        pack_parameters<reference_kernels>(all, graph_nodes(kept, whole.args), *state, numbers());
    REQUIRE(wanted);
    REQUIRE(got);
    REQUIRE(got->packed.size() == wanted->packed.size());
    CHECK(std::equal(got->packed.data(), got->packed.data() + got->packed.size(),
                     wanted->packed.data()));
    for (std::size_t i = 0; i < all.size(); ++i)
      CHECK((got->data[i].options == wanted->data[i].options));
  }

  /// What the kernels of a schedule compute.
  std::vector<float> interpreted(std::size_t outputs) {
    check_packing();
    auto run = interpreter<reference_kernels>::make(s.lowered.view(), weights{tensors}, numbers(),
                                                    backend, s.mapping());
    if (!run) FAIL(run.error().message());
    std::vector<float> result(outputs);
    void* const out[] = {result.data()};
    run->run(data, out);
    return result;
  }

  backend_view backend{};
};

const float_ops::tensor* output_of(const std::vector<node_value>& values, float_ops::value& keep) {
  keep = values.back().real();
  return keep.get_if<float_ops::tensor>();
}

/// The scale of the last integers; 0: there are none.
double last_scale(const std::vector<node_value>& values) {
  for (std::size_t i = values.size(); i-- > 0;)
    if (const quantized_tensor* const q = values[i].integers()) return q->qparams.scale[0];
  return 0.0;
}

double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return largest;
}

double largest_of(const std::vector<float>& x) {
  return difference(x, std::vector<float>(x.size()));
}

bool sums_products(graph_view<stage::lowered> g) {
  for (int i = 0; i < g.size(); ++i)
    if (g[i].weight != nullptr || g[i].op->kind == op_kind::pass) return true;
  return false;
}

/// By how much a lowered graph whose output is float may differ from the reference graph, of the
/// largest value. Lowered layers of float16 round their weights and read activations of float32, as
/// PyTorch's do, where the reference graph rounds activations alone; layers of a sequence quantize
/// each hidden state.
double allowed(const pattern_stages& s, const dtype_config_record& config, run_form run) {
  if (run != run_form::dynamic) return 1e-6;
  if (config.input_dtype.dtype == f16) return 0x1p-10;
  for (const node& n : s.traced.graph.nodes)
    if (is_any_of(n.op, nn::lstm, nn::gru)) return 0x1p-8;
  return 1e-6;
}

void check_case(const backend_view& backend, const pattern_stages& s,
                const dtype_config_record& config, run_form run) {
  running_case c(s);
  c.backend = backend;
  c.calibrate();
  const std::vector<node_value> lowered = c.values(s.lowered.view());
  float_ops::value keep[3];
  const float_ops::tensor* const got = output_of(lowered, keep[0]);
  const float_ops::tensor* const reference = output_of(c.values(s.reference.view()), keep[1]);
  REQUIRE(got != nullptr);
  REQUIRE(reference != nullptr);
  REQUIRE(got->shape == reference->shape);
  // Layers are QNNPACK's: at most a step from the reference, whose sums are in float.
  const bool gives_integers = last_scale(lowered) != 0;
  const double largest = largest_of(reference->data);
  const double bound = !gives_integers                   ? allowed(s, config, run) * largest
                       : sums_products(s.lowered.view()) ? 1.001 * last_scale(lowered)
                                                         : 0.0;
  CHECK(difference(got->data, reference->data) <= bound);
  const float_ops::tensor* const fast =
      output_of(c.values<fast_kernels>(s.lowered.view()), keep[2]);
  REQUIRE(fast != nullptr);
  CHECK(fast->data == got->data);
  if (!s.rejection.empty()) return;
  // Kernels that give floats sum in float32.
  const bool sums_floats = run == run_form::dynamic || run == run_form::weight_only;
  CHECK(difference(c.interpreted(got->data.size()), got->data) <=
        (sums_floats ? 1e-6 * largest : 0.0));
}

/// The lines of the table of what runs in float.
std::set<std::string> listed_in_float() {
  std::set<std::string> all;
  std::ifstream file{CTQ_IN_FLOAT};
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('#')) all.insert(line);
  return all;
}

}  // namespace

TEST_CASE("every pattern of the backends is computed as its reference model, by all that runs it") {
  std::set<std::string> in_float;
  for (const backend_view& backend : backends) {
    std::map<run_form, int> count;
    for (int p = 0; p < backend.configs.size(); ++p) {
      for (int d = 0; d < backend.configs[p].dtype_configs.size(); ++d) {
        const std::string name = std::string(backend.name) + " " +
                                 tool::words(backend.configs[p].pattern) + " " + std::to_string(d);
        CAPTURE(name);
        const pattern_stages s = tool::stages_of(backend, p, d);
        REQUIRE(!s.lowered.nodes.empty());
        const tool::pattern_run run = tool::runs_as(s, backend.configs[p].dtype_configs[d]);
        ++count[run.form];
        CHECK((s.is_accepted || !s.gives_tensor));
        if (run.form == run_form::in_float || run.form == run_form::run_time)
          in_float.insert(tool::words(backend.configs[p].pattern) + ": " + tool::words(run));
        check_case(backend, s, backend.configs[p].dtype_configs[d], run.form);
      }
    }
    MESSAGE(std::string(backend.name), ": int8 ", count[run_form::int8], ", dynamic ",
            count[run_form::dynamic], ", weight-only ", count[run_form::weight_only], ", float ",
            count[run_form::in_float], ", evaluator only ", count[run_form::run_time]);
  }
  const std::set<std::string> listed = listed_in_float();
  for (const std::string& line : in_float)
    if (!listed.contains(line)) FAIL_CHECK("not in in_float.txt: ", line);
  for (const std::string& line : listed)
    if (!in_float.contains(line)) FAIL_CHECK("in in_float.txt, but not in float: ", line);
}
