// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "respelled_calls.hpp"

#include <cstdint>
#include <string_view>

#include "ctq/ops/builtin_ops.hpp"

namespace tool {

namespace {

using ctq::argument;
using kind = argument::kind;

/// x.expand_as(y), x.reshape_as(y), x.view_as(y)
void take_shape_of_other(traced_call& call, ctq::op_id op, const read_nodes& known) {
  const ctq::shape* const to = call.reads.size() == 2 ? known.shape_of(call.reads[1]) : nullptr;
  if (to == nullptr || call.args.size() != 2) return;
  call.op = op;
  call.reads.pop_back();
  call.args.back() = {.is = kind::list, .integer = to->rank};
  for (int axis = 0; axis < to->rank; ++axis)
    call.args.push_back({.is = kind::integer, .integer = (*to)[axis]});
}

/// torch.max(x, y): of two tensors, element by element.
void compare_two(traced_call& call, ctq::op_id op) {
  if (call.reads.size() != 2 || call.args.size() != 2) return;
  call.op = op;
  for (argument& a : call.args) a.keyword = {};
}

/// x.T, x.data, x.max(1).values
void read_attribute(traced_call& call, const read_nodes& known) {
  if (call.reads.size() != 1 || call.args.size() != 2) return;
  const std::string_view name = call.args[1].text;
  const ctq::op_descriptor& from = *known.op_of(call.reads[0])->descriptor;
  if (from.tuple_item != nullptr && from.gives_indices && (name == "values" || name == "indices")) {
    call.op = ctq::op::getitem.id();
    call.args[1] = {.is = kind::integer, .integer = name == "values" ? 0 : 1};
  } else if (name == "data" || name == "T") {
    const ctq::shape* const shape = known.shape_of(call.reads[0]);
    if (name == "T" && (shape == nullptr || shape->rank > 2)) return;
    call.op = name == "T" ? ctq::fn::t.id() : ctq::method::clone.id();
    call.args.pop_back();
  }
}

/// torch.var(x, False)
void name_flag(traced_call& call) {
  if (call.args.size() > 1 && call.args[1].is == kind::boolean && call.args[1].keyword.empty())
    call.args[1].keyword = ctq::name_of_flag_for_axes(call.op);
}

}  // namespace

void respell(traced_call& call, const read_nodes& known) {
  using namespace ctq;
  if (is_any_of(call.op, method::expand_as)) {
    take_shape_of_other(call, method::expand.id(), known);
  } else if (is_any_of(call.op, method::reshape_as, method::view_as)) {
    take_shape_of_other(call, fn::reshape.id(), known);
  } else if (is_any_of(call.op, fn::max, method::max)) {
    compare_two(call, fn::maximum.id());
  } else if (is_any_of(call.op, fn::min, method::min)) {
    compare_two(call, fn::minimum.id());
  } else if (is_any_of(call.op, fn::getattr)) {
    read_attribute(call, known);
  } else {
    name_flag(call);
  }
}

}  // namespace tool
