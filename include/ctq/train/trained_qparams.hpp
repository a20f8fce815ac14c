// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/observers/observer.hpp"
#include "ctq/runtime/fold_batch_norm.hpp"
#include "ctq/runtime/quantize_parameters.hpp"
#include "ctq/train/training_graph.hpp"

// The scales and zero points that training has found, in the form in which convert reads them.

namespace ctq::training {

/// The observers of the fake quantizes of activations, by number.
template <class Isa>
[[nodiscard, gnu::cold]] std::vector<observers::any_observer> observers_of(
    const training_graph<Isa>& g) {
  std::vector<observers::any_observer> all;
  for (const auto& f : g.fake_quantizes()) all.push_back(f->observer());
  return all;
}

/// By number, the qparams that learnable fake quantizes have learned; nullopt for other classes, if
/// nothing was observed, and on an error, which ctq::calculate_qparams reports.
template <class Isa>
[[nodiscard, gnu::cold]] std::vector<std::optional<qparams>> learned_qparams(
    const training_graph<Isa>& g) {
  std::vector<std::optional<qparams>> all;
  for (const auto& f : g.fake_quantizes()) {
    all.emplace_back();
    if (f->template get_if<observers::learnable_fake_quantize>() == nullptr) continue;
    if (!f->observer().observed()) continue;
    if (const auto q = f->calculate_qparams()) all.back() = *q;
  }
  return all;
}

/// The qparams of the weights of quantized layers: their fake quantizes observe the weight once
/// more, with the batch norm folded, as PyTorch's convert does.
///   w  the trained tensors
/// Errors  those of the fake quantize, with the node
template <class Isa>
[[nodiscard, gnu::cold]] result<std::vector<trained_qparams>> weights_qparams(
    training_graph<Isa>& g, const weights& w) {
  std::vector<trained_qparams> all;
  for (int i = 0; i < g.graph().size(); ++i) {
    layer<Isa>* const l = g.layer_of(i);
    if (l == nullptr || !l->fake_quantize()) continue;
    const node& n = g.graph()[i];
    const folded_weights f = fold(n, w);
    observers::any_fake_quantize fake = *l->fake_quantize();
    std::vector<float> rounded(f.weight.size());
    const status seen = fake.template forward<Isa>(f.weight, l->weight_rows(), rounded);
    if (!seen) return fail(place_of(n) + ", weight", seen.error().message());
    auto found = weight_qparams_of(fake, f.outputs);
    if (!found) return fail(place_of(n) + ", weight", found.error().message());
    all.push_back({n.name, *std::move(found)});
  }
  return all;
}

}  // namespace ctq::training
