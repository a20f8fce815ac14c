// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parameter_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "ctq/graph/node.hpp"
#include "ctq/ops/reflect.hpp"

namespace tool {

namespace {

using ctq::argument;
using kind = ctq::argument::kind;

/// The arguments of a call: tensors, in their order, then others.
struct call_arguments {
  ctq::op_id op;
  int tensors;
  std::string_view words;  // of the tensors
  std::string_view names[8];
};
constexpr call_arguments weighted{
    nullptr, 3, "an input, a weight and a bias", {"input", "weight", "bias"}};
constexpr call_arguments modules[] = {
    {ctq::nn::multihead_attention.id(),
     3,
     "query, key and value",
     {"query", "key", "value", "key_padding_mask", "need_weights", "attn_mask",
      "average_attn_weights", "is_causal"}},
    {ctq::nn::transformer_encoder_layer.id(),
     1,
     "src",
     {"src", "src_mask", "src_key_padding_mask", "is_causal"}},
    {ctq::nn::transformer_decoder_layer.id(),
     2,
     "tgt and memory",
     {"tgt", "memory", "tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask",
      "tgt_is_causal", "memory_is_causal"}},
};

/// Null: it is no such module.
const call_arguments* module_call(ctq::op_id op) {
  for (const call_arguments& c : modules)
    if (c.op == op) return &c;
  return nullptr;
}

/// The parameter at a position; empty: there is none. The options come before and after the weight
/// and the bias; instance_norm has others, too.
std::string_view name_at(ctq::op_id op, int position) {
  if (const call_arguments* const c = module_call(op))
    return position < static_cast<int>(std::size(c->names)) ? c->names[position]
                                                            : std::string_view{};
  if (ctq::is_any_of(op, ctq::fn::instance_norm)) {
    constexpr std::string_view names[] = {"input", "running_mean",    "running_var", "weight",
                                          "bias",  "use_input_stats", "momentum",    "eps"};
    return position < static_cast<int>(std::size(names)) ? names[position] : std::string_view{};
  }
  if (ctq::is_any_of(op, ctq::fn::group_norm) && position > 3)
    return position == 4 ? "eps" : std::string_view{};
  const int weight = op->descriptor->weight_position;
  if (position == 0) return weighted.names[0];
  if (position == weight || position == weight + 1) return weighted.names[1 + position - weight];
  const ctq::view<ctq::option_field>& fields = ctq::options_of(op).fields;
  const int field = position < weight ? position - 1 : position - 3;
  return field < fields.size() ? fields[field].name : std::string_view{};
}

/// A mask that is an argument depends on inputs: others are parameters.
std::string mask_problem(std::string_view name) {
  return fmt::format("cannot have {} = a tensor ({})", name,
                     name.find("padding") != std::string_view::npos
                         ? "write attention with torch.matmul, masked_fill and softmax"
                         : "tools/export_fx.py writes a constant one of two axes as a parameter");
}

bool is_mask(const argument& a) { return a.keyword.ends_with("_mask"); }

/// Whether an argument says that there is no such tensor.
bool is_absent_tensor(const argument& a) {
  const bool is_running = a.keyword == "running_mean" || a.keyword == "running_var";
  return a.is == kind::none &&
         (is_running || is_mask(a) || a.keyword == "weight" || a.keyword == "bias");
}

}  // namespace

bool has_named_arguments(ctq::op_id op) { return module_call(op) != nullptr; }

named_arguments name_arguments(ctq::op_id op, ctq::view<argument> arguments) {
  named_arguments out;
  const call_arguments* const module = module_call(op);
  const call_arguments& call = module != nullptr ? *module : weighted;
  int position = 0;
  int last_tensor = -1;
  for (int at = 0; at < arguments.size();) {
    argument a = arguments[at];
    if (a.keyword.empty()) a.keyword = name_at(op, position++);
    int rest = 1;  // this one, and the elements of lists
    const std::size_t first = out.literals.size();
    while (rest > 0) {
      const argument& e = arguments[at++];
      rest += e.has_elements() ? static_cast<int>(e.integer) - 1 : -1;
      out.literals.push_back(e);
    }
    out.literals[first].keyword = a.keyword;
    if (a.is == kind::node) {
      out.literals.resize(first);
      const auto* const end = call.names + call.tensors;
      const auto which = static_cast<int>(std::find(call.names, end, a.keyword) - call.names);
      if (which == call.tensors || which <= last_tensor)
        out.problem = is_mask(a) ? mask_problem(a.keyword)
                                 : fmt::format("takes {} as tensors, in this order,", call.words);
      last_tensor = which;
    } else if (is_absent_tensor(a) ||
               (a.keyword == "use_input_stats" && a.is == kind::boolean && a.integer == 1)) {
      out.literals.resize(first);
    }
  }
  if (last_tensor < 0 && out.problem.empty()) out.problem = "takes an input";
  return out;
}

}  // namespace tool
