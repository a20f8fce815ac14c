// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ctq checks, shows and compares backend specs on the command line, and explains how a model that
// PyTorch traced is quantized. Rules and messages are those of the compile-time checks: the code is
// the same.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <exception>
#include <sstream>
#include <system_error>

#include "commands.hpp"
#include "terminal.hpp"

namespace {

constexpr const char* footer =
    "Exit status: 0 success; 1 something is wrong in a file that was read, specs differ, or the\n"
    "output cannot be written; 2 an argument is wrong, or a file cannot be read.\n"
    "A BACKEND is native, fbgemm, x86, qnnpack, onednn, executorch, tensorrt, or a JSON file.";

const CLI::Validator not_empty{
    [](const std::string& path) { return path.empty() ? "the name is empty" : ""; }, ""};

/// The command line, parsed but not executed.
struct command_line {
  CLI::App app{"Backend specs and models for compile-time quantization.", "ctq"};
  tool::check_options check;
  tool::show_options show;
  tool::explain_options explain;
  tool::import_request request;
  std::string from, to, rule;
  CLI::App* check_command = app.add_subcommand(
      "check",
      "Find mistakes in backends, QConfigMappings and custom configs (FILE:LINE:COLUMN: error: ... "
      "[rule])");
  CLI::App* show_command = app.add_subcommand("show", "Show the patterns of a backend");
  CLI::App* diff_command = app.add_subcommand("diff", "Say how one backend differs from another");
  CLI::App* explain_command = app.add_subcommand(
      "explain", "Explain a rule, or list all; or what becomes of each node of a model");
  CLI::App* import_command = app.add_subcommand(
      "import", "Write a model that torch.fx traced as a C++ header, or as a library");

  command_line() {
    app.footer(footer);
    app.require_subcommand(1);
    app.set_version_flag("--version", "ctq " CTQ_VERSION);
    check_command->add_option("FILE", check.files, "JSON files; - is standard input")->required();
    check_command->add_flag("--errors-only", check.errors_only, "do not report warnings");
    check_command->add_flag("--json", check.json,
                            "print an array of {file, line, column, severity, rule, message}");
    show_command->add_option("BACKEND", show.backend, "a backend's name, or a JSON file")
        ->required();
    show_command->add_option("--op", show.op,
                             "only patterns with this op (nn.Conv2d, F.relu, ...)");
    auto* markdown = show_command->add_flag("--markdown", show.markdown, "a table in Markdown");
    show_command->add_flag("--json", show.json, "print the spec as JSON, for example as a template")
        ->excludes(markdown);
    diff_command->add_option("A", from, "a backend's name, or a JSON file")->required();
    diff_command->add_option("B", to, "the backend to compare A with")->required();
    add_explain_options();
    add_import_options();
  }

  void add_explain_options() {
    auto* named = explain_command->add_option("RULE", rule, "the name in brackets after a finding");
    auto* fx = explain_command->add_option("--fx", explain.fx,
                                           "a traced model, as written by tools/export_fx.py");
    fx->excludes(named);
    const auto with_model = [fx](CLI::Option* option) {
      option->needs(fx);
      return option;
    };
    fx->needs(with_model(explain_command->add_option("--backend", explain.backend,
                                                     "a backend's name, or a JSON file")));
    with_model(explain_command->add_option(
        "--mapping", explain.mapping, "a QConfigMapping in JSON; else the backend's default one"));
    with_model(explain_command->add_option("--prepare-custom-config", explain.prepare_custom_config,
                                           "a PrepareCustomConfig in JSON"));
    with_model(explain_command->add_option("--convert-custom-config", explain.convert_custom_config,
                                           "a ConvertCustomConfig in JSON"));
    auto* markdown =
        with_model(explain_command->add_flag("--markdown", explain.markdown, "tables in Markdown"));
    auto* json = with_model(explain_command->add_flag("--json", explain.json, "all as JSON"));
    json->excludes(markdown);
    with_model(explain_command->add_flag("--dot", explain.dot, "a picture, for Graphviz"))
        ->excludes(markdown)
        ->excludes(json);
  }

  void add_import_options() {
    import_command
        ->add_option("--fx", request.fx, "the model: what tools/export_fx.py writes of it")
        ->required();
    auto* output = import_command->add_option("-o,--output", request.output,
                                              "the header; else standard output");
    import_command->add_option("--name", request.name,
                               "of the constant, or of the library's class; else the file's");
    import_command->add_option("--namespace", request.space, "around it")->capture_default_str();
    auto* user_op = import_command->add_option(
        "--user-op", request.user_ops,
        "an op of your own, its name in PyTorch and in C++: my.Gate=my::gate; for each");
    auto* library = import_command->add_option(
        "--library", request.library,
        "a folder for a library: a class without templates, its code for all instruction sets, and "
        "files for Meson and CMake");
    output->check(not_empty);
    library->excludes(output)->excludes(user_op)->check(not_empty);
    auto* backend = import_command->add_option("--backend", request.backend,
                                               "of the library: a backend's name, or a JSON file");
    library->needs(backend);
    backend->needs(library);
    import_command
        ->add_option("--mapping", request.mapping,
                     "of the library: a QConfigMapping in JSON; else the backend's default one")
        ->needs(library);
    import_command
        ->add_flag(
            "--skip-unsupported", request.skips_unsupported,
            "of the library: what the backend cannot quantize stays in float; else it is an error")
        ->needs(library);
  }

  [[nodiscard]] tool::exit_code run() const {
    if (check_command->parsed()) return tool::check(check);
    if (show_command->parsed()) return tool::show(show);
    if (diff_command->parsed()) return tool::diff(from, to);
    if (import_command->parsed()) return tool::import_fx(request);
    return explain.fx.empty() ? tool::explain(rule) : tool::explain_model(explain);
  }
};

/// Reopens closed standard streams, so that no file gets their descriptors. Reading and writing
/// them is an error.
void occupy_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0)
      static_cast<void>(::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

tool::exit_code unwritten(int reason) {
  tool::complain("standard output cannot be written: {}", std::strerror(reason));
  return tool::unwritten;
}

/// Whether the result was written completely: a closed or full standard output is an error.
tool::exit_code finish(tool::exit_code code) {
  const int problem = tool::flush_output();
  return problem == 0 ? code : unwritten(problem);
}

/// CLI11's help or error, with visible characters.
tool::exit_code say(const CLI::App& app, const CLI::ParseError& e) {
  std::ostringstream help, error;
  const int code = app.exit(e, help, error);
  std::istringstream lines(error.str());
  for (std::string line; std::getline(lines, line);) tool::print_error(line);
  std::fwrite(help.str().data(), 1, help.str().size(), stdout);
  return code == 0 ? tool::fine : tool::unreadable;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  try {
    command_line line;
    const auto is_given = [&](const CLI::App* c) { return c->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && line.app.get_subcommands(is_given).empty()) {
      tool::complain("{} is not a command of ctq; ctq --help lists them", argv[1]);
      return tool::unreadable;
    }
    try {
      line.app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
      return finish(say(line.app, e));
    }
    return finish(line.run());
  } catch (const std::system_error& e) {  // {fmt}'s, of standard output
    return unwritten(e.code().value());
  } catch (const std::exception& e) {
    tool::complain("{}", e.what());
    return tool::unreadable;
  }
}
