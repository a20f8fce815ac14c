// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/containers/list.hpp"
#include "ctq/graph/graph.hpp"

// The places of a node's arguments in its Python call: f(x, [y, z], weight=w) has x at position 0,
// y and z in the list at position 1, w by keyword.

namespace ctq {

struct argument_place {
  int position = -1;           // -1: passed by keyword
  std::string_view keyword{};  // of the parameter, if it is passed by keyword
  bool in_list = false;        // or in a dict or a slice
};

namespace argument_places {

/// Calls visit(argument, place) for an argument and what it contains. Returns the next one's index.
template <class Visit>
constexpr int walk(const view<argument>& args, int at, const argument_place& place, Visit& visit) {
  const argument& a = args[at++];
  visit(a, place);
  if (!a.has_elements()) return at;
  argument_place inside = place;
  inside.in_list = true;
  for (int e = 0; e < a.integer; ++e) at = walk(args, at, inside, visit);
  return at;
}

}  // namespace argument_places

/// Calls visit(argument, place) for all arguments of a row, those inside lists included.
template <class Visit>
constexpr void for_each_argument(const fx_row& row, Visit visit) {
  int position = 0;
  for (int at = 0; at < row.args.size();) {
    const std::string_view keyword = row.args[at].keyword;
    const argument_place place{keyword.empty() ? position++ : -1, keyword, false};
    at = argument_places::walk(row.args, at, place, visit);
  }
}

/// By argument of node i: its place. Arguments that fusion has added come last.
template <class Graph>
[[nodiscard]] constexpr list<argument_place> places_of(const Graph& g, int i) {
  const node& n = g.nodes[i];
  list<argument_place> places;
  places.reserve(n.arg_count);
  int positions = 0;
  if (n.row != nullptr)
    for_each_argument(*n.row, [&](const argument& a, const argument_place& place) {
      positions = place.position >= positions ? place.position + 1 : positions;
      if (a.is == argument::kind::node) places.push_back(place);
    });
  const bool listed = n.row == nullptr && n.op->descriptor->takes_list;
  while (static_cast<int>(places.size()) < n.arg_count) {
    places.push_back({listed ? 0 : positions++, {}, listed});
    const int weight = n.row == nullptr ? n.op->descriptor->weight_position : 0;
    if (positions == 1 && weight > 0) positions = weight;
  }
  return places;
}

/// By argument of an output: the position in the tuple that is returned; 0 for values of a dict.
template <class Graph>
[[nodiscard]] constexpr list<int> output_indexes(const Graph& g, int i) {
  const node& n = g.nodes[i];
  list<int> indexes;
  const bool listed = n.row == nullptr || n.row->args[0].is == argument::kind::list;
  for (int at = 1, index = 0; n.row != nullptr && listed && at < n.row->args.size(); ++index) {
    const auto visit = [&](const argument& a, const argument_place&) {
      if (a.is == argument::kind::node) indexes.push_back(index);
    };
    at = argument_places::walk(n.row->args, at, {}, visit);
  }
  for (int a = static_cast<int>(indexes.size()); a < n.arg_count; ++a)
    indexes.push_back(listed ? a : 0);
  return indexes;
}

/// By positional argument of node i: the node that it is, or -1 for a literal or a list.
template <class Graph>
[[nodiscard]] constexpr list<int> positional_nodes(const Graph& g, int i) {
  const node& n = g.nodes[i];
  list<int> nodes;
  if (n.row == nullptr) {
    if (n.op->descriptor->takes_list) {
      nodes.push_back(-1);
    } else {
      for (int a = 0; a < n.arg_count; ++a) nodes.push_back(g.args[n.first_arg + a]);
    }
    return nodes;
  }
  int next = 0;
  for_each_argument(*n.row, [&](const argument& a, const argument_place& place) {
    const bool is_node = a.is == argument::kind::node;
    if (place.position >= 0 && !place.in_list)
      nodes.push_back(is_node ? g.args[n.first_arg + next] : -1);
    next += is_node ? 1 : 0;
  });
  while (next < n.arg_count) nodes.push_back(g.args[n.first_arg + next++]);
  return nodes;
}

}  // namespace ctq
