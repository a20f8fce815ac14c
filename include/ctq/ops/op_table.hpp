// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ctq/core/containers/view.hpp"
#include "ctq/core/same_text.hpp"
#include "ctq/ops/builtin_ops.hpp"

// From names to ops: "torch.nn.Conv2d" in a file is nn::conv2d.
//
// A table is a type, ops<builtin, my::swish>: the ops of ctq and those of the user. Beside
// PyTorch's qualified names it accepts the abbreviations of PyTorch's sources (nn.Conv2d, F.relu,
// nni., nnqat., nniqat., nnqr., operator.) and the names of other releases (torch.nn.intrinsic.).

namespace ctq {

/// A name in two parts, so that an abbreviation is expanded without a buffer.
struct op_name {
  std::string_view prefix{};
  std::string_view rest{};

  [[nodiscard]] constexpr bool is(std::string_view name) const {
    if (prefix.empty()) return same_text(name, rest);
    return name.size() == prefix.size() + rest.size() &&
           same_text(name.substr(prefix.size()), rest) &&
           same_text(name.substr(0, prefix.size()), prefix);
  }
};

namespace naming {

struct spelling {
  std::string_view from, to;
};

// If one is a prefix of another, the longer is first.
inline constexpr spelling spellings[] = {
    {"nn.", "torch.nn."},
    {"F.", "torch.nn.functional."},
    {"nni.", "torch.ao.nn.intrinsic."},
    {"nnqat.", "torch.ao.nn.qat."},
    {"nniqat.", "torch.ao.nn.intrinsic.qat."},
    {"nnqr.", "torch.ao.nn.quantized.reference."},
    {"operator.", "_operator."},
    {"torch._C._nn.", "torch.nn.functional."},
    {"torch.nn.intrinsic.", "torch.ao.nn.intrinsic."},
    {"torch.nn.qat.", "torch.ao.nn.qat."},
    {"torch.nn.quantized._reference.", "torch.ao.nn.quantized.reference."},
};

inline constexpr std::size_t slot_count = 1024;

/// The slot for the last part of a name, which is the same in all spellings.
constexpr std::size_t slot_of(std::string_view name) {
  const char* const text = name.data();
  unsigned h = 0;
  for (std::size_t i = name.size(); i > 0; --i) {
    const char c = text[i - 1];
    if (c == '.') break;
    h = h * 33 + static_cast<unsigned char>(c);
  }
  return (h ^ (h >> 10)) % slot_count;
}

}  // namespace naming

/// Converts a name to PyTorch's qualified one. In Python a class is also known by the module that
/// defines it, torch.nn.modules.conv.
[[nodiscard]] constexpr op_name qualified(std::string_view name) {
  for (const naming::spelling& s : naming::spellings)
    if (name.size() > s.from.size() && name[0] == s.from[0] &&
        same_text(name.substr(0, s.from.size()), s.from))
      return {s.to, name.substr(s.from.size())};
  const std::size_t defined = name.find(".modules.");
  if (defined == std::string_view::npos) return {{}, name};
  return {name.substr(0, defined + 1), name.substr(name.rfind('.') + 1)};
}

namespace naming {

#define CTQ_ID_OF(space, base, identifier, ...) space::identifier.id(),
inline constexpr op_id all_ops[] = {CTQ_NAMED_OPS(CTQ_ID_OF)};
#undef CTQ_ID_OF

/// Without quantized forms, which are made by passes and do not occur in specs.
inline constexpr int builtin_count = [] {
  int count = 0;
  for (const op_id op : all_ops) count += op->kind != op_kind::pass ? 1 : 0;
  return count;
}();
inline constexpr auto builtin_ops = [] {
  std::array<op_id, builtin_count> ops{};
  std::size_t at = 0;
  for (const op_id op : all_ops)
    if (op->kind != op_kind::pass) ops[at++] = op;
  return ops;
}();

/// Open addressing: 1 + the op's index in the list, 0 for a free slot.
inline constexpr auto builtin_slots = [] {
  std::array<short, slot_count> slots{};
  for (short i = 0; i < builtin_count; ++i) {
    std::size_t at = slot_of(builtin_ops[static_cast<std::size_t>(i)]->name);
    while (slots[at] != 0) at = (at + 1) % slot_count;
    slots[at] = static_cast<short>(i + 1);
  }
  return slots;
}();

}  // namespace naming

/// The ops that names can mean: the user's, then ctq's.
struct op_table {
  view<op_id> own{};
  view<op_id> builtin{};

  [[nodiscard]] constexpr int size() const { return own.size() + builtin.size(); }
  [[nodiscard]] constexpr op_id operator[](int i) const {
    return i < own.size() ? own[i] : builtin[i - own.size()];
  }

  [[nodiscard]] constexpr bool is_builtin(op_id op) const {
    for (const op_id known : builtin)
      if (known == op) return true;
    return false;
  }

  /// The op with this name, in any spelling; nullptr if there is none.
  [[nodiscard]] constexpr op_id find(std::string_view name) const {
    const op_id found = find_exactly({{}, name});
    if (found != nullptr) return found;
    const op_name spelled_out = qualified(name);
    return spelled_out.prefix.empty() ? nullptr : find_exactly(spelled_out);
  }

 private:
  [[nodiscard]] constexpr op_id find_exactly(const op_name& name) const {
    for (const op_id op : own)
      if (name.is(op->name)) return op;
    if (builtin.empty()) return nullptr;
    for (std::size_t at = naming::slot_of(name.rest);; at = (at + 1) % naming::slot_count) {
      const int slot = naming::builtin_slots[at];
      if (slot == 0) return nullptr;
      if (name.is(builtin[slot - 1]->name)) return builtin[slot - 1];
    }
  }
};

/// All ops of ctq that PyTorch has names for.
struct builtin_ops_t {};
inline constexpr builtin_ops_t builtin{};

namespace naming {

template <class Op>
constexpr op_id user_op(const Op&) {
  return Op::id();
}
constexpr op_id user_op(builtin_ops_t) { return nullptr; }

}  // namespace naming

/// ops<builtin, my::swish>
template <auto... Op>
struct ops {
  static constexpr int count = (0 + ... + (naming::user_op(Op) != nullptr ? 1 : 0));
  static constexpr auto own = [] {
    std::array<op_id, count + 1> found{};
    std::size_t at = 0;
    for (const op_id op : std::array<op_id, sizeof...(Op)>{naming::user_op(Op)...})
      if (op != nullptr) found[at++] = op;
    return found;
  }();
  static constexpr op_table value{
      {own.data(), count},
      count == sizeof...(Op) ? view<op_id>{}
                             : view<op_id>{naming::builtin_ops.data(), naming::builtin_count}};
};

}  // namespace ctq
