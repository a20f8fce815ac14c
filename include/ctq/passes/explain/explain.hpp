// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ctq/core/terminate.hpp"
#include "ctq/core/text.hpp"
#include "ctq/passes/explain/explained.hpp"
#include "ctq/passes/explain/text.hpp"
#include "ctq/passes/plan.hpp"

// What was decided about each node, and why. For static_asserts:
//
//   explain<net, backend, mapping>().quantized("conv1")
//   coverage<net, backend, mapping>() == 1.0
//
// and as text; the other headers of this folder print Markdown, JSON and DOT.

namespace ctq {

namespace explaining {

/// Not constexpr, so that the compiler names it where a constant asks for such a node.
inline void no_node_has_this_name() {
  require(false, "explain().quantized: no node of the model has this name");
}

}  // namespace explaining

/// The decisions about a model, to be queried.
class explanation {
 public:
  constexpr explicit explanation(const explained_stages& stages) : stages_(stages) {}

  /// Whether this node of the model runs on integers, by itself or as part of another one.
  /// Requires  a node has this name; checked
  [[nodiscard]] constexpr bool quantized(std::string_view name) const {
    const int i = find(stages_.traced, name);
    if (i < 0) explaining::no_node_has_this_name();
    return quantized(i);
  }

  /// Whether all ops of the model run on integers.
  [[nodiscard]] constexpr bool fully_quantized() const {
    for (int i = 0; i < stages_.traced.size(); ++i)
      if (is_call(stages_.traced[i].op) && !quantized(i)) return false;
    return true;
  }

  /// The share of the nodes that run on integers, among those that compute something: calls, except
  /// views and those whose result is not read. A node that was fused into another counts as that
  /// one does. 1 if nothing computes.
  [[nodiscard]] constexpr double coverage() const {
    int computing = 0;
    int on_integers = 0;
    for (int i = 0; i < stages_.traced.size(); ++i) {
      const op_id op = stages_.traced[i].op;
      if (!is_call(op) || op->descriptor->is_view || find(stages_.lowered, part_of(stages_, i)) < 0)
        continue;
      ++computing;
      on_integers += quantized(i) ? 1 : 0;
    }
    return computing == 0 ? 1.0 : static_cast<double>(on_integers) / computing;
  }

  /// All decisions as data: for append_text, append_markdown, append_json, append_dot.
  template <int Deferred = 0>
  [[nodiscard]] constexpr explained_model model() const {
    return explain<Deferred>(stages_);
  }

  /// Appends the table of append_text.
  template <class Text>
  constexpr void append_to(Text& out) const {
    append_text(out, model());
  }

 private:
  [[nodiscard]] constexpr bool quantized(int traced) const {
    const int at = find(stages_.lowered, part_of(stages_, traced));
    return at >= 0 && runs_on_integers(stages_.lowered[at]);
  }

  explained_stages stages_;
};

template <const auto& Model, class Backend>
inline constexpr auto fused_into_v = [] {
  const list<int> found = fused_into(Model.view(), backend_v<Backend>);
  std::array<int, Model.count> into{};
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = found[i];
  return into;
}();

/// The decisions of a plan: the same arguments as those of plan.
/// Errors  at compile time, as plan
template <const auto& Model, class Backend, class Mapping = default_qconfig_mapping<Backend>,
          unsupported Policy = unsupported::error, class Options = plan_options>
[[nodiscard]] consteval explanation explain() {
  // reported first
  static_cast<void>(sizeof(report<plan_check<Model, Backend, Mapping, Policy, Options>>));
  using p = plan<Model, Backend, Mapping, Policy, Options>;
  return explanation{{.traced = p::traced.view(),
                      .into = {fused_into_v<Model, Backend>.data(), Model.count},
                      .fused = fused_v<Model, Backend, Options>.view(),
                      .prepared = p::prepared.view(),
                      .lowered = p::lowered.view(),
                      .steps = {p::int8_schedule.steps, p::int8_schedule.count},
                      .backend = p::backend,
                      .mapping = p::mapping,
                      .options = p::options}};
}

namespace explaining {

template <const explanation& Explanation>
inline constexpr std::size_t text_length_of = [] {
  text_length length;
  Explanation.append_to(length);
  return length.count;
}();

template <const explanation& Explanation>
inline constexpr auto text_of = [] {
  static_text<text_length_of<Explanation>> text;
  Explanation.append_to(text);
  return text;
}();

}  // namespace explaining

/// The text of explanation::append_to as a constant, so that a program does not contain the passes:
///
///   static constexpr auto how = explain<net, backend, mapping>();
///   std::cout << explanation_text<how>();
///
/// Large models need raised limits for constant expressions.
template <const explanation& Explanation>
[[nodiscard]] consteval std::string_view explanation_text() {
  return explaining::text_of<Explanation>.view();
}

/// explanation::coverage: static_assert(coverage<net, backend, mapping>() == 1.0)
template <const auto& Model, class Backend, class Mapping = default_qconfig_mapping<Backend>,
          unsupported Policy = unsupported::error, class Options = plan_options>
[[nodiscard]] consteval double coverage() {
  return explain<Model, Backend, Mapping, Policy, Options>().coverage();
}

}  // namespace ctq
