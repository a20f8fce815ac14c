// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ctq/ctq.hpp"

// A traced network as a constant: its int8 executor gives the bytes of the scalar interpreter, and
// is at most half a decibel less exact than PyTorch's reference model.

namespace networks {

inline constexpr double allowed_decibels = 0.5;

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

/// Compares as above, and prints the result.
///   stem  of the files that torch_answers.py wrote
template <const auto& Model>
bool check(const std::string& stem) {
  const auto weights = ctq::load_weights<Model>(stem + ".safetensors").value_or_exit();
  const auto file = ctq::read_safetensors(stem + ".data.safetensors").value_or_exit();
  // Observers as in the PyTorch that calibrated the reference model.
  auto observed = ctq::prepare<Model, ctq::x86>(weights, ctq::semantics::torch_1_13);
  using plan = typename decltype(observed)::plan;
  using types = ctq::io_types<plan::int8_schedule>;
  tensors<typename types::inputs> in;
  tensors<typename types::outputs> ours, expected, floats, reference;
  int calibrated = 0;
  for (; in.read(file, "calibration." + std::to_string(calibrated)); ++calibrated)
    in.apply([&](const auto&... x) { observed(x...); });
  const auto int8 = ctq::convert(observed).value_or_exit();
  auto oracle =
      ctq::interpreter<ctq::reference_kernels>::make(plan::lowered.view(), weights.get(),
                                                     int8.qparams(), plan::backend, plan::mapping)
          .value_or_exit();
  ctq::session session{int8};
  bool same = true;
  ratio of_ours, of_reference;
  int evaluated = 0;
  for (; in.read(file, "evaluation." + std::to_string(evaluated)); ++evaluated) {
    in.apply([&](const auto&... x) { ours.apply([&](auto&... y) { session(x..., y...); }); });
    const std::vector<void*> inputs = in.addresses();
    const std::vector<const void*> reads(inputs.begin(), inputs.end());
    oracle.run(reads, expected.addresses());
    const std::vector<void*> a = ours.addresses();
    const std::vector<void*> b = expected.addresses();
    int k = 0;
    const auto compare = [&](const auto& y) {
      same = same && std::memcmp(a[k], b[k], sizeof y.values) == 0;
      ++k;
    };
    ours.apply([&](const auto&... y) { (compare(y), ...); });
    if (!floats.read(file, "float." + std::to_string(evaluated)) ||
        !reference.read(file, "reference." + std::to_string(evaluated)))
      return false;
    of_ours.add(floats, ours);
    of_reference.add(floats, reference);
  }
  std::printf("%s: %s the interpreter, %.2f dB, PyTorch's reference model %.2f dB\n", stem.c_str(),
              same ? "equals" : "differs from", of_ours.decibels(), of_reference.decibels());
  return calibrated > 0 && evaluated > 0 && same &&
         of_ours.decibels() >= of_reference.decibels() - allowed_decibels;
}

}  // namespace networks
