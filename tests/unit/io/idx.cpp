// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/idx.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "../sanitized.hpp"

namespace {

using namespace std::string_literals;

/// A file in a folder for temporary ones, which goes when the test ends.
class temporary_file {
 public:
  explicit temporary_file(const std::string& content) {
    std::ofstream{path_, std::ios::binary} << content;
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { std::filesystem::remove(path_); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() / "ctq-test.idx";
};

/// The same content packed as gzip does.
std::string packed(const std::string& content) {
  const temporary_file file{""};
  const gzFile out = gzopen(file.path().c_str(), "wb");
  gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
  gzclose(out);
  std::ifstream in{file.path(), std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

ctq::result<ctq::idx_array> read(const std::string& content) {
  const temporary_file file{content};
  return ctq::read_idx(file.path());
}

const std::string two_images = "\0\0\x08\3\0\0\0\2\0\0\0\2\0\0\0\3abcdefghijkl"s;

TEST_CASE("images are read one after the other, packed or not") {
  for (const std::string& content : {two_images, packed(two_images)}) {
    const auto images = read(content);
    REQUIRE(images);
    CHECK(images->shape == std::vector<std::size_t>{2, 2, 3});
    CHECK(images->size() == 2);
    CHECK((*images)[1].size() == 6);
    CHECK((*images)[1][0] == 'g');
  }
}

TEST_CASE("labels are single bytes") {
  const auto labels = read("\0\0\x08\1\0\0\0\3\7\1\2"s);
  REQUIRE(labels);
  CHECK(labels->values == std::vector<std::uint8_t>{7, 1, 2});
  CHECK((*labels)[0].size() == 1);
}

TEST_CASE("data of more than one piece are read whole") {
  const std::size_t bytes = 3'000'000;
  std::string content = "\0\0\x08\1\0\x2D\xC6\xC0"s;
  for (std::size_t i = 0; i < bytes; ++i) content += static_cast<char>(i % 251);
  for (const std::string& form : {content, packed(content)}) {
    const auto read_back = read(form);
    REQUIRE(read_back);
    REQUIRE(read_back->values.size() == bytes);
    CHECK(read_back->values.back() == (bytes - 1) % 251);
  }
}

TEST_CASE("every other file is rejected with its cause") {
  const std::string zipped = packed(two_images);
  std::string damaged = zipped;
  damaged[damaged.size() - 8] ^= 1;  // the checksum
  const std::pair<std::string, std::string> cases[] = {
      {"", "ends within its header"},
      {"\0\0\x08"s, "ends within its header"},
      {two_images.substr(0, 15), "ends within its header"},
      {"\211PNG\r\n", "is not IDX: does not start with two zeros"},
      {"\0\1\x08\1"s, "is not IDX: does not start with two zeros"},
      {"\0\0\x0D\1\0\0\0\1abcd"s, "holds type 13, only 8 (byte) is read"},
      {"\0\0\x08\0a"s, "has rank 0, only 1 to 3 are read"},
      {"\0\0\x08\4\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1a"s, "has rank 4, only 1 to 3 are read"},
      {"\0\0\x08\2\0\0\0\0\0\0\0\1"s, "has a size of 0"},
      {two_images.substr(0, 27), "needs 12 bytes of data, has 11"},
      {two_images.substr(0, 16), "needs 12 bytes of data, has 0"},
      {two_images + "x", "needs 12 bytes of data, has more"},
      {"\0\0\x08\1\x40\0\0\1"s, "needs more than 1073741824 bytes"},
      {"\0\0\x08\3\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s,
       "needs more than 1073741824 bytes"},
      {"\0\0\x08\1\x40\0\0\0abc"s, "needs 1073741824 bytes of data, has 3"},
      {zipped.substr(0, zipped.size() - 9), "unexpected end of file"},
      {zipped.substr(0, 12), "unexpected end of file"},
      {damaged, "incorrect data check"},
      {packed(two_images + "x"), "needs 12 bytes of data, has more"},
      {zipped + "x", "something follows the gzip data"},
      {zipped + std::string(100, '\0'), "something follows the gzip data"},
      {zipped + "\x1F\x8B", "unexpected end of file"},
      {zipped + packed("x"), "needs 12 bytes of data, has more"},
      {packed(two_images.substr(0, 20)) + "\x1F\x8Bxxxx", "unknown compression method"},
  };
  for (const auto& [content, cause] : cases) {
    const auto array = read(content);
    CAPTURE(cause);
    REQUIRE(!array);
    CHECK(array.error().cause == cause);
    CHECK(array.error().place.ends_with("ctq-test.idx"));
  }
}

TEST_CASE("a file that is cut off at any byte is rejected") {
  for (const std::string& content : {two_images, packed(two_images)})
    for (std::size_t size = 0; size < content.size(); ++size) {
      CAPTURE(size);
      CHECK(!read(content.substr(0, size)));
    }
}

TEST_CASE("gzip members that follow each other are one file") {
  const auto array = read(packed(two_images.substr(0, 20)) + packed(two_images.substr(20)));
  REQUIRE(array);
  CHECK(array->values == read(two_images)->values);
}

TEST_CASE("the limit of the data can be set") {
  const auto path = std::filesystem::temp_directory_path() / "ctq-limit.idx";
  std::ofstream{path, std::ios::binary} << two_images;
  CHECK(ctq::read_idx(path, 12));
  const auto refused = ctq::read_idx(path, 11);
  std::filesystem::remove(path);
  REQUIRE(!refused);
  CHECK(refused.error().cause == "needs more than 11 bytes");
}

#if !CTQ_TEST_SANITIZED  // sanitizers take memory of their own
TEST_CASE("reading takes at most twice the memory of the data, also of data that are packed well") {
  constexpr std::size_t bytes = std::size_t{129} << 20;  // just more than a power of 2
  const std::string content = packed("\0\0\x08\1\x08\x10\0\0"s + std::string(bytes, '\0'));
  REQUIRE(content.size() < 200'000);
  const pid_t child = ::fork();  // whose memory can be limited
  if (child == 0) {
    std::size_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages;
    const std::size_t now = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const rlimit limit{now + 2 * bytes + (1 << 20), RLIM_INFINITY};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(2);
    const auto data = reinterpret_cast<const std::uint8_t*>(content.data());
    const auto array = ctq::parse_idx({data, content.size()}, "large");
    ::_exit(array && array->values.size() == bytes ? 0 : 1);
  }
  int code = 1;
  REQUIRE(::waitpid(child, &code, 0) == child);
  CHECK(code == 0);
}
#endif

TEST_CASE("what cannot be opened says why") {
  const auto here = std::filesystem::temp_directory_path();
  const auto missing = ctq::read_idx(here / "ctq-no-such-file.idx");
  REQUIRE(!missing);
  CHECK(missing.error().cause == "cannot be opened: No such file or directory");
  const auto directory = ctq::read_idx(here);
  REQUIRE(!directory);
  CHECK(directory.error().cause == "Is a directory");
}

}  // namespace
