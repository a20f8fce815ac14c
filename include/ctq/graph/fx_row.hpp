// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

#include "ctq/core/containers/view.hpp"
#include "ctq/ops/op.hpp"

// What torch.fx has for a node besides its op and the nodes that it reads: the path of its module
// or attribute, the module around it, and the arguments of the Python call. Nodes of a model
// written in C++ have options instead.

namespace ctq {

/// One argument of a Python call. A list is followed by its elements, a dict by its values, a slice
/// by its start, stop and step.
struct argument {
  enum class kind : std::uint8_t {
    node,
    none,
    boolean,
    integer,
    real,
    text,
    list,
    dict,
    slice,
    ellipsis
  };

  kind is{};
  std::string_view keyword{};  // the parameter's name, if it is passed by keyword; a dict's key
  std::int64_t integer{};  // also of booleans: 0 or 1 · list, dict, slice: how many elements follow
  double real{};
  std::string_view text{};

  [[nodiscard]] constexpr bool has_elements() const {
    return is == kind::list || is == kind::dict || is == kind::slice;
  }
};

/// What torch.fx has for a node.
struct fx_row {
  std::string_view target{};  // "layer1.0.conv1", the path of a module or an attribute
  std::string_view scope{};   // "layer1.0", the module whose forward makes the call
  op_id scope_type{};         // the class of that module, null if it is not known
  view<argument> args{};      // positional ones, then those passed by keyword
};

}  // namespace ctq
