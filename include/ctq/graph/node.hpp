// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/dtype.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/core/text.hpp"
#include "ctq/graph/fx_row.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/spec/observer.hpp"

// A node of a graph, as torch.fx prints it: a name, an op, its arguments. All stages use the same
// record; passes set the last members.

namespace ctq {

/// Why a node is left in float: the first clause that failed for the dtype config that is closest,
/// with the requested value and the one that the backend allows.
struct rejection {
  enum class clause : std::uint8_t {
    none,          // it is quantized, or has no tensor to quantize
    no_qconfig,    // the mapping has none for it, as the user decided
    no_pattern,    // the backend has no pattern for it
    dtype,         // asked, allowed: dtypes
    is_dynamic,    // a dynamic observer for a static config, or the reverse
    quant_min,     // asked, allowed: integers
    quant_max,     //
    scale_min,     // asked: the observer's eps · allowed: the smallest scale
    no_range,      // the observer has no quant_min and quant_max
    exact_match,   // asked: the observer's scale · allowed: the one scale, of a fixed pair
    pattern_part,  // another node of its pattern is left in float
  };
  enum class value : std::uint8_t { input, output, weight, bias };

  clause why = clause::none;
  value of = value::input;
  double asked{};
  double allowed{};
  int dtype_config{};  // of the pattern
};

/// The decision of prepare about a node. Indices are -1 if there is none.
struct choice {
  int qconfig = -1;       // entry of the mapping
  int pattern = -1;       // config of the backend
  int dtype_config = -1;  // of that pattern; -1: the node stays in float
  bool observed{};        // its pattern has observers, so convert may quantize its weight
  rejection why{};

  [[nodiscard]] constexpr bool quantized() const { return dtype_config >= 0; }
};

/// A node of a graph. Each pass sets the members that name it.
struct node {
  std::string_view name{};
  int number = -1;  // for nodes that passes insert: activation_post_process_3
  op_id op{};
  attributes attrs{};
  int first_arg{};
  int arg_count{};

  ctq::shape shape{};  // of the output, logical (N, C, H, W)
  ctq::dtype dtype = f32;

  std::string_view batch_norm{};  // fuse: the module that is folded into this one
  float batch_norm_eps{};
  const fx_row* then_row{};  // fuse, lower: of the op that follows a layer in the same node, if
                             // torch.fx traced the model; its options are the second half of attrs

  ctq::choice choice{};  // prepare
  int observer = -1;     // prepare: the observer, later the qparams, of the output; equal = shared
  const observer_record* observer_config{};  // prepare: of an activation_post_process
  const observer_record* weight{};  // convert: the weight is quantized with this; null: it is not
  const fx_row* row{};              // of models traced by torch.fx; else null
};

/// The module that a node of a model in C++ calls: "fc" for "fc#2", the second call of fc.
[[nodiscard]] constexpr std::string_view module_of_call(std::string_view name) {
  const char* const begin = name.data();  // pointers: functions cost the compiler more
  const char* at = begin + name.size();
  while (at != begin && at[-1] >= '0' && at[-1] <= '9') --at;
  if (at == begin || at[-1] != '#') return name;
  const auto before = static_cast<std::size_t>(at - begin) - 1;
  return before > 0 && before + 1 < name.size() ? std::string_view(begin, before) : name;
}

/// The path of the node's weights; nodes that call the same module have the same one.
[[nodiscard]] constexpr std::string_view path_of(const node& n) {
  if (n.row != nullptr && !n.row->target.empty()) return n.row->target;
  return module_of_call(n.name);
}

/// The options of a layer, and in their second half those of the op that follows it in one node.
[[nodiscard]] constexpr attributes with_following(attributes layer, const attributes& following) {
  for (std::size_t i = 0; i < attributes::max_words / 2; ++i)
    layer.word[attributes::max_words / 2 + i] = following.word[i];
  return layer;
}
[[nodiscard]] constexpr attributes following_options(const attributes& both) {
  attributes following;
  for (std::size_t i = 0; i < attributes::max_words / 2; ++i)
    following.word[i] = both.word[attributes::max_words / 2 + i];
  return following;
}

/// Whether the op is one of these: is_any_of(n.op, nn::relu, fn::relu)
template <class... Op>
[[nodiscard]] constexpr bool is_any_of(op_id op, const Op&... any) {
  return ((op == any.id()) || ...);
}

/// Appends "conv1" or "activation_post_process_3".
template <class Text>
constexpr void append_name(Text& out, std::string_view name, int number) {
  out.append(name);
  if (number < 0) return;
  out.append("_");
  append_number(out, number);
}
template <class Text>
constexpr void append_name(Text& out, const node& n) {
  append_name(out, n.name, n.number);
}

}  // namespace ctq
