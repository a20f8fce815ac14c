// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/report.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/contradictions.hpp"
#include "ctq/spec/finding.hpp"
#include "ctq/spec/op_index.hpp"
#include "ctq/spec/overlap.hpp"
#include "ctq/spec/validate_config.hpp"
#include "ctq/spec/validate_mapping.hpp"

// Checks that a backend is well-formed. checked_backend<B> reports the first finding as a compile
// error, validate() returns all of them, the command line prints them.

namespace ctq {

namespace rules {

/// Configs grouped by the op nearest the output: only patterns with the same one can conflict.
class by_anchor {
 public:
  constexpr explicit by_anchor(const backend_view& backend) : next_(backend.configs.size(), -1) {
    list<int> tail(slots, -1);
    for (int i = 0; i < backend.configs.size(); ++i) {
      const op_id anchor = backend.configs[i].pattern.anchor();
      const std::size_t slot = anchor == nullptr ? 0 : anchor->hash % slots;
      if (tail[slot] >= 0) next_[tail[slot]] = i;
      tail[slot] = i;
    }
  }

  /// Calls f(i, k) for all pairs i < k with the same anchor; stops when f returns false.
  template <class F>
  constexpr void for_each_pair(const backend_view& backend, F f) const {
    for (int i = 0; i < backend.configs.size(); ++i) {
      const op_id anchor = backend.configs[i].pattern.anchor();
      if (anchor == nullptr) continue;  // no pattern, which is a separate error
      for (int k = next_[i]; k >= 0; k = next_[k])
        if (backend.configs[k].pattern.anchor() == anchor && !f(i, k)) return;
    }
  }

 private:
  static constexpr std::size_t slots = 128;

  list<int> next_;
};

/// Whether both configs have the same result.
constexpr bool interchangeable(const backend_pattern_config_record& a,
                               const backend_pattern_config_record& b) {
  return a.dtype_configs == b.dtype_configs && a.fused_module == b.fused_module &&
         a.observation_type == b.observation_type;
}

constexpr void pair(findings& out, const backend_view& backend, int i, int k) {
  const backend_pattern_config_record& a = backend.configs[i];
  const backend_pattern_config_record& b = backend.configs[k];
  const int more = a.pattern.element.size() - b.pattern.element.size();
  const bool a_first = more >= 0;
  if (more == 0 && a.pattern == b.pattern) {
    out.error(rule::duplicate_pattern, {k, -1, "pattern", {}}, "is also that of configs[", i, "]");
  } else if (is_chain(a.pattern) && is_chain(b.pattern)) {
    return;  // the longer one comes first
  } else if (covers((a_first ? a : b).pattern, (a_first ? b : a).pattern)) {
    static_text<120> other;
    append_pattern(other, (a_first ? a : b).pattern);
    out.error(rule::unreachable_pattern, {a_first ? k : i, -1, "pattern", {}},
              "never matches, configs[", a_first ? i : k,
              "] is always tried first: ", other.view());
  } else if (more == 0 && can_overlap(a.pattern, b.pattern) && !interchangeable(a, b)) {
    static_text<120> other;
    append_pattern(other, a.pattern);
    out.error(rule::ambiguous_pattern, {k, -1, "pattern", {}}, "can match where configs[", i,
              "] does, which is tried first: ", other.view());
  }
}

/// Each root module needs a reference module in some config (PyTorch collects them over all
/// configs). A backend without any does not use PyTorch's reference modules.
constexpr void references(findings& out, const backend_view& backend) {
  op_index known;
  for (const backend_pattern_config_record& c : backend.configs)
    if (c.reference_quantized_module_for_root != nullptr && c.root_module != nullptr)
      known.add(c.root_module, 1);
  for (int i = 0; i < backend.configs.size(); ++i) {
    const op_id root = backend.configs[i].root_module;
    if (root == nullptr || known.find(root) > 0) continue;
    out.add(rule::root_without_reference, known.empty() ? severity::warning : severity::error,
            {i, -1, "root_module", {}}, -1,
            {word(root->name), word(" has no reference_quantized_module_for_root in any config")});
  }
}

}  // namespace rules

/// Appends the findings of each config, then those that concern several configs.
constexpr void validate(const backend_view& backend, findings& out) {
  view<dtype_config_record> fine;  // a list of dtype configs without findings
  for (int i = 0; i < backend.configs.size() && !out.full(); ++i) {
    const backend_pattern_config_record& c = backend.configs[i];
    const int before = out.size();
    rules::pattern_config(
        out, i, c, c.dtype_configs.items == fine.items && c.dtype_configs.count == fine.count);
    if (out.size() == before) fine = c.dtype_configs;
  }
  rules::references(out, backend);
  rules::by_anchor{backend}.for_each_pair(backend, [&](int i, int k) {
    rules::pair(out, backend, i, k);
    return !out.full();
  });
}

[[nodiscard]] constexpr findings validate(const backend_view& backend) {
  findings found;
  validate(backend, found);
  return found;
}

/// The findings that make a check fail.
enum class strictness : unsigned char { errors, warnings };

namespace rules {

constexpr const finding* first_relevant(const findings& found, strictness s) {
  return s == strictness::warnings && found.size() > 0 ? found.begin() : found.first_error();
}

/// The first finding in a backend defined by types, with its place as text.
constexpr diagnostic describe(const backend_view& backend, strictness s) {
  diagnostic d;
  const findings found = validate(backend);
  const finding* const f = first_relevant(found, s);
  if (f == nullptr) return d;
  const backend_pattern_config_record& c = backend.configs[f->place.config];
  d.line("backend: ", backend.name);
  static_text<200> pattern;
  append_pattern(pattern, c.pattern);
  d.line("pattern: ", pattern.view());
  if (f->place.dtype_config >= 0)
    d.line("dtype_config: #", f->place.dtype_config, " of ", c.dtype_configs.size());
  d.text.append("\n");
  append_finding(d.text, *f);
  return d;
}

}  // namespace rules

/// A backend read from a file has a diagnostic with the position in the file.
template <class Backend, strictness Strictness = strictness::errors>
struct backend_check {
  static constexpr diagnostic find() {
    if constexpr (requires { Backend::template problem<Strictness>; }) {
      return Backend::template problem<Strictness>;
    } else if constexpr (!backend_parts::has_configs<Backend>) {
      return backend_parts::misfit<Backend>();
    } else if constexpr (backend_parts::first_contradiction<Backend>() >= 0) {
      return backend_parts::contradiction<Backend>();
    } else {
      return rules::describe(backend_v<Backend>, Strictness);
    }
  }
  static constexpr diagnostic found = find();
  static constexpr bool bad() { return found.any(); }
  static constexpr auto message() { return found.text; }
};

/// Whether a backend has an error. PyTorch's own backends are skipped, since ctq's tests check
/// them.
template <class Backend>
consteval bool has_finding() {
  if constexpr (requires { requires Backend::is_well_formed; }) {
    return false;
  } else {
    return backend_check<Backend>::bad();
  }
}

/// Derive from it to check a backend: the compile error states which field of which config is
/// wrong.
template <class Backend, strictness Strictness = strictness::errors>
struct checked_backend : report<backend_check<Backend, Strictness>> {};

}  // namespace ctq
