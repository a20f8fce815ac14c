// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/passes/prepare_options.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

namespace tool {

/// A generated file.
struct text_file {
  std::string name;  // without folders
  std::string text;
};

/// What a library is made of.
struct library_request {
  std::string_view rows;  // as import_model
  std::string file, name, space, source;
  ctq::backend_view backend;
  std::string backend_file;                      // its name, if it is not built in
  std::optional<std::string_view> backend_text;  // its contents
  ctq::mapping_view mapping;
  std::string mapping_file;
  std::optional<std::string_view> mapping_text;  // nothing: the default mapping of the backend
  ctq::unsupported policy;
};

/// The first line of every generated file contains it.
inline constexpr std::string_view library_mark = "by ctq import --library";

/// A library for a network: NAME.hpp with a class that needs no header of ctq, NAME_plan.hpp with
/// the model and its plan, NAME.cpp with the code, and a meson.build and a CMakeLists.txt that
/// compile it for each instruction set.
/// Errors  as import_model; a model that the backend cannot quantize as the mapping asks
[[nodiscard]] ctq::result<std::vector<text_file>> import_library(const library_request& request);

}  // namespace tool
