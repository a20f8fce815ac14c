// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp_call.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "cpp_names.hpp"
#include "ctq/graph/integers.hpp"
#include "ctq/ops.hpp"
#include "import_options.hpp"
#include "parameter_arguments.hpp"
#include "respelled_calls.hpp"

namespace tool {

namespace {

using ctq::argument;
using kind = ctq::argument::kind;

/// The call, or what its options do not support.
cpp_call with_options(const model_call& call, std::string_view builder,
                      const imported_options& options, bool is_list = false) {
  if (!options.problem.empty())
    return {.problem = fmt::format("calls {}, which {} in ctq", call.op->name, options.problem)};
  return {.code = fmt::format("{}({}{}{}{}{})", builder, is_list ? "{" : "", listed(call.reads),
                              is_list ? "}" : "", options.code.empty() ? "" : ", ", options.code),
          .attrs = options.attrs};
}

/// A function whose parameters are arguments, F.linear(x, weight, bias), or a module that has
/// options of the constructor and of the call.
cpp_call named_call(const model_call& call, std::string_view builder) {
  named_arguments given = name_arguments(call.op, call.args);
  if (!given.problem.empty())
    return {.problem = fmt::format("calls {}, which {} in ctq", call.op->name, given.problem)};
  if (call.op->descriptor->weight_position > 0 && !call.computed_parameter.empty())
    return {.problem = fmt::format(
                "calls {}, whose weight and bias are parameters or buffers in ctq, not what {} "
                "computes",
                call.op->name, call.computed_parameter)};
  given.literals.insert(given.literals.begin(), call.options.begin(), call.options.end());
  return with_options(
      call, builder,
      import_options(call.op, {given.literals.data(), static_cast<int>(given.literals.size())}, 1));
}

/// Whether the call is of a function of two tensors, one of which is a number: x + 0.5.
bool has_number(const model_call& call) {
  const ctq::view<argument>& all = call.args;
  return call.op->descriptor->schedule.with_number != nullptr && all.size() == 2 &&
         call.reads.size() == 1 && all[0].keyword.empty() && all[1].keyword.empty() &&
         (is_number(all[0]) || is_number(all[1]));
}

cpp_call number_call(const model_call& call, std::string_view builder) {
  ctq::scalar_operand number{.position = call.args[0].is == kind::node ? 2 : 1};
  const argument& given = call.args[number.position - 1];
  const bool compares =
      gives_integers_if(*call.op->descriptor) == ctq::integers_if::never_but_a_mask;
  if (!read_operand(given, call.of_integers, number.value) ||
      (std::isinf(number.value) && !compares))
    return {.problem =
                fmt::format("calls {}, which cannot have the number {}{}", call.op->name,
                            shown_argument(given), call.of_integers ? " with integers" : "")};
  const std::string in_cpp = cpp_number(number.value);
  const std::string tensor = listed(call.reads);
  return {.code = number.position == 1 ? fmt::format("{}({}, {})", builder, in_cpp, tensor)
                                       : fmt::format("{}({}, {})", builder, tensor, in_cpp),
          .attrs = ctq::attributes{number}};
}

/// Whether the argument is a tensor, or a list of tensors.
bool is_tensor(const ctq::view<argument>& all, int at) {
  if (!all[at].keyword.empty()) return false;
  if (all[at].is == kind::node) return true;
  if (all[at].is != kind::list) return false;
  for (int e = 1; e <= all[at].integer; ++e)
    if (all[at + e].is != kind::node) return false;
  return all[at].integer > 0;
}

/// Tensors, then options; those of a module are from its constructor.
cpp_call plain_call(const model_call& call, std::string_view builder, bool is_user) {
  const bool is_module = call.op->kind == ctq::op_kind::module;
  const ctq::view<argument>& all = call.args;
  int tensors = 0;  // arguments that come before the options
  int at = 0;
  bool is_list = false;
  while (at < all.size() && is_tensor(all, at)) {
    is_list = is_list || (at == 0 && all[at].is == kind::list);  // not the states of an LSTM
    at += all[at].is == kind::list ? static_cast<int>(all[at].integer) + 1 : 1;
    ++tensors;
  }
  std::vector<argument> of_module;
  if (is_module) {
    for (int k = at; k < all.size(); ++k)
      if (all[k].is != kind::none)
        return {.problem = fmt::format(
                    "calls {} with {}, which models in C++ have no place for; "
                    "tools/export_fx.py writes output_size as output_padding",
                    call.op->name,
                    all[k].keyword.empty() ? "an argument beside its tensors" : all[k].keyword)};
    of_module.assign(call.options.begin(), call.options.end());
    if (call.in != nullptr) settle_output_size(of_module, *call.in);
  }
  const ctq::view<argument> literals =
      is_module ? ctq::view<argument>{of_module.data(), static_cast<int>(of_module.size())}
                : ctq::view<argument>{all.items + at, all.count - at};
  // Options are counted from 1, however many tensors come before them.
  return with_options(call, builder,
                      is_user ? import_user_options(literals)
                              : import_options(call.op, literals, is_module || tensors > 0 ? 1 : 0),
                      is_list);
}

}  // namespace

namespace {

/// What to do instead of a call of an op that ctq does not have.
std::string advice_for(std::string_view op) {
  if (op == "item" || op == "tolist" || op == "numpy")
    return "it gives values of a tensor to Python, and values that depend on data are not known "
           "when a model is compiled; compute with the tensor itself, x / y.max() instead of "
           "x / y.max().item()";
  if (op.find("nn.Transformer") != std::string_view::npos)
    return "tools/export_fx.py writes its nn.TransformerEncoderLayer and "
           "nn.TransformerDecoderLayer, if they are not classes of your own";
  return "write it as an op of your own, --user-op, or with other ops";
}

}  // namespace

cpp_call write_call(const model_call& call, const user_op_names& user_ops) {
  const ctq::op_id op = call.op;
  std::string builder{builder_of(op)};
  const auto user = user_ops.find(op->name);
  const bool is_user = builder.empty() && user != user_ops.end();
  if (is_user) builder = "::" + user->second;
  if (builder.empty())
    return {.problem = fmt::format("calls {}, which ctq has no op for; {}", op->name,
                                   advice_for(op->name))};
  // That compiled models do not have it is said when they are linked, whatever its options are.
  if (!is_user && op->descriptor->infer_shape == nullptr) return {.code = builder + "()"};
  if ((!is_user && op->descriptor->weight_position > 0) || has_named_arguments(op))
    return named_call(call, builder);
  if (is_any_of(op, ctq::fn::einsum) && call.args.size() > 0 && call.args[0].is == kind::text)
    return {.problem = fmt::format(
                "calls {}, which has an equation of two tensors of known shapes, without repeated "
                "letters, in ctq",
                op->name)};
  if (is_any_of(op, ctq::op::getitem) && call.reads.size() > 1)
    return {.problem = fmt::format(
                "calls {}, which has one tensor of integers as an index in ctq, or two of adjacent "
                "axes, beside whole axes; tools/export_fx.py writes other indices with these; the "
                "shape of what a mask selects is not known",
                op->name)};
  if (has_number(call)) return number_call(call, builder);
  return plain_call(call, builder, is_user);
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string all;
  for (const std::string_view name : names)
    all += fmt::format("{}{}_n", all.empty() ? "" : ", ", cpp_string(name));
  return all;
}

}  // namespace tool
