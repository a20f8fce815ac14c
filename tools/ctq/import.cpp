// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/core.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "commands.hpp"
#include "import_model.hpp"
#include "read_text.hpp"

namespace tool {

namespace {

/// A C++ identifier from the name of a file.
std::string identifier(const std::string& path) {
  std::string name = path == "-" ? "model" : std::filesystem::path(path).stem().string();
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "_");
  return name;
}

/// Writes all of a file, or none of it.
bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file.good()) return true;
  fmt::print(stderr, "ctq: {}: {}\n", path, std::strerror(errno));
  return false;
}

}  // namespace

exit_code import_fx(const import_request& request) {
  const auto text = read_text(request.fx);
  if (!text) return unreadable;
  const std::string name = request.name.empty() ? identifier(request.fx) : request.name;
  const std::string source =
      request.fx == "-" ? "standard input" : std::filesystem::path(request.fx).filename().string();
  const auto header = import_model(*text, name, request.space, source);
  if (!header) {
    fmt::print(stderr, "{}: error: {}\n", request.fx, header.error().message());
    return findings;
  }
  if (request.output.empty()) {
    fmt::print("{}", *header);
    return fine;
  }
  return write(request.output, *header) ? fine : unreadable;
}

}  // namespace tool
