// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "respelled_calls.hpp"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/ops/builtin_ops.hpp"
#include "import_options.hpp"

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
  if (from.tuple_item != nullptr && from.returns_indices &&
      (name == "values" || name == "indices")) {
    call.op = ctq::op::getitem.id();
    call.args[1] = {.is = kind::integer, .integer = name == "values" ? 0 : 1};
  } else if (name == "data" || name == "T") {
    const ctq::shape* const shape = known.shape_of(call.reads[0]);
    if (name == "T" && (shape == nullptr || shape->rank > 2)) return;
    call.op = name == "T" ? ctq::fn::t.id() : ctq::method::clone.id();
    call.args.pop_back();
  }
}

bool has_output_size(ctq::op_id op) {
  using namespace ctq;
  return is_any_of(op, fn::adaptive_avg_pool1d, fn::adaptive_avg_pool2d, fn::adaptive_avg_pool3d,
                   fn::adaptive_max_pool1d, fn::adaptive_max_pool2d, fn::adaptive_max_pool3d);
}

/// torch.add(x, 3, alpha=2); an alpha of 1 says nothing.
void multiply_by_alpha(traced_call& call) {
  std::vector<argument>& args = call.args;
  if (args.size() != 3 || args[2].keyword != "alpha" || !is_number(args[2])) return;
  argument& other = args[1];
  const argument alpha = args[2];
  const bool is_one = alpha.is == kind::integer && alpha.integer == 1;
  if (!is_one && !is_number(other)) return;
  args.pop_back();
  if (is_one) return;
  std::int64_t product{};
  if (other.is == kind::integer && alpha.is == kind::integer &&
      !__builtin_mul_overflow(other.integer, alpha.integer, &product)) {
    other.integer = product;
    return;
  }
  const auto real = [](const argument& a) {
    return a.is == kind::real ? a.real : static_cast<double>(a.integer);
  };
  other = {.is = kind::real, .keyword = other.keyword, .real = real(other) * real(alpha)};
}

/// F.pad(x, (1, 1, 0, 0, 0, 0, 0, 0)): axes that are not padded need no numbers.
void drop_zero_pads(traced_call& call) {
  if (call.args.size() < 2 || call.args[1].is != kind::list) return;
  argument& list = call.args[1];
  const auto is_zero = [&](std::int64_t at) {
    const argument& a = call.args[static_cast<std::size_t>(2 + at)];
    return a.is == kind::integer && a.integer == 0;
  };
  for (const auto most = static_cast<std::int64_t>(ctq::max_rank);
       list.integer > most && is_zero(list.integer - 1) && is_zero(list.integer - 2);) {
    list.integer -= 2;
    const auto first = call.args.begin() + 2 + static_cast<std::ptrdiff_t>(list.integer);
    call.args.erase(first, first + 2);
  }
}

/// torch.var(x, False)
void name_flag(traced_call& call) {
  if (call.args.size() > 1 && call.args[1].is == kind::boolean && call.args[1].keyword.empty())
    call.args[1].keyword = ctq::name_of_flag_for_axes(call.op);
}

/// The equation of torch.einsum as the axes of the second tensor and of the output.
void read_einsum(traced_call& call, const read_nodes& known) {
  std::vector<argument>& args = call.args;
  if (call.reads.size() != 2 || args.empty() || args[0].is != kind::text) return;
  const ctq::shape* const first = known.shape_of(call.reads[0]);
  const ctq::shape* const second = known.shape_of(call.reads[1]);
  if (first == nullptr || second == nullptr) return;
  ctq::einsum_options o;
  if (!ctq::read_equation(args[0].text, first->rank, second->rank, o)) return;
  args = {{.is = kind::node}, {.is = kind::node}};
  const auto append = [&args](std::string_view name, const ctq::shape& axes) {
    args.push_back({.is = kind::list, .keyword = name, .integer = axes.rank});
    for (int axis = 0; axis < axes.rank; ++axis)
      args.push_back({.is = kind::integer, .integer = axes[axis]});
  };
  append("other_axes", o.other_axes);
  append("out_axes", o.out_axes);
  args.push_back({.is = kind::integer, .keyword = "axes", .integer = o.axes});
}

