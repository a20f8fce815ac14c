// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <span>

#include "commands.hpp"
#include "cpp_names.hpp"
#include "ctq/io/replace_file.hpp"
#include "import_model.hpp"
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

/// Writes a file completely or not at all.
exit_code write(const std::string& path, const std::string& text) {
  const signals_deferred until_written;
  auto file = ctq::file_replacement::open(path);
  if (!file) {
    complain("{}", file.error().message());
    return unreadable;
  }
  ctq::status written = file->write(std::as_bytes(std::span{text}));
  if (written) written = file->commit();
  if (written) return fine;
  complain("{}", written.error().message());
  return unwritten;
}

}  // namespace

exit_code import_fx(const import_request& request) {
  if (!request.output.empty() && is_same_file(request.fx, request.output)) {
    complain("{}: the output is the input file", request.output);
    return unreadable;
  }
  const std::string name =
      request.name
          ? *request.name
          : identifier_like(request.fx == "-" ? "model"
                                              : std::filesystem::path(request.fx).stem().string());
  if (const std::string why = identifier_problem(name); !why.empty()) {
    complain("--name \"{}\" {}", name, why);
    return unreadable;
  }
  if (const std::string why = namespace_problem(request.space); !why.empty()) {
    complain("--namespace \"{}\" {}", request.space, why);
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
  const auto text = read_text(request.fx);
  if (!text) return unreadable;
  const std::string source =
      request.fx == "-" ? "standard input" : std::filesystem::path(request.fx).filename().string();
  const auto header = import_model(*text, request.fx == "-" ? "<stdin>" : request.fx, name,
                                   request.space, source, user_ops);
  if (!header) {
    print_error(fmt::format("{}: error: {}", header.error().place, header.error().cause));
    return findings;
  }
  if (!request.output.empty()) return write(request.output, *header);
  fmt::print("{}", *header);
  return fine;
}

}  // namespace tool
