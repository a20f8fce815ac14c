// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "backend_source.hpp"
#include "commands.hpp"
#include "ctq/backends/default_mapping_entries.hpp"
#include "ctq/io/read_fx.hpp"
#include "ctq/json/mapping_file.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/explain/dot.hpp"
#include "ctq/passes/explain/json.hpp"
#include "ctq/passes/explain/markdown.hpp"
#include "ctq/passes/explain/text.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/schedule/schedule.hpp"
#include "import_model.hpp"
#include "read_text.hpp"
#include "report.hpp"
#include "terminal.hpp"

namespace tool {

namespace {

/// A mapping from a file, or the default one of a backend.
class mapping_source {
 public:
  static std::optional<mapping_source> open(const explain_options& options,
                                            const ctq::op_table& ops, std::string_view backend) {
    mapping_source source;
    if (options.mapping.empty()) {
      source.default_ = ctq::default_qconfig_mapping_entries(backend, false);
      if (!source.default_.empty()) return source;
      complain("{} has no default QConfigMapping; name one with --mapping", backend);
      return {};
    }
    const auto text = read_text(options.mapping);
    if (!text) return {};
    source.file_.emplace(*text, ops);
    if (source.file_->valid() && !options.json)
      source.file_.emplace(with_visible_strings(*text), ops);
    if (source.file_->valid()) return source;
    for (const ctq::finding* f : in_order_of_place(source.file_->found(), true))
      print_error(located(options.mapping, *text, *f));
    return {};
  }

  [[nodiscard]] ctq::mapping_view view() const {
    if (file_) return file_->view();
    return {default_.data(), static_cast<int>(default_.size())};
  }

 private:
  ctq::list<ctq::mapping_entry> default_;
  std::optional<ctq::json::mapping_file> file_;
};

std::string printed(const ctq::explained_model& m, const explain_options& options) {
  std::string text;
  if (options.markdown)
    append_markdown(text, m);
  else if (options.json)
    append_json(text, m);
  else if (options.dot)
    append_dot(text, m);
  else
    append_text(text, m);
  return text;
}

}  // namespace

exit_code explain_model(const explain_options& options) {
  const auto text = read_text(options.fx);
  if (!text) return unreadable;
  auto model = ctq::read_fx(*text, ctq::ops<ctq::builtin>::value, options.fx);
  // But for JSON, which has escapes of its own, names are shown as they are printed.
  if (model && !options.json)
    model = ctq::read_fx(with_visible_strings(*text), ctq::ops<ctq::builtin>::value, options.fx);
  if (!model) {
    print_error(fmt::format("{}: error: {}", model.error().place, model.error().cause));
    return findings;
  }
  const auto backend = backend_source::open(options.backend, !options.json);
  if (!backend) return unreadable;
  const ctq::op_table ops{model->own_ops(), ctq::ops<ctq::builtin>::value.builtin};
  const auto mapping = mapping_source::open(options, ops, backend->view().name);
  if (!mapping) return unreadable;

  const ctq::prepare_options prepare{.policy = ctq::unsupported::skip};
  const auto shaped = with_shapes(*model);
  const auto traced = shaped ? shaped->view() : model->view();
  const auto fused = fuse(traced, backend->view());
  const auto prepared = prepare_graph(fused.view(), backend->view(), mapping->view(), prepare);
  if (prepared.problem.any()) {
    std::string words{prepared.problem.message()};
    std::replace(words.begin(), words.end(), '\n', ' ');
    print_error(fmt::format("{}: error: {}", options.fx, words));
    return findings;
  }
  const auto reference = convert_graph(prepared.view(), backend->view(), mapping->view());
  const auto lowered = lower(reference.view());
  const ctq::list<int> into = fused_into(traced, backend->view());
  // What is joined is known of models that can be compiled.
  ctq::dynamic_schedule compiled;
  if (shaped) compiled = schedule(lowered.view(), ctq::scheduling::layers::joined);
  const auto steps = static_cast<int>(compiled.problem.any() ? 0 : compiled.steps.size());
  const ctq::explained_model explained =
      ctq::explain({.traced = traced,
                    .into = {into.data(), static_cast<int>(into.size())},
                    .fused = fused.view(),
                    .prepared = prepared.view(),
                    .lowered = lowered.view(),
                    .steps = {compiled.steps.data(), steps},
                    .backend = backend->view(),
                    .mapping = mapping->view(),
                    .options = prepare});
  fmt::print("{}", printed(explained, options));
  return fine;
}

}  // namespace tool
