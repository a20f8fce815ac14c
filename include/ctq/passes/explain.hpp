// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ctq/passes/plan.hpp"
#include "ctq/spec/reflect.hpp"

// What became of each node, and why: for static_asserts, explain<net, backend, mapping>()
// .quantized("conv1"), and as a table to read.

namespace ctq {

class explanation {
 public:
  /// into: of the traced nodes, as fused_into finds it
  constexpr explanation(graph_view<stage::traced> traced, view<int> into,
                        graph_view<stage::prepared> prepared, graph_view<stage::lowered> lowered,
                        const backend_view& backend, const mapping_view& mapping)
      : traced_(traced),
        into_(into),
        prepared_(prepared),
        lowered_(lowered),
        backend_(backend),
        mapping_(mapping) {}

  /// Does this node of the model run on integers, by itself or as part of another one?
  [[nodiscard]] constexpr bool quantized(std::string_view name) const {
    const int i = find(lowered_, part_of(name));
    return i >= 0 && is_quantized(lowered_[i].dtype);
  }

  /// Are all ops of the model on integers?
  [[nodiscard]] constexpr bool fully_quantized() const {
    for (int i = 0; i < traced_.size(); ++i) {
      const op_kind kind = traced_[i].op->kind;
      if (kind != op_kind::placeholder && kind != op_kind::output && !quantized(traced_[i].name))
        return false;
    }
    return true;
  }

  /// Appends a row a node: what it runs as, on which dtype, and the reason; then the qconfigs.
  template <class Text>
  constexpr void append_to(Text& out) const {
    row(out, "node", "runs as", "on", "because");
    for (int i = 0; i < traced_.size(); ++i) {
      const op_kind kind = traced_[i].op->kind;
      if (kind == op_kind::placeholder || kind == op_kind::output) continue;
      append_node(out, traced_[i]);
    }
    for (int i = 0; i < mapping_.count; ++i) append_qconfig(out, i);
  }

 private:
  /// The name under which a node runs: its own, or that of what fuse or lower has put it into. It
  /// may be that of no node, if nothing reads it.
  [[nodiscard]] constexpr std::string_view part_of(std::string_view name) const {
    const int i = find(traced_, name);
    if (i < 0) return name;
    const std::string_view fused = traced_[into_[i]].name;
    const int planned = find(prepared_, fused);
    if (planned < 0 || find(lowered_, fused) >= 0) return fused;
    // A relu without an observer between it and an op on integers is in that op.
    if (!is_any_of(prepared_[planned].op, nn::relu, fn::relu)) return fused;
    const node& inner = prepared_.arg(planned, 0);
    const int at = inner.op->kind == op_kind::pass ? -1 : find(lowered_, inner.name);
    return at >= 0 && is_quantized(lowered_[at].dtype) ? inner.name : fused;
  }

  [[nodiscard]] static constexpr std::string_view short_name(op_id op) {
    const std::size_t dot = op->name.rfind('.');
    return dot == std::string_view::npos ? op->name : op->name.substr(dot + 1);
  }

  template <class Text>
  static constexpr void cell(Text& out, std::string_view text, std::size_t width) {
    out.append(text);
    for (std::size_t i = text.size(); i < width; ++i) out.append(" ");
    out.append(" ");
  }

  template <class Text>
  static constexpr void row(Text& out, std::string_view node, std::string_view as,
                            std::string_view on, std::string_view because) {
    cell(out, node, 22);
    cell(out, as, 24);
    cell(out, on, 8);
    append_all(out, because, "\n");
  }

  template <class Text>
  constexpr void append_node(Text& out, const node& n) const {
    const std::string_view runs_as = part_of(n.name);
    const int at = find(lowered_, runs_as);
    const int planned = find(prepared_, runs_as);
    if (at < 0 || planned < 0) return row(out, n.name, "-", "-", "nothing reads it");
    static_text<64> as;
    if (runs_as != n.name) {
      append_all(as, "in ", runs_as);
      return row(out, n.name, as.view(), name_of(lowered_[at].dtype), "fused");
    }
    static_text<400> because;
    append_reason(because, prepared_[planned], lowered_[at]);
    row(out, n.name, short_name(lowered_[at].op), name_of(lowered_[at].dtype), because.view());
  }

  template <class Text>
  constexpr void append_reason(Text& out, const node& planned, const node& runs) const {
    const choice& c = planned.choice;
    if (c.why.why == rejection::clause::no_qconfig) {
      out.append("left in float by ");
      if (c.qconfig < 0) return out.append("a mapping without an entry for it"), void();
      return append_all(out, "qconfig #", c.qconfig);
    }
    if (!c.quantized()) {
      static_text<300> lines;
      append_rejection(lines, planned, backend_);
      for (const char letter : lines.view().substr(1))
        out.append(letter == '\n' ? std::string_view{", "} : std::string_view{&letter, 1});
      return;
    }
    if (!is_quantized(runs.dtype)) {
      if (!is_observed(planned, backend_))
        return out.append("the backend observes nothing of it"), void();
      return append_all(out, "no integer kernel for ", runs.op->name);
    }
    append_pattern(out, backend_.configs[c.pattern].pattern);
    append_all(out, " dtype_config #", c.dtype_config, ", qconfig #", c.qconfig, ", qparams #",
               runs.observer);
  }

  template <class Text>
  constexpr void append_qconfig(Text& out, int i) const {
    const mapping_entry& e = mapping_.entries[i];
    append_all(out, "qconfig #", i, " (", name_of(e.level));
    if (!e.module.empty()) append_all(out, " ", e.module);
    if (e.op != nullptr) append_all(out, " ", e.op->name);
    out.append("): ");
    if (e.quantizes) {
      append_observer(out, e.qconfig.activation);
      out.append(", weight ");
      append_observer(out, e.qconfig.weight);
    } else {
      out.append("float");
    }
    out.append("\n");
  }

  graph_view<stage::traced> traced_;
  view<int> into_;
  graph_view<stage::prepared> prepared_;
  graph_view<stage::lowered> lowered_;
  backend_view backend_;
  mapping_view mapping_;
};

template <const auto& Model, class Backend>
inline constexpr auto fused_into_v = [] {
  const list<int> found = fused_into(Model.view(), backend_v<Backend>);
  std::array<int, Model.count> into{};
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = found[i];
  return into;
}();

template <const auto& Model, class Backend, class Mapping, unsupported Policy = unsupported::error>
[[nodiscard]] consteval explanation explain() {
  static_cast<void>(sizeof(report<plan_check<Model, Backend, Mapping, Policy>>));  // first words
  using p = plan<Model, Backend, Mapping, Policy>;
  return {p::traced.view(),   {fused_into_v<Model, Backend>.data(), Model.count},
          p::prepared.view(), p::lowered.view(),
          p::backend,         p::mapping};
}

}  // namespace ctq
