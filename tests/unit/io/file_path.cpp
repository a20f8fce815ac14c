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
