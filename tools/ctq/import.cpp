// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "backend_source.hpp"
#include "commands.hpp"
#include "cpp_names.hpp"
#include "ctq/io/replace_file.hpp"
#include "import_library.hpp"
#include "import_model.hpp"
#include "library_names.hpp"
#include "mapping_source.hpp"
#include "read_text.hpp"
#include "terminal.hpp"

namespace tool {

namespace {

/// Blocks signals that end the program while a file is written.
class signals_deferred {
 public:
  signals_deferred() {
    sigset_t ending;
    ::sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
      ::sigaddset(&ending, signal);
    ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  signals_deferred(const signals_deferred&) = delete;
  signals_deferred& operator=(const signals_deferred&) = delete;
  ~signals_deferred() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

/// Whether both are the same file.
bool is_same_file(const std::string& input, const std::string& output) {
  struct stat in {};
  struct stat out {};
  const bool found =
      input == "-" ? ::fstat(STDIN_FILENO, &in) == 0 : ::stat(input.c_str(), &in) == 0;
  return found && S_ISREG(in.st_mode) && ::stat(output.c_str(), &out) == 0 &&
         in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

/// Writes each file completely or not at all, and all of them before it replaces the first.
exit_code write(const std::vector<text_file>& files) {
  const signals_deferred until_written;
  std::vector<ctq::file_replacement> replacements;
  for (const text_file& f : files) {
    auto file = ctq::file_replacement::open(f.name);
    if (!file) {
      complain("{}", file.error().message());
      return unwritten;
    }
    if (const ctq::status s = file->write(std::as_bytes(std::span{f.text})); !s) {
      complain("{}", s.error().message());
      return unwritten;
    }
    replacements.push_back(*std::move(file));
  }
  for (ctq::file_replacement& file : replacements) {
    if (const ctq::status s = file.commit(); !s) {
      complain("{}", s.error().message());
      return unwritten;
    }
  }
  return fine;
}

/// Whether a file that a library would replace was not written by this command.
bool must_be_kept(const std::filesystem::path& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return false;
  if (!std::filesystem::is_regular_file(path, none)) return true;
  std::ifstream file{path};
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("// From ") || line.starts_with("# From "))
      return line.find(library_mark) == line.npos;
  return true;
}

/// Writes the files of a library into its folder, which is created if there is none.
exit_code write_library(const std::filesystem::path& folder, std::vector<text_file> files) {
  std::error_code problem;
  std::filesystem::create_directory(folder, problem);
  if (problem) {
    complain("{}: cannot be created: {}", folder.string(), problem.message());
    return unwritten;
  }
  for (text_file& f : files) {
    f.name = (folder / f.name).string();
    if (!must_be_kept(f.name)) continue;
    complain("{}: is there and was not written {}: choose another folder", f.name, library_mark);
    return unreadable;
  }
  return write(files);
}

/// What import_fx and import_library need alike, checked.
struct named_model {
  std::string name, text, file, source;
};

std::optional<named_model> open_model(const import_request& request,
                                      std::string (*name_problem)(std::string_view)) {
  const bool is_stdin = request.fx == "-";
  named_model model;
  model.name =
      request.name
          ? *request.name
          : identifier_like(is_stdin ? "model" : std::filesystem::path(request.fx).stem().string());
  if (const std::string why = name_problem(model.name); !why.empty()) {
    if (request.name) {
      complain("--name \"{}\" {}", model.name, why);
    } else {
      complain("the file's name \"{}\" {}: choose another one with --name", model.name, why);
    }
    return {};
  }
  if (const std::string why = namespace_problem(request.space); !why.empty()) {
    complain("--namespace \"{}\" {}", request.space, why);
    return {};
  }
  auto text = read_text(request.fx);
  if (!text) return {};
  model.text = *std::move(text);
  model.file = is_stdin ? "<stdin>" : request.fx;
  model.source =
      is_stdin ? "standard input" : std::filesystem::path(request.fx).filename().string();
  return model;
}

exit_code import_as_library(const import_request& request) {
  const auto model = open_model(request, library_name_problem);
  if (!model) return unreadable;
  const auto backend = backend_source::open(request.backend);
  if (!backend) return backend.code();
  const auto mapping =
      mapping_source::open(request.mapping, ctq::ops<ctq::builtin>::value, backend->view().name);
  if (!mapping) return mapping.code();
  const auto file_name = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  auto files = import_library(
      {.rows = model->text,
       .file = model->file,
       .name = model->name,
       .space = request.space,
       .source = model->source,
       .backend = backend->view(),
       .backend_file = file_name(request.backend),
       .backend_text = backend->text(),
       .mapping = mapping->view(),
       .mapping_file = file_name(request.mapping),
       .mapping_text = mapping->text(),
       .policy = request.skips_unsupported ? ctq::unsupported::skip : ctq::unsupported::error});
  if (files) return write_library(request.library, *std::move(files));
  print_error(fmt::format("{}: error: {}", files.error().place, files.error().cause));
  return findings;
}

}  // namespace

exit_code import_fx(const import_request& request) {
  if (!request.library.empty()) return import_as_library(request);
  if (!request.output.empty() && is_same_file(request.fx, request.output)) {
    complain("{}: the output is the input file", request.output);
    return unreadable;
  }
  user_op_names user_ops;
  for (const std::string& pair : request.user_ops) {
    const std::size_t equals = pair.find('=');
    const std::string in_cpp = equals == std::string::npos ? "" : pair.substr(equals + 1);
    if (const std::string why = namespace_problem(in_cpp); equals == 0 || !why.empty()) {
      complain("--user-op \"{}\": write my.Gate=my::gate", pair);
      return unreadable;
    }
    user_ops.emplace(pair.substr(0, equals), in_cpp);
  }
  const auto model = open_model(request, identifier_problem);
  if (!model) return unreadable;
  const auto header =
      import_model(model->text, model->file, model->name, request.space, model->source, user_ops);
  if (!header) {
    print_error(fmt::format("{}: error: {}", header.error().place, header.error().cause));
    return findings;
  }
  if (!request.output.empty()) return write({{request.output, *header}});
  fmt::print("{}", *header);
  return fine;
}

}  // namespace tool
