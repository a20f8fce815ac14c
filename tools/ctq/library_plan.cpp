// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cpp_names.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/lower/missing_kernel.hpp"
#include "ctq/passes/mapping_names.hpp"
#include "ctq/passes/prepare.hpp"
#include "ctq/passes/schedule/schedule.hpp"
#include "import_model.hpp"

namespace tool {

namespace {

/// A file as a constant ctq::embedded_file, one line of it to a line.
std::string embedded(const std::string& constant, std::string_view file, std::string_view text) {
  std::string code =
      fmt::format("inline constexpr ctq::embedded_file {}{{\n    {},", constant, cpp_string(file));
  while (!text.empty()) {
    const std::size_t line = std::min(text.find('\n'), text.size() - 1) + 1;
    code += fmt::format("\n    {}", cpp_string(text.substr(0, line)));
    text.remove_prefix(line);
  }
  return code + "};\n";
}

}  // namespace

std::string plan_problem(const ctq::graph_view<ctq::stage::traced>& traced,
                         const ctq::backend_view& backend, const ctq::mapping_view& mapping,
                         ctq::unsupported policy) {
  const auto fused = fuse(traced, backend);
  const bool strict = policy == ctq::unsupported::error;
  ctq::diagnostic problem;
  if (strict) problem = check_mapping_names(traced, fused.view(), backend, mapping);
  const auto prepared = prepare_graph(fused.view(), backend, mapping, policy);
  if (!problem.any() && prepared.problem.any()) {
    problem = prepared.problem;
    if (strict)
      problem.line("to keep in float all that the backend cannot quantize:")
          .line("--skip-unsupported");
  }
  if (!problem.any()) {
    const auto reference = convert_graph(prepared.view(), backend, mapping);
    const auto lowered = lower(reference.view());
    if (strict) problem = missing_kernel(lowered.view(), backend);
    if (!problem.any()) problem = schedule(lowered.view(), ctq::scheduling::layers::fused).problem;
  }
  return in_one_line(problem);
}

plan_parts plan_parts_of(const library_request& r) {
  plan_parts parts;
  const auto include = [&parts](std::string_view header) {
    parts.includes += fmt::format("#include <ctq/{}.hpp>\n", header);
  };
  const std::string backend = r.name + "_backend";
  const std::string mapping = r.name + "_mapping";
  if (!r.backend_text) include(fmt::format("backends/{}", r.backend.name));
  if (!r.mapping_text) include("backends/default_qconfig_mappings");
  if (r.mapping_text) include("json/mapping_from_json");
  if (r.backend_text) include("json/spec_from_json");
  include("ops");
  include("passes/plan");
  if (r.backend_text) {
    parts.types += embedded(backend + "_json", r.backend_file, *r.backend_text);
    parts.types += fmt::format("struct {0} : ctq::spec_from_json<{0}_json> {{}};\n\n", backend);
  } else {
    parts.types += fmt::format("using {} = ctq::{};\n", backend, r.backend.name);
  }
  if (r.mapping_text) {
    parts.types += embedded(mapping + "_json", r.mapping_file, *r.mapping_text);
    parts.types += fmt::format("struct {0} : ctq::mapping_from_json<{0}_json> {{}};\n\n", mapping);
  } else {
    parts.types += fmt::format("using {} = ctq::default_qconfig_mapping<{}>;\n", mapping, backend);
  }
  parts.types +=
      fmt::format("using {0}_plan = ctq::plan<{0}_model, {0}_backend, {0}_mapping{1}>;\n", r.name,
                  r.policy == ctq::unsupported::skip ? ", ctq::unsupported::skip" : "");
  return parts;
}

}  // namespace tool
