// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

// The subcommands of ctq. Results go to standard output, everything else to standard error.

namespace tool {

/// The exit code, by one rule for all commands.
enum exit_code {
  fine = 0,
  findings = 1,    // something is wrong in the text of an input, or two specs differ
  unwritten = 1,   // the result could not be written
  unreadable = 2,  // an argument is wrong, or an input could not be read
};

struct check_options {
  std::vector<std::string> files;  // "-": standard input
  bool errors_only = false;
  bool json = false;
};
exit_code check(const check_options& options);

struct show_options {
  std::string backend;  // a built-in name, or a file
  std::string op;       // only the patterns that contain it; empty: all
  bool markdown = false;
  bool json = false;
};
exit_code show(const show_options& options);

/// Prints what has to change in `from` to get `to`; each a built-in name, or a file.
exit_code diff(const std::string& from, const std::string& to);

/// Explains a rule by its name, or lists all for "".
exit_code explain(const std::string& rule);

struct explain_options {
  std::string fx;                     // a model that torch.fx traced
  std::string backend;                // a built-in name, or a file
  std::string mapping;                // a file; empty: the backend's default QConfigMapping
  std::string prepare_custom_config;  // a file; empty: none
  std::string convert_custom_config;  // the same
  bool markdown = false;
  bool json = false;
  bool dot = false;
};
/// Prints for each node of a model how it is quantized, and why.
exit_code explain_model(const explain_options& options);

struct import_request {
  std::string fx;                   // a model that torch.fx traced
  std::string output;               // a file; empty: standard output
  std::optional<std::string> name;  // of the model in C++; none: like the file's
  std::string space = "models";
  std::vector<std::string> user_ops;  // "my.Gate=my::gate"
  std::string library;                // a folder; empty: only the header
  std::string backend, mapping;       // of the library, as explain_options
  bool skips_unsupported = false;     // of the library: unsupported::skip, not error
};
/// Writes a model that torch.fx traced as a C++ header, or as a library.
exit_code import_fx(const import_request& request);

}  // namespace tool
