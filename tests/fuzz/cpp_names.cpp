// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libFuzzer target: whatever a name is, the reader of a generated header sees it, and nothing else
// comes of it.
//
// Each input is written as a string literal and as a comment and read back as C++ reads them: three
// phases of translation, with trigraphs. Every few seconds a compiler reads them, too
// (-fsyntax-only): a model whose nodes have the names of the last inputs, and the identifiers that
// were accepted.
//   CTQ_FUZZ_COMPILER, CTQ_FUZZ_INCLUDE  the compiler and the folder of ctq's headers (macros)

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ctq/json/string.hpp"
#include "fuzz.hpp"
#include "tools/ctq/cpp_names.hpp"
#include "tools/ctq/import_model.hpp"

using fuzzing::require;

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// Trigraphs, then lines that are continued.
std::string after_two_phases(std::string text) {
  constexpr std::string_view from = "=/'()!<>-", to = "#\\^[]|{}~";
  for (std::size_t i = 0; i < from.size(); ++i)
    replace_all(text, std::string{"??"} + from[i], to.substr(i, 1));
  replace_all(text, "\\\n", "");
  return text;
}

/// What a string literal means; nothing if the text is not one literal and nothing else.
std::optional<std::string> meaning(const std::string& literal) {
  const std::string text = after_two_phases(literal);
  std::string out;
  std::size_t at = 1;
  if (text.size() < 2 || text[0] != '"') return {};
  for (; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\n' || static_cast<unsigned char>(text[at]) >= 0x80) return {};
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    ++at;
    if (text[at] >= '0' && text[at] <= '7') {
      int code = 0;
      for (int digits = 0; digits < 3 && text[at] >= '0' && text[at] <= '7'; ++digits, ++at)
        code = code * 8 + (text[at] - '0');
      if (code > 255) return {};
      out += static_cast<char>(code);
      --at;
    } else if (text[at] == '?' || text[at] == '"' || text[at] == '\\') {
      out += text[at];
    } else {
      return {};
    }
  }
  if (at + 1 != text.size()) return {};
  return out;
}

/// The text in octal, which needs no thought.
std::string octal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  return out + '"';
}

class compiled_names {
 public:
  void add(std::string_view text) {
    // As many as compilers take steps for in one constant.
    if (names_.size() < 300 && bytes_ + text.size() < 20'000 && ctq::json::is_utf8(text))
      bytes_ += names_.emplace(text).second ? text.size() : 0;
    if (identifiers_.size() < 300 && tool::identifier_problem(text).empty())
      identifiers_.emplace(text);
    if (spaces_.size() < 100 && tool::namespace_problem(text).empty()) spaces_.emplace(text);
    if (std::chrono::steady_clock::now() < next_) return;
    compile();
    names_.clear();
    bytes_ = 0;
    next_ = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  }

 private:
  void compile() {
    std::string rows = R"([{"name": "x", "op": "placeholder", "target": "x", "shape": [1, 4]})";
    std::string wanted;
    std::string last = "x";
    std::set<std::string> all = names_;
    for (const char* const taken : {"x", "output"}) all.erase(taken);
    for (const std::string& name : all) {
      rows += ",\n{\"op\": \"call_function\", \"target\": \"F.relu\", \"name\": ";
      ctq::json::append_string(rows, name);
      rows += ", \"args\": [{\"n\": ";
      ctq::json::append_string(rows, last);
      rows += "}]}";
      wanted += fmt::format(", {{{}, {}}}", octal(name), name.size());
      last = name;
    }
    rows +=
        ",\n{\"name\": \"output\", \"op\": \"output\", \"target\": \"output\", \"args\": [{\"n\": ";
    ctq::json::append_string(rows, last);
    rows += "}]}]";
    const std::string source = all.empty() ? "none" : *all.begin();
    const auto header = tool::import_model(rows, "names.json", "net", "models", source);
    require(header.has_value());
    std::string text = *header;
    replace_all(text, "#pragma once\n", "");
    for (const std::string& name : identifiers_)
      text += fmt::format("namespace one_{} {{ inline constexpr auto {} = 1; }}\n", count_++, name);
    // Inside another one: at the top, functions of the C library may have the name.
    for (const std::string& name : spaces_)
      text += fmt::format(
          "namespace in_{0} {{ namespace {1} {{ namespace nn = ctq::nn; constexpr int i = 1; }} "
          "}}\n",
          count_++, name);
    text += fmt::format(
        "constexpr std::string_view wanted[] = {{\"x\"{}, \"output\"}};\n"
        "constexpr bool same() {{\n"
        "  const auto g = models::net.view();\n"
        "  if (models::net.problem.any() || g.size() != {}) return false;\n"
        "  for (int i = 0; i < g.size(); ++i) if (g[i].name != wanted[i]) return false;\n"
        "  return true;\n}}\nstatic_assert(same());\n",
        wanted, all.size() + 2);
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("ctq-names-{}.cpp", ::getpid());
    std::ofstream{path, std::ios::binary} << text;
    const std::string command =
        fmt::format("{} -std=gnu++20 -trigraphs -Wno-trigraphs -fsyntax-only -I{} {}",
                    CTQ_FUZZ_COMPILER, CTQ_FUZZ_INCLUDE, path.string());
    const int code = std::system(command.c_str());
    if (code != 0) std::fprintf(stderr, "%s\n", text.c_str());
    require(code == 0);
    std::filesystem::remove(path);
    std::fprintf(stderr, "compiled %zu names, %zu identifiers, %zu namespaces\n", all.size(),
                 identifiers_.size(), spaces_.size());
  }

  std::set<std::string> names_, identifiers_, spaces_;
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + std::chrono::seconds{5};
  std::size_t bytes_ = 0;  // of the names
  int count_ = 0;
};

/// The bytes of a number, and a literal that means it.
void check_numbers(const std::uint8_t* data, std::size_t size) {
  float x = 0;
  if (size < sizeof(x)) return;
  std::memcpy(&x, data, sizeof(x));
  if (!std::isfinite(x)) return;
  const std::string text = tool::cpp_number(x);
  char* end = nullptr;
  require(std::strtof(text.c_str(), &end) == x && end[0] == 'F' && end[1] == '\0');
  require(text.find_first_of(".e") != text.npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::count(size);
  const std::string_view text = fuzzing::text_of(data, size);
  require(meaning(tool::cpp_string(text)) == text);
  const std::string comment = after_two_phases("// " + tool::cpp_comment(text) + "\n");
  require(comment.find('\n') == comment.size() - 1);
  require(tool::identifier_problem(tool::identifier_like(text)).empty());
  require(tool::namespace_problem("models::" + tool::identifier_like(text)).empty());
  check_numbers(data, size);
  static compiled_names names;
  names.add(text);
  return 0;
}
