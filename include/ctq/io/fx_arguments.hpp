// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ctq/core/shape.hpp"
#include "ctq/graph/fx_row.hpp"
#include "ctq/io/fx_graph.hpp"
#include "ctq/io/fx_keywords.hpp"
#include "ctq/io/fx_values.hpp"
#include "ctq/io/message.hpp"
#include "ctq/json/element.hpp"
#include "ctq/ops/builtin_ops.hpp"

// The arguments of a row that tools/export_fx.py wrote: see read_fx.hpp.

namespace ctq::fx_reading {

/// The number of a row by its name.
using rows_by_name = std::unordered_map<std::string_view, int>;

/// Reads the arguments of one row, and the options of its module.
class argument_reader {
 public:
  /// Both must outlive the reader.
  argument_reader(fx_graph& graph, const rows_by_name& earlier)
      : graph_(graph), earlier_(earlier) {}

  std::vector<argument> all;
  std::vector<argument> options;  // of a module
  std::vector<int> reads;         // rows, as they appear among the arguments
  json::element wrong{};          // what is wrong, if reading failed, and why
  std::string cause;

  /// args and kwargs. Those that ctq reads by position come first: see fx_keywords.hpp.
  bool read(json::element row, op_id op) {
    reads_index_ = op == op::getitem.id();
    int position = 0;
    if (const json::element args = row.find("args")) {
      if (args.type() != json::kind::array) return failed(args, "args is not a list");
      position = static_cast<int>(args.size());
      for (const json::element e : args.elements())
        if (!append(e, {}, all, true)) return false;
    }
    const json::element kwargs = row.find("kwargs");
    if (!kwargs) return true;
    if (kwargs.type() != json::kind::object) return failed(kwargs, "kwargs is not an object");
    std::vector<std::pair<std::string, json::element>> named;
    for (const auto [key, value] : kwargs.members()) named.emplace_back(unescaped(key), value);
    for (;; ++position) {
      const auto next = std::ranges::find_if(
          named, [&](const auto& n) { return position_of_keyword(op, n.first) == position; });
      if (next == named.end()) break;
      if (!append(next->second, {}, all, true)) return false;
      named.erase(next);
    }
    return std::ranges::all_of(named, [&](const auto& n) {
      return append(n.second, graph_.keep(std::string{own_keyword(op, n.first)}), all, true);
    });
  }

  /// The constructor arguments of a module: all members except its type.
  void read_options(json::element module) {
    for (const auto [key, value] : module.members()) {
      if (key.is("type")) continue;
      std::vector<argument> option;
      if (append(value, graph_.keep(unescaped(key)), option, false))
        options.insert(options.end(), option.begin(), option.end());
    }
  }

 private:
  bool failed(json::element at, std::string why) {
    wrong = at;
    cause = std::move(why);
    return false;
  }

  /// Appends an argument and, if it is a list or a dict, its elements.
  ///   of_call  nodes are allowed
  bool append(json::element e, std::string_view keyword, std::vector<argument>& out, bool of_call) {
    argument a{.keyword = keyword};
    switch (e.type()) {
      case json::kind::null:
        if (reads_index_ && out.size() == 1) out.push_back(one_index);
        a.is = argument::kind::none;
        break;
      case json::kind::boolean: set_boolean(e, a); break;
      case json::kind::string:
        a.is = argument::kind::text;
        a.text = graph_.keep(unescaped(e));
        if (reads_index_ && append_index(a, out)) return true;
        break;
      case json::kind::number: set_number(e, a); break;
      case json::kind::array: {
        a.is = argument::kind::list;
        a.integer = e.size();
        out.push_back(a);
        for (const json::element item : e.elements())
          if (!append(item, {}, out, of_call)) return false;
        return true;
      }
      case json::kind::object: {
        const json::element members = e.find("d");
        if (of_call && members && members.type() == json::kind::object) {
          a.is = argument::kind::dict;
          a.integer = members.size();
          out.push_back(a);
          for (const auto [key, value] : members.members())
            if (!append(value, graph_.keep(unescaped(key)), out, true)) return false;
          return true;
        }
        if (const json::element bounds = e.find("s"); of_call && bounds) {
          if (bounds.type() != json::kind::array || bounds.size() != 3)
            return failed(bounds, "a slice is a list of start, stop and step");
          a.is = argument::kind::slice;
          a.integer = 3;
          out.push_back(a);
          for (const json::element bound : bounds.elements())
            if (!append(bound, {}, out, true)) return false;
          return true;
        }
        if (const json::element real = e.find("f"); real && set_infinity(real, a)) break;
        a.is = argument::kind::ellipsis;
        if (of_call && e.find("e")) break;
        const json::element name = e.find("n");
        if (!of_call || !name || name.type() != json::kind::string)
          return failed(e, "an argument is an object without \"n\"");
        a.is = argument::kind::node;
        const std::string wanted = unescaped(name);
        const auto found = earlier_.find(std::string_view{wanted});
        if (found == earlier_.end()) return failed(e, "no earlier row is named " + shown(wanted));
        reads.push_back(found->second);
      }
    }
    out.push_back(a);
    return true;
  }

  fx_graph& graph_;
  const rows_by_name& earlier_;
  bool reads_index_ = false;  // the arguments are those of x[index]
};

}  // namespace ctq::fx_reading
