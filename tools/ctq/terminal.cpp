// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "ctq/json/string.hpp"
#include "ctq/json/visible.hpp"

namespace tool {

bool uses_colour() {
  const char* const no = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool plain = (no != nullptr && *no != '\0') ||
                     (terminal != nullptr && std::string_view{terminal} == "dumb");
  return !plain && ::isatty(STDOUT_FILENO) == 1;
}

std::string visible(std::string_view text) {
  std::string out;
  ctq::json::append_visible(out, text);
  return out;
}

std::string with_visible_strings(std::string_view json) {
  std::string out;
  while (!json.empty()) {
    const std::size_t quote = std::min(json.find('"'), json.size());
    out += json.substr(0, quote);
    json.remove_prefix(quote);
    if (json.empty()) break;
    std::size_t end = 1;
    while (json[end] != '"') end += json[end] == '\\' ? 2 : 1;
    std::string text;
    ctq::json::append_unescaped(text, json.substr(1, end - 1));
    ctq::json::append_string(out, visible(text));
    json.remove_prefix(end + 1);
  }
  return out;
}

int flush_output() {
  static int problem = 0;
  const bool failed = std::ferror(stdout) != 0;
  errno = 0;
  if ((std::fflush(stdout) != 0 || failed) && problem == 0) problem = errno != 0 ? errno : EIO;
  return problem;
}

void print_error(std::string_view line) {
  std::string text = visible(line);
  text += '\n';
  // Errors of standard error cannot be reported.
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

}  // namespace tool
