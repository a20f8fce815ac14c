// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A network that PyTorch traced, in run-time graphs: each stage against PyTorch's numbers, as a
// line of JSON for each seed.
//
//   traced GRAPH.json STEM...   files that torch_answers.py wrote: STEM is DIR/NAME.SEED

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/io/load_modules.hpp"
#include "ctq/io/read_fx.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "fastest.hpp"

namespace {

using ctq::node_value;
using ctq::stage;
using samples = std::vector<std::vector<node_value>>;  // of inputs or outputs

/// All NAME.I.K of a file.
ctq::result<samples> read(const ctq::tensor_file& file, const std::string& name) {
  samples all;
  while (true) {
    std::vector<node_value> one;
    const std::string prefix = name + "." + std::to_string(all.size()) + ".";
    while (const ctq::stored_tensor* t = file.find(prefix + std::to_string(one.size()))) {
      auto value = ctq::value_of(*t);
      if (!value) return ctq::unexpected{value.error()};
      one.emplace_back(*std::move(value));
    }
    if (one.empty()) return all;
    all.push_back(std::move(one));
  }
}

/// Signal and noise of outputs.
struct ratio {
  double signal = 0.0;
  double noise = 0.0;
  bool fits = true;

  void add(const node_value& wanted, const node_value& got) {
    const ctq::float_ops::value w = wanted.real();
    const ctq::float_ops::value g = got.real();
    const ctq::float_ops::tensor a = ctq::float_ops::arithmetic::to_floats(w);
    const ctq::float_ops::tensor b = ctq::float_ops::arithmetic::to_floats(g);
    fits = fits && a.shape == b.shape && a.data.size() == b.data.size();
    if (!fits) return;
    for (std::size_t i = 0; i < a.data.size(); ++i) {
      const auto x = static_cast<double>(a.data[i]);
      const double off = static_cast<double>(b.data[i]) - x;
      signal += x * x;
      noise += off * off;
    }
  }
  [[nodiscard]] double decibels() const {
    return fits ? 10.0 * std::log10(signal / noise) : -HUGE_VAL;
  }
};

double decibels(const samples& wanted, const samples& got) {
  ratio r;
  if (wanted.size() != got.size()) return -HUGE_VAL;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].size() != got[i].size()) return -HUGE_VAL;
    for (std::size_t k = 0; k < wanted[i].size(); ++k) r.add(wanted[i][k], got[i][k]);
  }
  return r.decibels();
}

/// The tensors of an output, which may be a tuple of tuples.
void append_tensors(const ctq::float_ops::value& output, std::vector<node_value>& to) {
  const auto* const items = output.get_if<ctq::float_ops::list>();
  if (items == nullptr) return to.push_back(output);
  for (const ctq::float_ops::value& item : *items) append_tensors(item, to);
}

template <stage Stage, class Kernels>
ctq::result<samples> run(ctq::evaluator<Stage, Kernels>& e, const samples& inputs) {
  samples all;
  for (const auto& x : inputs) {
    const auto output = e.forward(x);
    if (!output) return ctq::unexpected{output.error()};
    append_tensors(output->real(), all.emplace_back());
  }
  return all;
}

/// Milliseconds of the fastest run of the first input, which has been computed before.
template <stage Stage, class Kernels>
double milliseconds(ctq::evaluator<Stage, Kernels>& e, const samples& inputs) {
  return networks::fastest([&] { return e.forward(inputs.front()).has_value(); });
}

ctq::status check(const ctq::fx_graph& traced, const std::string& stem) {
  const auto modules = ctq::load_modules(traced, stem + ".safetensors");
  if (!modules) return ctq::unexpected{modules.error()};
  const auto file = ctq::read_safetensors(stem + ".data.safetensors");
  if (!file) return ctq::unexpected{file.error()};
  const auto calibration = read(*file, "calibration");
  const auto evaluation = read(*file, "evaluation");
  const auto floats = read(*file, "float");
  const auto reference = read(*file, "reference");
  for (const auto* const part : {&calibration, &evaluation, &floats, &reference})
    if (!*part) return ctq::unexpected{part->error()};

  if (evaluation->empty()) return ctq::fail(stem, "has no inputs");

  // The plan is that of the backend's PyTorch, 2.1; observers are those of 1.13, which calibrated
  // the reference model.
  constexpr auto semantics = ctq::semantics::torch_1_13;
  const ctq::backend_view& backend = ctq::backend_v<ctq::x86>;
  const auto qconfigs = ctq::default_qconfig_mapping_entries("x86", /*is_qat=*/false);
  const ctq::mapping_view mapping{qconfigs.begin(), static_cast<int>(qconfigs.size())};
  const auto fused = ctq::fuse(traced.view(), backend);
  const auto prepared = ctq::prepare_graph(fused.view(), backend, mapping,
                                           ctq::prepare_options{.policy = ctq::unsupported::skip});
  ctq::observer_set observers{semantics};
  ctq::evaluator<stage::prepared, ctq::fast_kernels> calibrate(
      prepared.view(), *modules, {.semantics = semantics, .observers = &observers});
  if (auto done = run(calibrate, *calibration); !done) return ctq::unexpected{done.error()};
  ctq::model_qparams qparams;
  for (int o = 0; o < prepared.observers; ++o)
    if (const auto found = observers.qparams(o)) qparams.activations[o] = *found;

  const auto ours = ctq::convert_graph(prepared.view(), backend, mapping);
  // Not as 1.13 computes: its clamp of integers writes pixels to wrong places.
  const auto lowered = ctq::lower(ours.view());
  ctq::evaluator<stage::fused, ctq::fast_kernels> in_float(fused.view(), *modules, {});
  ctq::evaluator<stage::reference, ctq::fast_kernels> rounded(
      ours.view(), *modules, {.semantics = semantics, .qparams = &qparams});
  ctq::evaluator<stage::lowered, ctq::fast_kernels> integers(lowered.view(), *modules,
                                                             {.qparams = &qparams});
  const auto a = run(in_float, *evaluation);
  if (!a) return ctq::unexpected{a.error()};
  const auto b = run(rounded, *evaluation);
  if (!b) return ctq::unexpected{b.error()};
  const auto c = run(integers, *evaluation);
  if (!c) return ctq::unexpected{c.error()};
  std::printf(
      "{\"float\": %.3f, \"reference\": %.3f, \"ctq\": %.3f, \"torch\": %.3f, "
      "\"float_ms\": %.4f, \"ms\": %.4f}\n",
      decibels(*floats, *a), decibels(*floats, *b), decibels(*floats, *c),
      decibels(*floats, *reference), milliseconds(in_float, *evaluation),
      milliseconds(integers, *evaluation));
  return ctq::done{};
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 1;
  std::ostringstream text;
  text << std::ifstream(arguments[1]).rdbuf();
  const auto traced = ctq::read_fx(text.str(), ctq::ops<ctq::builtin>::value, arguments[1]);
  if (!traced) {
    std::fprintf(stderr, "%s\n", traced.error().message().c_str());
    return 1;
  }
  for (int i = 2; i < count; ++i) {
    if (const auto done = check(*traced, arguments[i]); !done) {
      std::fprintf(stderr, "%s: %s\n", arguments[i], done.error().message().c_str());
      return 1;
    }
  }
  return 0;
}
