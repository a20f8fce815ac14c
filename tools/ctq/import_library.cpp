// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "import_library.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "class_tensors.hpp"
#include "cpp_names.hpp"
#include "ctq/io/read_fx.hpp"
#include "import_model.hpp"
#include "library_forms.hpp"
#include "library_names.hpp"
#include "library_plan.hpp"

namespace tool {

namespace {

struct substitution {
  std::string_view key;  // @NAME@, @SPACE@ and the like
  std::string value;
};

/// A form with all substitutions. No key is @INPUT@ or @OUTPUT@, which Meson replaces.
std::string filled(std::string_view form, const std::vector<substitution>& with) {
  std::string text;
  while (!form.empty()) {
    const std::size_t at = std::min(form.find('@'), form.size());
    text += form.substr(0, at);
    form.remove_prefix(at);
    const auto found = std::find_if(with.begin(), with.end(), [&form](const substitution& s) {
      return form.starts_with(s.key);
    });
    if (found != with.end()) {
      text += found->value;
      form.remove_prefix(found->key.size());
    } else if (!form.empty()) {
      text += '@';
      form.remove_prefix(1);
    }
  }
  return text;
}

std::vector<substitution> substitutions_for(const library_request& r,
                                            const class_tensors& tensors) {
  const bool reads_indices = tensors.read_indices();
  const class_tensors inputs{tensors.in, {}};
  const std::string input_spans = each(inputs, ", ", "std::span<const {3}, {0}::size> {1}", "");
  const std::string from = each(inputs, ", ", "{1}.data()", "");
  return {
      {"@SOURCE@", cpp_comment(r.source)},
      {"@BACKEND@", cpp_comment(r.backend.name)},
      {"@NAME@", r.name},
      {"@SPACE@", r.space},
      {"@OPEN@", fmt::format("namespace {} {{\n", r.space)},
      {"@CLOSE@", fmt::format("}}  // namespace {}", r.space)},
      {"@CSTDINT@", tensors.have_indices() ? "#include <cstdint>\n" : ""},
      {"@INDICES@", tensors.have_indices()
                        ? "\n  /// An index that is no row of its table looks up a row of NaN."
                        : ""},
      {"@TENSORS@", declared(tensors)},
      {"@RESULT@", tensors.out.size() == 1 ? "output" : "outputs"},
      {"@SPANS@",
       each(tensors, ", ", "std::span<const {3}, {0}::size> {1}", "std::span<{3}, {0}::size> {1}")},
      {"@INDEX_PROBLEM@",
       reads_indices ? fmt::format(fmt::runtime(index_problem_form), input_spans) : ""},
      {"@INDEX_PROBLEM_HELPER@", std::string{reads_indices ? index_problem_helper : ""}},
      {"@INDEX_PROBLEM_CODE@",
       reads_indices ? fmt::format(fmt::runtime(index_problem_code_form), r.name, input_spans, from)
                     : ""},
      {"@INPUTS@", each(inputs, ", ", "const {0}& {1}", "")},
      {"@VALUES@", each(tensors, ", ", "{1}.values",
                        tensors.out.size() == 1 ? "out.values" : "out.{2}.values")},
      {"@VARIABLES@", each(tensors, ", ", "{1}", "{1}")},
      {"@FROM@", from},
      {"@TO@", each({{}, tensors.out}, ", ", "", "{1}.data()")},
      {"@SAME_TENSORS@", same_tensors(r.name, tensors)},
  };
}

}  // namespace

ctq::result<std::vector<text_file>> import_library(const library_request& r) {
  if (std::string why = library_name_problem(r.name); !why.empty()) return ctq::fail(r.name, why);
  const plan_parts parts = plan_parts_of(r);
  auto model = import_model(r.rows, r.file, r.name + "_model", r.space, r.source, {},
                            {.includes = parts.includes, .command = "ctq import --library"});
  if (!model) return ctq::unexpected{model.error()};
  const auto rows = ctq::read_fx(r.rows, ctq::ops<ctq::builtin>::value, r.file);
  if (!rows) return ctq::unexpected{rows.error()};
  const auto shaped = with_shapes(*rows);
  if (!shaped) return ctq::fail(r.file, shaped.error().cause);
  const auto traced = shaped->view();
  if (std::string why = plan_problem(traced, r.backend, r.mapping, r.policy); !why.empty())
    return ctq::fail(r.file, why);

  const class_tensors tensors = tensors_of(traced);
  if (tensors.in.empty() || tensors.out.empty())
    return ctq::fail(r.file, "has no input or no output");
  for (const std::vector<class_tensor>* all : {&tensors.in, &tensors.out})
    for (const class_tensor& t : *all)
      if (t.type == r.name) return ctq::fail(r.name, "is a name that the class declares");
  const std::vector<substitution> with = substitutions_for(r, tensors);
  const std::string plan_end =
      fmt::format("\nnamespace {} {{\n\n{}\n}}  // namespace {}\n", r.space, parts.types, r.space);
  return std::vector<text_file>{{r.name + ".hpp", filled(class_form, with)},
                                {r.name + "_plan.hpp", *model + plan_end},
                                {r.name + ".cpp", filled(code_form, with)},
                                {"meson.build", filled(meson_form, with)},
                                {"CMakeLists.txt", filled(cmake_form, with)}};
}

}  // namespace tool
