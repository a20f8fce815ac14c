// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/io/message.hpp"

// Reads IDX, the format of MNIST and Fashion-MNIST, with or without gzip compression. Needs zlib.
//
//   0 0 type rank | rank sizes of 4 bytes, big-endian | data, row-major
//
// Only unsigned bytes (type 8) of rank 1 to 3: labels, rows, images.
//
// Source  http://yann.lecun.com/exdb/mnist, "The IDX file format"

namespace ctq {

inline constexpr std::uint64_t max_idx_bytes = std::uint64_t{1} << 30;

struct idx_array {
  std::vector<std::size_t> shape;
  std::vector<std::uint8_t> values;

  /// The number of labels or images.
  [[nodiscard]] std::size_t size() const { return shape.front(); }

  /// Image i.
  [[nodiscard]] std::span<const std::uint8_t> operator[](std::size_t i) const {
    const std::size_t stride = values.size() / size();
    return std::span{values}.subspan(i * stride, stride);
  }
};

/// A file that zlib decompresses while reading; uncompressed files are read as they are.
class gzip_reader {
 public:
  explicit gzip_reader(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {}

  [[nodiscard]] bool is_open() const { return file_ != nullptr; }

  /// Reads up to to.size() bytes; fewer at the end of the file.
  [[nodiscard]] std::size_t read(std::span<std::uint8_t> to) {
    const int count = gzread(file_.get(), to.data(), static_cast<unsigned>(to.size()));
    return static_cast<std::size_t>(std::max(count, 0));
  }

  /// zlib's error message without the file name; empty if there is none.
  [[nodiscard]] std::string problem() const {
    int code = Z_OK;
    std::string_view words = gzerror(file_.get(), &code);
    if (code == Z_OK || code == Z_STREAM_END) return {};
    if (code == Z_ERRNO) return std::generic_category().message(errno);
    if (words.starts_with(path_ + ": ")) words.remove_prefix(path_.size() + 2);
    return std::string{words};
  }

 private:
  struct close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  std::string path_;
  std::unique_ptr<gzFile_s, close> file_;
};

/// The extents in the header.
/// Errors  not IDX, another type or rank, too large
[[nodiscard]] inline result<std::vector<std::size_t>> read_idx_shape(gzip_reader& in,
                                                                     const std::string& file) {
  const auto wrong = [&](std::string cause) { return fail(file, std::move(cause)); };
  const auto cut = [&] {
    const std::string problem = in.problem();
    return wrong(problem.empty() ? "ends within its header" : problem);
  };

  std::uint8_t magic[4] = {};
  if (in.read(magic) != sizeof(magic)) return cut();
  if (magic[0] != 0 || magic[1] != 0) return wrong("is not IDX: does not start with two zeros");
  if (magic[2] != 8) return wrong(sentence("holds type ", magic[2], ", only 8 (byte) is read"));
  if (magic[3] < 1 || magic[3] > 3)
    return wrong(sentence("has rank ", magic[3], ", only 1 to 3 are read"));

  std::vector<std::size_t> shape(magic[3]);
  std::uint64_t bytes = 1;
  for (std::size_t& extent : shape) {
    std::uint8_t b[4] = {};
    if (in.read(b) != sizeof(b)) return cut();
    extent = std::size_t{b[0]} << 24 | std::size_t{b[1]} << 16 | std::size_t{b[2]} << 8 | b[3];
    if (extent == 0) return wrong("has a size of 0");
    if (extent > max_idx_bytes / bytes)
      return wrong(sentence("needs more than ", max_idx_bytes, " bytes"));
    bytes *= extent;
  }
  return shape;
}

/// Errors  place: the file; cause: not IDX, truncated, too long, too large, corrupt (gzip checksum)
[[nodiscard]] inline result<idx_array> read_idx(const std::filesystem::path& path) {
  const std::string file = path.string();
  gzip_reader in{file};
  if (!in.is_open())
    return fail(file, "cannot be opened: " + std::generic_category().message(errno));
  result<std::vector<std::size_t>> shape = read_idx_shape(in, file);
  if (!shape) return unexpected{shape.error()};

  std::size_t wanted = 1;
  for (const std::size_t extent : *shape) wanted *= extent;
  // Reads one byte more than expected, to detect a file that is too long, and in pieces, to
  // allocate little for one that is too short.
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::vector<std::uint8_t> values;
  std::size_t got = 0;
  do {
    values.resize(std::min(values.size() + std::max(values.size(), piece), wanted + 1));
    got += in.read(std::span{values}.subspan(got));
  } while (got == values.size() && got <= wanted);

  if (const std::string problem = in.problem(); !problem.empty()) return fail(file, problem);
  if (got != wanted)
    return fail(file, sentence("needs ", wanted, " bytes of data, has ",
                               got > wanted ? "more" : sentence(got)));
  values.resize(wanted);
  return idx_array{std::move(*shape), std::move(values)};
}

}  // namespace ctq
