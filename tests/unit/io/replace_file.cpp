// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/replace_file.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

namespace {

namespace fs = std::filesystem;

/// A directory that is gone at the end.
struct scratch {
  fs::path path = fs::temp_directory_path() / ctq::sentence("ctq-replace-", ::getpid());

  scratch() { fs::create_directory(path); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { fs::remove_all(path); }

  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator{path}, fs::directory_iterator{});
  }
};

std::string text_of(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

ctq::status replace(const fs::path& path, std::string_view text) {
  auto file = ctq::file_replacement::open(path);
  if (!file) return ctq::unexpected{file.error()};
  if (ctq::status written = file->write(std::as_bytes(std::span{text})); !written) return written;
  return file->commit();
}

}  // namespace

TEST_CASE("a file is made, then replaced; nothing else stays in its directory") {
  const scratch dir;
  const fs::path path = dir.path / "a.txt";
  REQUIRE(replace(path, "one"));
  CHECK(text_of(path) == "one");
  REQUIRE(replace(path, "second"));
  CHECK(text_of(path) == "second");
  CHECK(dir.files() == 1);
}

TEST_CASE("until commit the old file is there, and without commit it stays") {
  const scratch dir;
  const fs::path path = dir.path / "a.txt";
  REQUIRE(replace(path, "old"));
  {
    auto file = ctq::file_replacement::open(path);
    REQUIRE(file);
    REQUIRE(file->write(std::as_bytes(std::span{"new", 3})));
    CHECK(text_of(path) == "old");
  }
  CHECK(text_of(path) == "old");
  CHECK(dir.files() == 1);
}

TEST_CASE("a file that grows beyond what there is room for leaves the old one as it was") {
  const scratch dir;
  const fs::path path = dir.path / "a.txt";
  REQUIRE(replace(path, "old"));
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit small = before;
  small.rlim_cur = 4096;
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const ctq::status written = replace(path, std::string(10000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  REQUIRE(!written);
  CHECK(written.error().message() == path.string() + ": cannot be written: File too large");
  CHECK(text_of(path) == "old");
  CHECK(dir.files() == 1);
}

TEST_CASE("permissions are kept, links are followed, also those that lead nowhere yet") {
  const scratch dir;
  const fs::path path = dir.path / "a.txt", link = dir.path / "link", early = dir.path / "early";
  REQUIRE(replace(path, "old"));
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("a.txt", link);
  REQUIRE(replace(link, "new"));
  CHECK(fs::is_symlink(link));
  CHECK(text_of(path) == "new");
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  fs::create_symlink("b.txt", early);
  REQUIRE(replace(early, "b"));
  CHECK(text_of(dir.path / "b.txt") == "b");
}

TEST_CASE("what cannot be written is an error with the path and the reason") {
  const scratch dir;
  const auto message = [](const fs::path& path) { return replace(path, "x").error().message(); };
  CHECK(message(dir.path) == dir.path.string() + ": cannot be written: Is a directory");
  const fs::path none = dir.path / "none" / "a";
  CHECK(message(none) == none.string() + ": cannot be opened: No such file or directory");
  CHECK(message("/dev/full") == "/dev/full: cannot be written: No space left on device");
  CHECK(replace("/dev/null", "x"));
}
