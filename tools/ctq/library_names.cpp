// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cpp_names.hpp"

namespace tool {

namespace {

/// Names that the class of a library declares, and targets that build systems reserve.
constexpr std::string_view members[] = {
    "arena_bytes", "error", "has_value", "index_problem", "input",        "isa",
    "load",        "name",  "output",    "outputs",       "result",       "run",
    "session",     "shape", "size",      "state",         "value_or_exit"};
constexpr std::string_view targets[] = {
    "all",           "benchmark",      "clean",
    "depend",        "dist",           "edit_cache",
    "help",          "install",        "list_install_components",
    "package",       "package_source", "preinstall",
    "rebuild_cache", "reconfigure",    "test",
    "uninstall"};

/// Constants and types in the header of the plan.
constexpr std::string_view suffixes[] = {"_model",        "_backend", "_mapping", "_backend_json",
                                         "_mapping_json", "_plan",    "_code"};

}  // namespace

std::string library_name_problem(std::string_view name) {
  if (std::string why = identifier_problem(name); !why.empty()) return why;
  for (const std::string_view suffix : suffixes)
    if (const std::string longer = fmt::format("{}{}", name, suffix);
        !identifier_problem(longer).empty())
      return fmt::format("makes {}, which {}", longer, identifier_problem(longer));
  if (std::find(std::begin(members), std::end(members), name) != std::end(members))
    return "is a name that the class of a library declares";
  if (std::find(std::begin(targets), std::end(targets), name) != std::end(targets))
    return "is a name that build systems reserve";
  return {};
}

}  // namespace tool
