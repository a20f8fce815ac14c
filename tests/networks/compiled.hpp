// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ctq/ctq.hpp"
#include "fastest.hpp"

// A traced network as a constant: whether its int8 executor gives the bytes of the scalar
// interpreter, how exact it is beside PyTorch's reference model, and how long a run takes.

// In oracle.cpp, so that a network compiles no reference kernels.
extern template class ctq::interpreter<ctq::reference_kernels>;

namespace networks {

using oracle = ctq::interpreter<ctq::reference_kernels>;

[[nodiscard]] ctq::result<oracle> make_oracle(ctq::graph_view<ctq::stage::lowered> g,
                                              const ctq::weights& w,
                                              std::span<const ctq::qparams> qparams,
                                              const ctq::backend_view& backend,
                                              const ctq::mapping_view& mapping);

/// Inputs whose bytes are compared; the reference kernels are slow.
inline constexpr int most_compared = 8;

/// All tensors of a list on the heap.
template <class List>
struct tensors;
template <class... Tensor>
struct tensors<ctq::tensor_list<Tensor...>> {
  std::unique_ptr<std::tuple<Tensor...>> all = std::make_unique<std::tuple<Tensor...>>();

  /// Reads NAME.0, NAME.1, … of a file; false: they are not there.
  bool read(const ctq::tensor_file& file, const std::string& name) {
    int k = 0;
    bool found = true;
    const auto one = [&](auto& x) {
      const ctq::stored_tensor* const t = file.find(name + "." + std::to_string(k++));
      found = found && t != nullptr;
      if (!found) return;
      const auto values = ctq::values_of<std::decay_t<decltype(*x.data())>>(*t).value_or_exit();
      std::copy_n(values.begin(), std::min(values.size(), x.size), x.data());
    };
    std::apply([&](auto&... x) { (one(x), ...); }, *all);
    return found;
  }
  [[nodiscard]] std::vector<void*> addresses() {
    std::vector<void*> found;
    std::apply([&](auto&... x) { (found.push_back(x.data()), ...); }, *all);
    return found;
  }
  template <class Call>
  decltype(auto) apply(Call call) {
    return std::apply(call, *all);
  }
};

/// Signal and noise of outputs.
struct ratio {
  double signal = 0.0;
  double noise = 0.0;

  template <class List>
  void add(const tensors<List>& wanted, const tensors<List>& got) {
    add(*wanted.all, *got.all, std::make_index_sequence<List::size>{});
  }
  [[nodiscard]] double decibels() const { return 10.0 * std::log10(signal / noise); }

 private:
  template <class Tuple, std::size_t... K>
  void add(const Tuple& wanted, const Tuple& got, std::index_sequence<K...>) {
    const auto one = [&](const auto& w, const auto& g) {
      for (std::size_t i = 0; i < w.size; ++i) {
        const auto x = static_cast<double>(w[i]);
        const double off = static_cast<double>(g[i]) - x;
        signal += x * x;
        noise += off * off;
      }
    };
    (one(std::get<K>(wanted), std::get<K>(got)), ...);
  }
};

/// What a network does with one seed of weights and inputs.
struct answers {
  bool equal = true;
  int evaluated = 0;
  ratio ours{};
  ratio reference{};        // of PyTorch
  double milliseconds = 0;  // of the fastest run of the first input
};

/// Errors  of files; a network that cannot be converted
///   stem  of the files that torch_answers.py wrote, with the seed
template <const auto& Model>
ctq::result<answers> run(const std::string& stem) {
  const auto weights = ctq::load_weights<Model>(stem + ".safetensors");
  if (!weights) return ctq::unexpected{weights.error()};
  const auto file = ctq::read_safetensors(stem + ".data.safetensors");
  if (!file) return ctq::unexpected{file.error()};
  // As PyTorch does, with the observers of the release that calibrated the reference model: what
  // the backend does not support stays in float.
  auto observed =
      ctq::prepare<Model, ctq::x86, ctq::default_qconfig_mapping<ctq::x86>, ctq::unsupported::skip>(
          *weights, ctq::semantics::torch_1_13);
  using plan = typename decltype(observed)::plan;
  using types = ctq::io_types<plan::int8_schedule>;
  tensors<typename types::inputs> in;
  tensors<typename types::outputs> ours, expected, floats, reference;
  for (int i = 0; in.read(*file, "calibration." + std::to_string(i)); ++i)
    in.apply([&](const auto&... x) { observed(x...); });
  const auto int8 = ctq::convert(observed);
  if (!int8) return ctq::unexpected{int8.error()};
  auto oracle = make_oracle(plan::lowered.view(), weights->get(), int8->qparams(), plan::backend,
                            plan::mapping);
  if (!oracle) return ctq::unexpected{oracle.error()};
  ctq::session session{*int8};
  answers all;
  for (; in.read(*file, "evaluation." + std::to_string(all.evaluated)); ++all.evaluated) {
    const auto compute = [&] {
      in.apply([&](const auto&... x) { ours.apply([&](auto&... y) { session(x..., y...); }); });
    };
    if (all.evaluated == 0) all.milliseconds = fastest(compute);
    compute();
    if (all.evaluated < most_compared) {
      const std::vector<void*> inputs = in.addresses();
      oracle->run(std::vector<const void*>(inputs.begin(), inputs.end()), expected.addresses());
      const std::vector<void*> wanted = expected.addresses();
      int k = 0;
      const auto compare = [&](const auto& y) {
        all.equal = all.equal && std::memcmp(y.data(), wanted[k++], sizeof y.values) == 0;
      };
      ours.apply([&](const auto&... y) { (compare(y), ...); });
    }
    const std::string number = std::to_string(all.evaluated);
    if (!floats.read(*file, "float." + number) || !reference.read(*file, "reference." + number))
      return ctq::fail(stem, "PyTorch's answer " + number + " is missing");
    all.ours.add(floats, ours);
    all.reference.add(floats, reference);
  }
  if (all.evaluated == 0) return ctq::fail(stem, "has no inputs");
  return all;
}

/// Prints, as JSON, what a network does with the files DIR/NAME.SEED.
template <const auto& Model>
int report(int count, char** stems) {
  for (int i = 1; i < count; ++i) {
    const auto all = run<Model>(stems[i]);
    if (!all) {
      std::fprintf(stderr, "%s: %s\n", stems[i], all.error().message().c_str());
      return 1;
    }
    std::printf("{\"equal\": %s, \"ctq\": %.3f, \"torch\": %.3f, \"ms\": %.4f}\n",
                all->equal ? "true" : "false", all->ours.decibels(), all->reference.decibels(),
                all->milliseconds);
  }
  return 0;
}

}  // namespace networks
