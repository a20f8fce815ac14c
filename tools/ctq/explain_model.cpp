// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/core.h>

#include "backend_source.hpp"
#include "commands.hpp"
#include "ctq/io/read_fx.hpp"
#include "explain_rows.hpp"
#include "mapping_source.hpp"
#include "read_text.hpp"
#include "terminal.hpp"

namespace tool {

namespace {

explain_form form_of(const explain_options& options) {
  return options.markdown ? explain_form::markdown
         : options.json   ? explain_form::json
         : options.dot    ? explain_form::dot
                          : explain_form::text;
}

}  // namespace

exit_code explain_model(const explain_options& options) {
  const auto text = read_text(options.fx);
  if (!text) return unreadable;
  auto model = ctq::read_fx(*text, ctq::ops<ctq::builtin>::value, options.fx);
  // Names are made visible, except in JSON, which has escapes of its own.
  if (model && !options.json)
    model = ctq::read_fx(with_visible_strings(*text), ctq::ops<ctq::builtin>::value, options.fx);
  if (!model) {
    print_error(fmt::format("{}: error: {}", model.error().place, model.error().cause));
    return findings;
  }
  const auto backend = backend_source::open(options.backend, !options.json);
  if (!backend) return unreadable;
  const ctq::op_table ops{model->own_ops(), ctq::ops<ctq::builtin>::value.builtin};
  const auto mapping =
      mapping_source::open(options.mapping, ops, backend->view().name, !options.json);
  if (!mapping) return unreadable;

  const auto explained = explain_rows(*model, backend->view(), mapping->view(), form_of(options));
  if (!explained) {
    print_error(fmt::format("{}: error: {}", options.fx, explained.error().message()));
    return findings;
  }
  fmt::print("{}", *explained);
  return fine;
}

}  // namespace tool
