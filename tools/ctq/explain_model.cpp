// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

#include "backend_source.hpp"
#include "builtin_backends.hpp"
#include "commands.hpp"
#include "ctq/io/read_fx.hpp"
#include "ctq/json/custom_config/file.hpp"
#include "explain_rows.hpp"
#include "import_model.hpp"
#include "mapping_source.hpp"
#include "opened.hpp"
#include "read_text.hpp"
#include "report.hpp"
#include "terminal.hpp"

namespace tool {

namespace {

/// A custom config from a file, or an empty one if no file is named.
opened<ctq::json::custom_config_file> open_custom_config(const std::string& file,
                                                         ctq::json::custom_config_kind kind,
                                                         const ctq::op_table& ops, bool shown) {
  const auto read = [&](std::string_view text) {
    const auto known = builtin_backends();
    return ctq::json::custom_config_file{
        text, kind, ops, {known.data(), static_cast<int>(known.size())}};
  };
  if (file.empty()) return read("{}");
  const auto text = read_text(file);
  if (!text) return unreadable;
  auto config = read(*text);
  if (config.valid()) return shown ? read(with_visible_strings(*text)) : std::move(config);
  for (const ctq::finding* f : in_order_of_place(config.found(), true))
    print_error(located(file, *text, *f));
  return findings;
}

void print_not_compiled(std::string_view place, std::string_view why) {
  print_error(fmt::format("{}: note: not a compiled model: {}", place, why));
}

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
  if (!backend) return backend.code();
  using ctq::json::custom_config_kind;
  const auto builtin = ctq::ops<ctq::builtin>::value.builtin;
  const auto prepare =
      open_custom_config(options.prepare_custom_config, custom_config_kind::prepare,
                         {model->own_ops(), builtin}, !options.json);
  if (!prepare) return prepare.code();
  const ctq::op_table ops{prepare->own_ops(), builtin};
  const auto convert = open_custom_config(options.convert_custom_config,
                                          custom_config_kind::convert, ops, !options.json);
  if (!convert) return convert.code();
  const auto mapping =
      mapping_source::open(options.mapping, ops, backend->view().name, !options.json);
  if (!mapping) return mapping.code();

  const auto explained = explain_rows(*model, backend->view(), mapping->view(), form_of(options),
                                      {prepare->prepare(), convert->convert()});
  if (!explained) {
    print_error(fmt::format("{}: error: {}", options.fx, explained.error().message()));
    return findings;
  }
  fmt::print("{}", explained->text);
  // What ctq import says, at the same place.
  const auto imported = import_model(*text, options.fx, "net", "models", options.fx);
  if (!imported) {
    print_not_compiled(imported.error().place, imported.error().cause);
  } else if (!explained->problem.empty()) {
    print_not_compiled(options.fx, explained->problem);
  }
  return fine;
}

}  // namespace tool