/// x.masked_fill(mask, -1e9), the number of which is rounded as PyTorch rounds it.
void name_value(traced_call& call) {
  if (call.args.size() != 3) return;
  argument& value = call.args[2];
  if (value.keyword.empty()) value.keyword = "value";
  if (value.is == kind::integer)
    value = {
        .is = kind::real, .keyword = value.keyword, .real = static_cast<double>(value.integer)};
}

/// torch.where(mask, x, 0.0) and torch.where(mask, 0.0, x) fill x.
void fill_where(traced_call& call) {
  std::vector<argument>& args = call.args;
  if (args.size() != 3 || call.reads.size() != 2 || args[0].is != kind::node) return;
  const bool unless = is_number(args[2]);
  argument value = args[unless ? 2 : 1];
  if (!is_number(value)) return;
  call.op = ctq::fn::masked_fill.id();
  std::swap(call.reads[0], call.reads[1]);
  value.keyword = {};
  args = {{.is = kind::node}, {.is = kind::node}, value};
  name_value(call);
  if (unless) args.push_back({.is = kind::boolean, .keyword = "unless", .integer = 1});
}

/// F.grid_sample(x, grid=y): tensors in their places.
void unname_tensors(traced_call& call, std::string_view first, std::string_view second) {
  const std::string_view names[] = {first, second};
  for (std::size_t i = 0; i < 2 && i < call.args.size(); ++i)
    if (call.args[i].is == kind::node && call.args[i].keyword == names[i])
      call.args[i].keyword = {};
}

/// torch.index_select(x, 1, index): tensors before the axis.
void take_tensors_first(traced_call& call) {
  std::vector<argument>& args = call.args;
  if (args.size() != 3 || call.reads.size() != 2 || args[0].is != kind::node) return;
  if (args[2].is == kind::node) std::swap(args[1], args[2]);
  args[1].keyword = {};
  if (args[2].keyword.empty()) args[2].keyword = "dim";
}

/// Whether an index is a whole axis.
bool is_whole_axis(const std::vector<argument>& args, std::size_t at) {
  if (args[at].is != kind::slice || args[at].integer != 3) return false;
  for (std::size_t i = 1; i <= 3; ++i)
    if (args[at + i].is != kind::none) return false;
  return true;
}

/// x[:, index], x[:, rows, columns]: whole axes, and tensors of indices along one or two others.
void index_by_tensors(traced_call& call, const read_nodes& known) {
  const std::vector<argument>& args = call.args;
  if (call.reads.size() < 2 || call.reads.size() > 3 || args.size() < 2 || args[0].is != kind::node)
    return;
  for (std::size_t i = 1; i < call.reads.size(); ++i)
    if (!known.are_indices(call.reads[i])) return;
  const bool listed = args[1].is == kind::list;
  std::int64_t dim = 0, before = 0, tensors = 0;
  for (std::size_t at = listed ? 2 : 1; at < args.size();) {
    if (args[at].is == kind::node) {
      if (tensors > 0 && before != dim + tensors) return;  // not one after the other
      if (tensors == 0) dim = before;
      ++tensors;
      ++at;
    } else if (is_whole_axis(args, at)) {
      at += 4;
    } else {
      return;
    }
    ++before;
  }
  if (tensors + 1 != static_cast<std::int64_t>(call.reads.size())) return;
  call.op = tensors == 1 ? ctq::fn::index_along.id() : ctq::fn::index_pairs.id();
  call.args.assign(call.reads.size(), {.is = kind::node});
  call.args.push_back({.is = kind::integer, .keyword = "dim", .integer = dim});
}

/// x[:, [2, 1, 0]]: whole axes, and integers along one.
void select_each(traced_call& call) {
  const std::vector<argument>& args = call.args;
  if (call.reads.size() != 1 || args.size() < 2 || args[1].is != kind::list) return;
  const std::int64_t count = args[1].integer;
  std::size_t chosen = 0;
  std::int64_t dim = 0;
  bool from_end = false;
  for (std::size_t at = 2, item = 0; at < args.size(); ++item) {
    if (args[at].is == kind::list && chosen == 0 && args[at].integer > 0) {
      chosen = at;
      dim = static_cast<std::int64_t>(item) - (from_end ? count : 0);
      for (std::int64_t left = args[at].integer; left > 0; --left)
        if (args[++at].is != kind::integer) return;
      ++at;
    } else if (args[at].is == kind::ellipsis) {
      from_end = true;
      ++at;
    } else if (is_whole_axis(args, at)) {
      at += 4;
    } else {
      return;
    }
  }
  if (chosen == 0) return;
  const auto first = args.begin() + static_cast<std::ptrdiff_t>(chosen);
  std::vector<argument> index(first, first + 1 + static_cast<std::ptrdiff_t>(first->integer));
  index[0].keyword = "index";
  call.op = ctq::fn::select_each.id();
  call.args = {{.is = kind::node}, {.is = kind::integer, .keyword = "dim", .integer = dim}};
  call.args.insert(call.args.end(), index.begin(), index.end());
}

