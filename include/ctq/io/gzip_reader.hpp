// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>

#include "ctq/core/containers/span.hpp"

// Bytes that may be packed with gzip, unpacked while they are read. Needs zlib.
//
// Stricter than zlib's gzread, which ignores trailing data: only another gzip member may follow.
//
// Source  RFC 1952, "GZIP file format specification"

namespace ctq {

/// The bytes of a file.
class file_bytes {
 public:
  explicit file_bytes(const std::string& path) : file_(std::fopen(path.c_str(), "rbe")) {}

  [[nodiscard]] bool is_open() const { return file_ != nullptr; }

  /// Fills as much of the buffer as there are bytes left.
  [[nodiscard]] std::size_t read(span<std::uint8_t> to) {
    const std::size_t count = std::fread(to.data(), 1, to.size(), file_.get());
    if (std::ferror(file_.get()) != 0) error_ = errno;
    return count;
  }

  /// The system's error message, or empty.
  [[nodiscard]] std::string problem() const {
    return error_ == 0 ? "" : std::generic_category().message(error_);
  }

 private:
  struct close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, close> file_;
  int error_ = 0;
};

/// Bytes in memory.
class memory_bytes {
 public:
  explicit memory_bytes(span<const std::uint8_t> bytes) : rest_(bytes) {}

  [[nodiscard]] std::size_t read(span<std::uint8_t> to) {
    const std::size_t count = std::min(to.size(), rest_.size());
    if (count > 0) std::memcpy(to.data(), rest_.data(), count);
    rest_ = rest_.subspan(count);
    return count;
  }
  [[nodiscard]] std::string problem() const { return {}; }

 private:
  span<const std::uint8_t> rest_;
};

/// Unpacks data that begin as gzip; passes on all other data.
///   Source  file_bytes or memory_bytes
template <class Source>
class gzip_reader {
 public:
  explicit gzip_reader(Source& source) : source_(source) {
    refill();
    is_packed_ = begins_member();
    if (is_packed_ && ::inflateInit2(&packed_, gzip_only) != Z_OK) problem_ = "no memory";
  }
  gzip_reader(const gzip_reader&) = delete;
  gzip_reader& operator=(const gzip_reader&) = delete;
  ~gzip_reader() {
    if (is_packed_) ::inflateEnd(&packed_);
  }

  /// Fills as much of the buffer as there are unpacked bytes left.
  [[nodiscard]] std::size_t read(span<std::uint8_t> to) {
    std::size_t done = 0;
    while (done < to.size() && problem_.empty() && !ended_) {
      const std::size_t part = std::min(to.size() - done, sizeof(buffer_));
      done += is_packed_ ? unpack(to.subspan(done, part)) : copy(to.subspan(done, part));
    }
    return done;
  }

  /// The error in the packed data, or the system's error message; empty if none.
  [[nodiscard]] std::string problem() const {
    return problem_.empty() ? source_.problem() : problem_;
  }

 private:
  static constexpr int gzip_only = 15 + 16;  // the largest window, no other format

  void refill() {
    packed_.next_in = buffer_;
    packed_.avail_in = static_cast<unsigned>(source_.read(buffer_));
  }

  [[nodiscard]] bool begins_member() const {
    return packed_.avail_in >= 2 && packed_.next_in[0] == 0x1F && packed_.next_in[1] == 0x8B;
  }

  std::size_t copy(span<std::uint8_t> to) {
    if (packed_.avail_in == 0) refill();
    const std::size_t count = std::min<std::size_t>(to.size(), packed_.avail_in);
    ended_ = count == 0;
    std::copy_n(packed_.next_in, count, to.data());
    packed_.next_in += count;
    packed_.avail_in -= static_cast<unsigned>(count);
    return count;
  }

  std::size_t unpack(span<std::uint8_t> to) {
    if (packed_.avail_in == 0) refill();
    if (packed_.avail_in == 0) return problem_ = "unexpected end of file", 0;
    packed_.next_out = to.data();
    packed_.avail_out = static_cast<unsigned>(to.size());
    const int code = ::inflate(&packed_, Z_NO_FLUSH);
    if (code == Z_STREAM_END)
      end_member();
    else if (code != Z_OK && code != Z_BUF_ERROR)
      problem_ = packed_.msg != nullptr ? packed_.msg : "damaged gzip data";
    return to.size() - packed_.avail_out;
  }

  /// Another member may follow, and nothing else.
  void end_member() {
    if (packed_.avail_in < 2) {
      std::uint8_t* const kept = buffer_;
      const std::size_t count = packed_.avail_in;
      std::copy_n(packed_.next_in, count, kept);
      packed_.next_in = kept;
      packed_.avail_in += static_cast<unsigned>(source_.read(span{buffer_}.subspan(count)));
    }
    if (packed_.avail_in == 0)
      ended_ = true;
    else if (!begins_member() || ::inflateReset(&packed_) != Z_OK)
      problem_ = "something follows the gzip data";
  }

  Source& source_;
  z_stream packed_{};  // says where the next bytes are, even if they are not packed
  bool is_packed_ = false;
  bool ended_ = false;
  std::string problem_;
  std::uint8_t buffer_[std::size_t{1} << 16];
};

}  // namespace ctq
