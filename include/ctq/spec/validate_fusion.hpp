// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/spec/finding.hpp"
#include "ctq/spec/fused_parts.hpp"

// Checks how the pattern of a config is fused: its fuser method and modules, its root and its extra
// inputs. A config with which fusion would change what a model computes is an error.

namespace ctq {

namespace fused_parts {

/// Calls visit(element, end of its tree) for each argument of an op.
template <class Visit>
constexpr void for_each_argument(const pattern_record& tree, int op, Visit visit) {
  int child = op + 1;
  for (int a = 0; a < tree.element[op].args; ++a) {
    const int end = child + subtree(tree, child);
    visit(child, end);
    child = end;
  }
}

constexpr bool is_add(op_id op) { return op == op::add.id() || op == fn::add.id(); }

/// The argument of an op that is `root` or depends on it; -1: there is none, or another argument is
/// an op, too.
constexpr int towards(int root, const pattern_record& tree, int op) {
  int found = -1;
  bool has_other_ops = false;
  for_each_argument(tree, op, [&](int child, int end) {
    if (child <= root && root < end) {
      found = child;
    } else if (tree.element[child].op != nullptr) {
      has_other_ops = true;
    }
  });
  return has_other_ops ? -1 : found;
}

}  // namespace fused_parts

/// Whether this tree can be fused to this module, which reads further inputs: a sum of a
/// convolution and of another value, perhaps with a batch norm after the convolution or a relu
/// after the sum. True for user-defined modules.
///   root  the element that is the convolution
[[nodiscard]] constexpr bool can_become_sum(const pattern_record& tree, int root, op_id fused) {
  if (fused == nullptr || !fused->builtin) return true;
  const bool with_relu = fused == nni::conv_add_relu2d.id();
  if (!with_relu && fused != nni::conv_add2d.id()) return false;
  int at = 0;
  if (fused_parts::is_relu(tree.element[at].op) != with_relu) return false;
  if (with_relu) at = fused_parts::towards(root, tree, at);
  if (at < 0 || !fused_parts::is_add(tree.element[at].op)) return false;
  at = fused_parts::towards(root, tree, at);
  if (at >= 0 && fused_parts::is_batch_norm(tree.element[at].op))
    at = fused_parts::towards(root, tree, at);
  return at == root && tree.element[at].op == nn::conv2d.id();
}

}  // namespace ctq

namespace ctq::rules {

/// Whether the root and the extra inputs of a config are nodes of its pattern, the latter
/// MatchAllNodes.
constexpr bool has_extra_inputs(const backend_pattern_config_record& c) {
  if (c.pattern.element.empty() || root_element(c) < 0) return false;
  for (const node_path& p : c.extra_inputs_getter) {
    const int input = element_at(c.pattern, p);
    if (input < 0 || c.pattern.element[input].op != nullptr) return false;
  }
  return true;
}

/// Whether the fused module consists of the ops of the pattern, as far as that is known.
constexpr bool fused_module_fits(const backend_pattern_config_record& c) {
  if (c.extra_inputs_getter.empty())
    return !c.fuser_method->keeps_parts || can_become(c.pattern, c.fused_module);
  return !has_extra_inputs(c) || can_become_sum(c.pattern, root_element(c), c.fused_module);
}

constexpr void modules(findings& out, spec_place at, const backend_pattern_config_record& c) {
  const bool wraps = c.fuser_method == &sequential_wrapper2;
  if (c.fused_module != nullptr && c.fuser_method == nullptr) {
    at.field = "fused_module";
    out.error(rule::fused_without_fuser, at, c.fused_module->name, " has no fuser_method");
  } else if (c.fused_module == nullptr && wraps) {
    at.field = "fuser_method";
    out.error(rule::fused_without_fuser, at, c.fuser_method->name, " has no fused_module");
  }
  if (c.fuser_method != nullptr) {
    const bool reads_more = !c.extra_inputs_getter.empty();
    if (!reads_more && !is_chain(c.pattern)) {
      at.field = "fuser_method";
      out.error(rule::fused_module_mismatch, at,
                "arguments would be lost: an extra_inputs_getter names those to keep");
    } else if (!reads_more && !can_fuse(c.pattern, c.fuser_method)) {
      at.field = "fuser_method";
      out.error(rule::fused_module_mismatch, at, c.fuser_method->name,
                " does not match the ops of this pattern");
    } else if (!fused_module_fits(c)) {
      at.field = "fused_module";
      out.error(rule::fused_module_mismatch, at, c.fused_module->name,
                " does not consist of the ops of this pattern");
    }
  }
  const op_id reference = c.reference_quantized_module_for_root;
  if (c.root_module == nullptr && reference != nullptr) {
    at.field = "reference_quantized_module_for_root";
    out.error(rule::reference_without_root, at, reference->name, " has no root_module");
  }
}

/// The first op that this element reads; nullptr: it reads MatchAllNodes only.
constexpr op_id op_read_by(const pattern_record& p, int reader) {
  op_id found = nullptr;
  fused_parts::for_each_argument(p, reader, [&](int child, int) {
    if (found == nullptr) found = p.element[child].op;
  });
  return found;
}

/// Whether an element is an argument of `reader`.
constexpr bool is_read_by(const pattern_record& p, int reader, int element) {
  bool found = false;
  fused_parts::for_each_argument(p, reader,
                                 [&](int child, int) { found = found || child == element; });
  return found;
}

constexpr void paths(findings& out, spec_place at, const backend_pattern_config_record& c) {
  const auto& element = c.pattern.element;
  if (element.empty() || (c.root_node_getter.empty() && c.extra_inputs_getter.empty())) return;
  constexpr std::string_view nowhere = "the indices lead to no node of the pattern";
  at.field = "root_node_getter";
  const int root = root_element(c);
  if (root < 0) {
    out.error(rule::node_path, at, nowhere);
  } else if (element[root].op == nullptr) {
    out.error(rule::node_path, at, "the indices lead to a MatchAllNode, not to an op");
  } else if (const op_id read = op_read_by(c.pattern, root); read != nullptr) {
    out.error(rule::node_path, at, element[root].op->name, " reads ", read->name,
              " of the same pattern, so that it is not the root");
  }
  at.field = "extra_inputs_getter";
  const auto& extra = c.extra_inputs_getter;
  for (int i = 0; i < extra.size(); ++i) {
    const int input = element_at(c.pattern, extra[i]);
    bool is_repeated = false;
    for (int k = 0; k < i; ++k)
      if (extra[k] == extra[i]) is_repeated = true;
    if (input < 0) {
      out.error(rule::node_path, at, nowhere);
    } else if (element[input].op != nullptr) {
      out.error(rule::node_path, at, "the indices lead to ", element[input].op->name,
                ", not to a MatchAllNode");
    } else if (is_repeated) {
      out.error(rule::node_path, at, "the same node is given twice");
    } else if (root >= 0 && is_read_by(c.pattern, root, input)) {
      out.error(rule::node_path, at, "the root reads this node already");
    }
  }
}

}  // namespace ctq::rules
