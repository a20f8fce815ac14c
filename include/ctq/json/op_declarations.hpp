// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/core/containers/list.hpp"
#include "ctq/json/reader.hpp"
#include "ctq/ops/op.hpp"

// User-defined ops declared in a file, by name and kind only, since patterns only need an identity.

namespace ctq::json {

/// A limit on their number, since each is compared with all others and with each name in the file.
inline constexpr std::uint32_t max_declared_ops = 1024;

/// The ops that a file declares: "ops": [{"name": "my.swish", "kind": "function"}].
class op_declarations {
 public:
  constexpr op_declarations(element root, const op_table& known, findings& out)
      : read_(known, out), known_(known) {
    if (root.type() != kind::object) return;
    const element ops = root.find("ops");
    if (!ops || !read_.expect(ops, kind::array)) return;
    if (ops.size() > max_declared_ops) {
      read_.error(rule::too_many, ops, "more than 1024 declared ops");
      return;
    }
    declared.reserve(ops.size());  // their addresses are the identities
    for (const element e : ops.elements()) declare(e);
  }

  list<op_info> declared{};

 private:
  constexpr void declare(element e) {
    if (e.type() == kind::string) return add(e, op_kind::function);
    if (!read_.expect(e, kind::object)) return;
    const element name = e.find("name");
    if (!name) return read_.error(rule::missing_key, e, "name is missing");
    op_kind kind = op_kind::function;
    int names = 0;
    int kinds = 0;
    for (const auto [key, value] : e.members()) {
      names += key.is("name") ? 1 : 0;
      kinds += key.is("kind") ? 1 : 0;
      if (names > 1 || kinds > 1)
        return read_.error(rule::duplicate_key, key, key.text(), " is duplicated");
      if (key.is("name")) continue;
      if (!key.is("kind")) {
        read_.error(rule::unknown_key, key, key.text(), " is not a known key here: name, kind");
      } else if (value.is("module")) {
        kind = op_kind::module;
      } else if (value.is("method")) {
        kind = op_kind::method;
      } else if (!value.is("function")) {
        read_.error(rule::unknown_value, value, "expected module, function or method");
      }
    }
    add(name, kind);
  }

  constexpr void add(element name, op_kind kind) {
    if (!read_.expect(name, json::kind::string)) return;
    if (name.name().empty())
      return read_.error(rule::wrong_type, name, "expected a name that is not empty");
    for (const std::string_view other : names_)
      if (same_text(other, name.name()))
        return read_.error(rule::duplicate_op, name, name.text(), " is already declared");
    names_.push_back(name.name());
    if (name.is("MatchAllNode"))
      return read_.error(rule::duplicate_op, name,
                         "MatchAllNode matches anything, it is not a known op");
    const op_id op = known_.find(name.name());
    if (op != nullptr && known_.is_builtin(op))
      return read_.error(rule::duplicate_op, name, name.text(), " is an op of ctq");
    if (op == nullptr) declared.push_back({kind, name.name()});
  }

  reader read_;
  const op_table& known_;
  list<std::string_view> names_;
};

}  // namespace ctq::json
