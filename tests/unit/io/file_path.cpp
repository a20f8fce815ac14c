// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/file_path.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>

TEST_CASE("anything that names a file is a file_path") {
  const auto name = [](const ctq::file_path& path) { return path.string(); };
  CHECK(name("a/b.bin") == "a/b.bin");
  CHECK(name(std::string{"a/b.bin"}) == "a/b.bin");
  CHECK(name(std::string_view{"a/b.bin and more"}.substr(0, 7)) == "a/b.bin");
  CHECK(name(std::filesystem::path{"a"} / "b.bin") == "a/b.bin");
  CHECK(std::string{ctq::file_path{"a"}.c_str()} == "a");
}

TEST_CASE("the name without its directories") {
  CHECK(ctq::file_path{"a/b/c.bin"}.filename() == "c.bin");
  CHECK(ctq::file_path{"c.bin"}.filename() == "c.bin");
  CHECK(ctq::file_path{"a/"}.filename().empty());
}

TEST_CASE("names that the system cannot open are errors") {
  const auto problem = [](const ctq::file_path& path) {
    const ctq::status ok = path.check();
    return ok ? "" : ok.error().message();
  };
  CHECK(problem("a.bin").empty());
  CHECK(problem("") == "file name: is empty");
  CHECK(problem(static_cast<const char*>(nullptr)) == "file name: is empty");
  CHECK(problem(std::string("a.bin\0/b", 8)) == "file name: has a zero byte after a.bin");
}
