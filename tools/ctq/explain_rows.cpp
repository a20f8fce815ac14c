// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explain_rows.hpp"

#include <utility>

#include "ctq/passes/check_compiled_lstm.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/explain/dot.hpp"
#include "ctq/passes/explain/json.hpp"
#include "ctq/passes/explain/markdown.hpp"
#include "ctq/passes/explain/text.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/plan_options.hpp"
#include "ctq/passes/schedule/schedule.hpp"
#include "import_model.hpp"

namespace tool {

namespace {

std::string printed(const ctq::explained_model& m, explain_form form) {
  std::string text;
  switch (form) {
    case explain_form::text: append_text(text, m); break;
    case explain_form::markdown: append_markdown(text, m); break;
    case explain_form::json: append_json(text, m); break;
    case explain_form::dot: append_dot(text, m); break;
  }
  return text;
}

}  // namespace

ctq::result<row_explanation> explain_rows(const ctq::fx_graph& model,
                                          const ctq::backend_view& backend,
                                          const ctq::mapping_view& mapping, explain_form form,
                                          const custom_configs& custom) {
  const ctq::prepare_options prepare{.policy = ctq::unsupported::skip, .custom = custom.prepare};
  const auto shaped = with_shapes(model);
  const auto traced = shaped ? shaped->view() : model.view();
  const auto fused = fuse(traced, backend);
  const auto prepared = prepare_graph(fused.view(), backend, mapping, prepare);
  if (prepared.problem.any()) return ctq::fail({}, in_one_line(prepared.problem));
  const auto reference = convert_graph(prepared.view(), backend, mapping,
                                       {.prepared = prepare, .custom = custom.convert});
  const auto lowered = lower(reference.view());
  const ctq::list<int> into = fused_into(traced, backend);
  // Ops are fused into kernels in models that can be compiled.
  ctq::dynamic_schedule compiled;
  if (shaped) compiled = schedule(lowered.view(), ctq::scheduling::layers::fused);
  const auto steps = static_cast<int>(compiled.problem.any() ? 0 : compiled.steps.size());
  std::string problem;
  if (!shaped) {
    problem = shaped.error().cause;
  } else if (custom.prepare.has_leaves()) {  // which have plans of their own
    problem = in_one_line(
        check_compiled_lstm(prepared.view(), mapping, prepare, custom.convert.custom_modules));
  } else {
    problem = in_one_line(compiled.problem);
  }
  std::string text = printed(ctq::explain({.traced = traced,
                                           .into = {into.data(), static_cast<int>(into.size())},
                                           .fused = fused.view(),
                                           .prepared = prepared.view(),
                                           .lowered = lowered.view(),
                                           .steps = {compiled.steps.data(), steps},
                                           .backend = backend,
                                           .mapping = mapping,
                                           .options = prepare}),
                             form);
  return row_explanation{std::move(text), std::move(problem)};
}

}  // namespace tool
