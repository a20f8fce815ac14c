// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/text.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/io/safetensors.hpp"
#include "ctq/passes/lstm_outputs.hpp"
#include "ctq/runtime/packing/run_graph.hpp"
#include "ctq/runtime/plan_text.hpp"

// The file of an int8 model: safetensors with the tensors of a state_dict (runtime/state_dict.hpp),
//
//   conv1.output_scale        F32 (): of the activation that the node computes
//   conv1.output_zero_point   I32 ()
//   conv1.output_quant_range  I32 (2): smallest and largest integer, if not those of the dtype
//   lstm.layers.0.layer_fw.cell.igates.output_scale, …   of the values in an LSTM's cells
//
// and this metadata. The same model gives the same bytes on every machine.

namespace ctq::quantized_file {

inline constexpr std::string_view format = "ctq int8 model 1";

namespace keys {
inline constexpr std::string_view format = "format";
inline constexpr std::string_view version = "ctq.version";
inline constexpr std::string_view semantics = "ctq.semantics";
inline constexpr std::string_view backend = "ctq.backend";
inline constexpr std::string_view mapping = "ctq.qconfig_mapping";  // a line per entry
inline constexpr std::string_view steps = "ctq.steps";              // a line per step
inline constexpr std::string_view checksum = "ctq.checksum";        // of everything else
}  // namespace keys

/// What identifies a plan in a file.
struct plan_identity {
  std::string_view backend, mapping;
  std::string steps;
};

template <class Plan>
[[nodiscard, gnu::cold]] plan_identity identity_of() {
  constexpr span steps = span(Plan::int8_schedule.steps).first(Plan::int8_schedule.count);
  constexpr std::string_view backend = Plan::backend.name;  // the backend itself is not emitted
  return {backend, mapping_text<Plan>.view(),
          text_of<used_kernels_of(steps)>(steps, span(run_graph<Plan::lowered>.nodes))};
}

/// An activation that a plan quantizes statically.
struct observed_activation {
  std::string_view name{};  // of the node that computes it
  int number = -1;          // of this node
  int observer{};
  quant_range range{};      // of the observer's dtype
  int lstm_directions = 0;  // of an observer inside an LSTM
  int inside{};             // and its number there

  [[nodiscard]] std::string path() const {
    std::string out;
    append_name(out, name, number);
    if (lstm_directions == 0) return out;
    out += ".";
    append_lstm_observer(out, lstm_directions, inside);
    return out;
  }
};

/// A list of at most Most of them.
template <int Most>
struct observed_activations {
  observed_activation item[Most + 1]{};
  int count{};

  [[nodiscard]] constexpr span<const observed_activation> all() const {
    return span(item).first(static_cast<std::size_t>(count));
  }
};

[[nodiscard]] constexpr bool is_quantized_input(const node& n) {
  return n.op->kind == op_kind::placeholder && is_quantized(n.dtype);
}

/// The number of observers and quantized inputs.
[[nodiscard]] constexpr int most_activations(graph_view<stage::prepared> g) {
  int count = g.observers;
  for (int i = 0; i < g.size(); ++i) count += is_quantized_input(g[i]) ? 1 : 0;
  return count;
}

/// Each observer once, with the first node that it observes; then the quantized inputs.
template <int Most>
[[nodiscard]] constexpr observed_activations<Most> collect_activations(
    graph_view<stage::prepared> g) {
  observed_activations<Most> all;
  bool seen[Most + 1]{};
  for (int i = 0; i < g.size(); ++i) {
    const int inside = has_inner_observers(g[i]) && !seen[g[i].observer]
                           ? g[i].op->descriptor->inner_observers(g[i].attrs)
                           : 0;
    for (int k = 0; k < inside; ++k) {
      seen[g[i].observer + k] = true;
      all.item[all.count++] = {g[i].name,
                               g[i].number,
                               g[i].observer + k,
                               range_of(g[i].observer_config->args.dtype),
                               g[i].attrs.as<recurrent_options>().bidirectional ? 2 : 1,
                               k};
    }
    if (!is_any_of(g[i].op, q::activation_post_process)) continue;
    if (g[i].observer_config->args.is_dynamic || seen[g[i].observer]) continue;
    seen[g[i].observer] = true;
    const node& observed = g.arg(i, 0);
    all.item[all.count++] = {observed.name, observed.number, g[i].observer,
                             range_of(g[i].observer_config->args.dtype)};
  }
  int number = g.observers;
  for (int i = 0; i < g.size(); ++i)
    if (is_quantized_input(g[i]))
      all.item[all.count++] = {g[i].name, g[i].number, number++, range_of(g[i].dtype)};
  return all;
}

/// The activations of a plan, as a constant, so that a program does not contain the graph.
template <class Plan>
inline constexpr auto activations_of =
    collect_activations<most_activations(Plan::prepared.view())>(Plan::prepared.view());

/// A hash that changes whenever a single word changes, and so whenever a single bit does.
class hash {
 public:
  void add(span<const std::byte> bytes) {
    add_word(bytes.size());
    for (; bytes.size() >= sizeof(std::uint64_t); bytes = bytes.subspan(sizeof(std::uint64_t)))
      add_word(load(bytes.first(sizeof(std::uint64_t))));
    add_word(load(bytes));
  }
  void add(std::string_view text) { add(as_bytes(span(text.data(), text.size()))); }

  /// Sixteen hexadecimal digits.
  [[nodiscard]] std::string text() const {
    std::string digits(16, '0');
    for (std::size_t i = 0; i < digits.size(); ++i)
      digits[i] = "0123456789abcdef"[state_ >> (60 - 4 * i) & 15];
    return digits;
  }

 private:
  static std::uint64_t load(span<const std::byte> bytes) {
    std::uint64_t word = 0;
    if (!bytes.empty()) std::memcpy(&word, bytes.data(), bytes.size());
    return word;
  }
  // Each line maps different states to different states.
  void add_word(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15U;
    state_ ^= state_ >> 32;
  }

  std::uint64_t state_ = 0;
};

/// The hash of the tensors, sorted by name, and of the metadata except the checksum.
template <int = 0>
[[nodiscard]] std::string checksum_of(span<const stored_tensor> tensors,
                                      const metadata_map& metadata) {
  hash h;
  for (const stored_tensor& t : tensors) {
    h.add(t.name);
    h.add(name_of(t.dtype));
    for (const std::int64_t extent : t.shape) h.add(as_bytes(span(&extent, 1)));
    h.add(t.data);
  }
  for (const auto& [key, value] : metadata) {
    if (key == keys::checksum) continue;
    h.add(key);
    h.add(value);
  }
  return h.text();
}

}  // namespace ctq::quantized_file
