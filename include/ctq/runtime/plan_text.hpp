// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/text.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/packing/used_kernels.hpp"
#include "ctq/runtime/step_text.hpp"
#include "ctq/spec/qconfig_mapping.hpp"
#include "ctq/spec/qconfig_text.hpp"

// What a plan computes, as text: it identifies the plan in files, and messages about two plans that
// differ quote it.

// Text is std::string; it is a template parameter, so that nothing is instantiated in programs
// without files.

namespace ctq {

namespace plan_text {

/// Appends "[1 3 0 2]", without zeros at the end.
template <class Text>
[[gnu::cold]] void append_sizes(Text& out, span<const int> sizes) {
  while (!sizes.empty() && sizes.back() == 0) sizes = sizes.first(sizes.size() - 1);
  std::string_view before = "[";
  for (const int size : sizes) append_all(out, std::exchange(before, " "), size);
  out += "]";
}

/// The options of a node whose functions a kernel calls, without zeros at the end.
template <class Text>
[[gnu::cold]] void append_options(Text& out, const node& n) {
  out += " options";
  std::size_t words = attributes::max_words;
  while (words > 0 && n.attrs.word[words - 1] == 0) --words;
  for (std::size_t i = 0; i < words; ++i) append_all(out, " ", n.attrs.word[i]);
}

/// "conv1: conv2d+relu, quint8 to quint8, 1x28x28x1:1x28x28x8:k3x3:p1x1 [1 28 28 …], observers 0 1"
template <used_kernels Used, class Text>
[[gnu::cold]] void append_step(Text& out, const step& s, span<const node> nodes) {
  const auto named = [&](int node) -> const ctq::node& {
    return nodes[static_cast<std::size_t>(node)];
  };
  append_name(out, named(s.node));
  append_all(
      out, ": ",
      s.signature.called_op != nullptr ? s.signature.called_op->name : name_of(s.signature.kernel),
      s.signature.relu ? "+relu" : "");
  if (s.signature.then != fused_op::nothing) append_all(out, "+", name_of(s.signature.then));
  append_all(out, ", ", name_of(s.signature.in), " to ", name_of(s.signature.out), ", ");
  step_text::line shape;
  append_shape<Used>(shape, s.signature);
  out.append(shape.view());
  out += " ";
  append_sizes(out,
               s.signature.as<std::array<int, sizeof(kernel_signature::sizes) / sizeof(int)>>());
  out += ", observers";
  for (const int observer : {s.in_observer[0], s.in_observer[1], s.fused_observer, s.out_observer})
    append_all(out, " ", observer);
  if (kernels::facts_of(s.signature.kernel).calls_op) append_options(out, named(s.node));
  for (const int node : {s.fused_node, s.clamp_node}) {
    if (node < 0) continue;
    append_all(out, ", ", named(node).op->name);
    append_options(out, named(node));
  }
}

}  // namespace plan_text

/// A line for each step, in the order in which they run.
///   Used  at least the kernels of the steps
template <used_kernels Used = all_kernels, class Text = std::string>
[[nodiscard, gnu::cold]] Text text_of(span<const step> steps, span<const node> nodes) {
  Text out;
  for (const step& s : steps) {
    if (!out.empty()) out += "\n";
    plan_text::append_step<Used>(out, s, nodes);
  }
  return out;
}

/// A line for each entry: "global: HistogramObserver(), weight PerChannelMinMaxObserver(…)".
template <class Text = std::string>
[[nodiscard]] constexpr Text text_of(const mapping_view& mapping) {
  Text out;
  for (int i = 0; i < mapping.count; ++i) {
    const mapping_entry& e = mapping.entries[i];
    if (i > 0) out.append("\n");
    append_place(out, e);
    out.append(": ");
    append_qconfig(out, e);
    if (e.qconfig.output.type == observer_class::none) continue;
    out.append(", output ");
    append_observer(out, e.qconfig.output);
  }
  return out;
}

/// The text of a plan's mapping, as a constant, so that a program contains neither the mapping nor
/// the ops that it names.
template <class Plan>
inline constexpr auto mapping_text =
    text_of<static_text<text_of<text_length>(Plan::mapping).count + 1>>(Plan::mapping);

}  // namespace ctq
