// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parameter_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "ctq/graph/node.hpp"
#include "ctq/ops/reflect.hpp"

namespace tool {

namespace {

using ctq::argument;
using kind = ctq::argument::kind;

/// The tensors of a call, in their order.
struct tensor_names {
  std::string_view names[3];
  std::string_view words;
};
constexpr tensor_names weighted{{"input", "weight", "bias"}, "an input, a weight and a bias"};
constexpr tensor_names attention{{"query", "key", "value"}, "query, key and value"};

bool is_attention(ctq::op_id op) { return ctq::is_any_of(op, ctq::nn::multihead_attention); }

/// The parameter at a position; empty: there is none. The options come before and after the weight
/// and the bias; instance_norm has others, too.
std::string_view name_at(ctq::op_id op, int position) {
  if (is_attention(op)) {
    constexpr std::string_view names[] = {"query",
                                          "key",
                                          "value",
                                          "key_padding_mask",
                                          "need_weights",
                                          "attn_mask",
                                          "average_attn_weights",
                                          "is_causal"};
    return position < static_cast<int>(std::size(names)) ? names[position] : std::string_view{};
  }
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

bool is_mask(const argument& a) {
  return a.keyword == "attn_mask" || a.keyword == "key_padding_mask";
}

/// Whether an argument says that there is no such tensor.
bool is_absent_tensor(const argument& a) {
  const bool is_running = a.keyword == "running_mean" || a.keyword == "running_var";
  return a.is == kind::none &&
         (is_running || is_mask(a) || a.keyword == "weight" || a.keyword == "bias");
}

}  // namespace

named_arguments name_arguments(ctq::op_id op, ctq::view<argument> arguments) {
  named_arguments out;
  const auto& [names, words] = is_attention(op) ? attention : weighted;
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
      const auto* const place = std::find(std::begin(names), std::end(names), a.keyword);
      const auto which = static_cast<int>(place - std::begin(names));
      if (which == static_cast<int>(std::size(names)) || which <= last_tensor)
        out.problem = is_mask(a) ? fmt::format("cannot have {} = a tensor", a.keyword)
                                 : fmt::format("takes {} as tensors, in this order,", words);
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
