// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/io/file_path.hpp"
#include "ctq/io/gzip_reader.hpp"
#include "ctq/io/message.hpp"

// Reads IDX, the format of MNIST and Fashion-MNIST, with or without gzip compression. Needs zlib.
//
//   0 0 type rank | rank sizes of 4 bytes, big-endian | data, row-major
//
// Only unsigned bytes (type 8) of rank 1 to 3: labels, rows, images.
//
// Source  http://yann.lecun.com/exdb/mnist, "The IDX file format"

namespace ctq {

/// The default limit: larger data are rejected before they are read.
inline constexpr std::uint64_t max_idx_bytes = std::uint64_t{1} << 30;

/// The content of an IDX file.
struct idx_array {
  std::vector<std::size_t> shape;
  std::vector<std::uint8_t> values;

  /// The number of labels or images.
  [[nodiscard]] std::size_t size() const { return shape.front(); }

  /// Image i.
  [[nodiscard]] span<const std::uint8_t> operator[](std::size_t i) const {
    const std::size_t stride = values.size() / size();
    return span{values}.subspan(i * stride, stride);
  }
};

/// The sizes before the data.
///   limit  the most bytes of data
/// Errors  not IDX, another type or rank, too large
template <class Source>
[[nodiscard]] result<std::vector<std::size_t>> read_idx_shape(gzip_reader<Source>& in,
                                                              const std::string& file,
                                                              std::uint64_t limit) {
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
    if (extent > limit / bytes) return wrong(sentence("needs more than ", limit, " bytes"));
    bytes *= extent;
  }
  return shape;
}

/// All of an IDX file.
///   source  file_bytes or memory_bytes
///   file    its name in errors
/// Errors  data that are not IDX, or damaged gzip data, or too short or too long; more than `limit`
///         bytes
/// Memory  at most twice the data, and never much more than what has been read
template <class Source>
[[nodiscard]] result<idx_array> read_idx_from(Source& source, const std::string& file,
                                              std::uint64_t limit = max_idx_bytes) {
  gzip_reader<Source> in{source};
  result<std::vector<std::size_t>> shape = read_idx_shape(in, file, limit);
  if (!shape) return unexpected{shape.error()};

  std::size_t wanted = 1;
  for (const std::size_t extent : *shape) wanted *= extent;
  // Read in pieces that grow, since a file may be shorter than its header says.
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::vector<std::uint8_t> values;
  std::size_t got = 0;
  while (got == values.size() && got < wanted) {
    const std::size_t room = std::min(std::max(2 * got, piece), wanted);
    values.reserve(room);  // exactly
    values.resize(room);
    got += in.read(span{values}.subspan(got));
  }
  std::uint8_t next = 0;
  const bool more = got == wanted && in.read({&next, 1}) > 0;

  if (const std::string problem = in.problem(); !problem.empty()) return fail(file, problem);
  if (got != wanted || more)
    return fail(file, sentence("needs ", wanted, " bytes of data, has ",
                               more ? std::string{"more"} : sentence(got)));
  return idx_array{std::move(*shape), std::move(values)};
}

/// Reads a file that is in memory.
///   name  its name in errors
/// Errors  as read_idx_from
[[nodiscard]] inline result<idx_array> parse_idx(span<const std::uint8_t> content,
                                                 const std::string& name) {
  memory_bytes source{content};
  return read_idx_from(source, name);
}

/// Reads a file on disk.
///   limit  the most bytes of data; a small packed file may hold a thousand times its size
/// Errors  place: the file; cause: not IDX, cut off, too long, too large, damaged (gzip's
///         checksum), trailing data
[[nodiscard]] inline result<idx_array> read_idx(const file_path& path,
                                                std::uint64_t limit = max_idx_bytes) {
  file_bytes source{path.string()};
  if (!source.is_open())
    return fail(path.string(), "cannot be opened: " + std::generic_category().message(errno));
  return read_idx_from(source, path.string(), limit);
}

}  // namespace ctq