/// x.to(torch.float32), x.to(torch.long), x.bool(), x.type_as(y), x.to(y). All tensors are in one
/// memory, so that x.to(y.device) and x.cpu() give x.
void name_conversion(traced_call& call, const read_nodes& known) {
  std::string_view type = call.op->name == "bool" ? "bool" : "";
  if (call.reads.size() == 2 && !is_any_of(known.op_of(call.reads[1]), ctq::fn::getattr))
    type = known.are_indices(call.reads[1]) ? "int64" : "float32";
  for (std::size_t i = 1; i < call.args.size(); ++i) {
    const argument& a = call.args[i];
    if (a.is == kind::text && a.text != "cpu") type = a.text;
    if (a.keyword == "memory_format") return;
  }
  if (call.reads.empty() || call.args.empty()) return;
  ctq::op_id to = nullptr;
  if (type.empty()) to = ctq::method::clone.id();
  if (type == "float32") to = ctq::method::float_.id();
  if (type == "int64" || type == "int32") to = ctq::method::long_.id();
  if (type == "bool") to = ctq::fn::ne.id();
  if (to == nullptr) return;
  call.op = to;
  call.args.resize(1);
  call.reads.resize(1);
  if (type == "bool") call.args.push_back({.is = kind::integer, .integer = 0});
}

}  // namespace

void settle_output_size(std::vector<argument>& args, const ctq::shape& in) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool is_size = args[i].keyword == "output_size" || (i == 1 && args[i].keyword.empty());
    const auto count = args[i].is == kind::list ? static_cast<int>(args[i].integer) : 0;
    if (!is_size || count > in.rank) continue;
    for (int axis = 0; axis < count; ++axis)
      if (argument& extent = args[i + 1 + static_cast<std::size_t>(axis)]; extent.is == kind::none)
        extent = {.is = kind::integer, .integer = in[in.rank - count + axis]};
  }
}

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
  } else if (is_any_of(call.op, fn::add, fn::sub, method::add, method::add_, method::sub)) {
    multiply_by_alpha(call);
  } else if (is_any_of(call.op, fn::pad)) {
    drop_zero_pads(call);
  } else if (has_output_size(call.op)) {
    const ctq::shape* const in = call.reads.size() == 1 ? known.shape_of(call.reads[0]) : nullptr;
    if (in != nullptr) settle_output_size(call.args, *in);
  } else if (is_any_of(call.op, fn::einsum)) {
    read_einsum(call, known);
  } else if (is_any_of(call.op, op::getitem)) {
    index_by_tensors(call, known);
    select_each(call);
  } else if (is_any_of(call.op, fn::index_select, method::index_select, fn::gather,
                       method::gather)) {
    take_tensors_first(call);
  } else if (is_any_of(call.op, fn::cosine_similarity, fn::pairwise_distance, fn::cdist)) {
    unname_tensors(call, "x1", "x2");
  } else if (is_any_of(call.op, fn::grid_sample)) {
    unname_tensors(call, "input", "grid");
  } else if (is_any_of(call.op, fn::where)) {
    fill_where(call);
  } else if (is_any_of(call.op, method::masked_fill, method::masked_fill_, fn::masked_fill)) {
    name_value(call);
  } else if (call.op->kind == op_kind::method &&
             (call.op->name == "to" || call.op->name == "type_as" || call.op->name == "cpu" ||
              call.op->name == "type" || call.op->name == "bool")) {
    name_conversion(call, known);
  } else if (is_any_of(call.op, fn::getattr)) {
    read_attribute(call, known);
  } else {
    name_flag(call);
  }
}

}  // namespace tool
