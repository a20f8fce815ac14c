// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/large_pages.hpp"
#include "ctq/core/result.hpp"
#include "ctq/io/file_path.hpp"
#include "ctq/io/message.hpp"
#include "ctq/io/safetensors.hpp"
#include "ctq/io/safetensors_header.hpp"
#include "ctq/runtime/named_tensors.hpp"

// Reads safetensors. Files are not trusted: every defect is an error with its position, and memory
// use is at most a small multiple of the file size.

namespace ctq {

/// An error in a tensor of a file.
template <int = 0>
[[nodiscard, gnu::cold]] unexpected fail_tensor(std::string_view file, std::string_view tensor,
                                                std::string cause) {
  return fail(sentence(file, ": tensor ", shown(tensor)), std::move(cause));
}

/// Checks that shape, offsets and size of the data are consistent.
template <int = 0>
[[nodiscard, gnu::cold]] status check_size(const header_entry& e, std::int64_t data_bytes,
                                           std::string_view file) {
  const auto wrong = [&](std::string cause) { return fail_tensor(file, e.name, std::move(cause)); };
  if (e.begin > e.end)
    return wrong(sentence("data_offsets [", e.begin, ", ", e.end, "] end before they begin"));
  if (e.end > data_bytes)
    return wrong(sentence("data_offsets [", e.begin, ", ", e.end, "] reach past the data, ",
                          data_bytes, " bytes"));
  const std::optional<std::int64_t> wanted = byte_count(e.dtype, e.shape);
  if (!wanted)
    return wrong(
        sentence("shape ", shown(e.shape), " of ", name_of(e.dtype), " does not fit into 63 bits"));
  if (*wanted != e.end - e.begin)
    return wrong(sentence("shape ", shown(e.shape), " of ", name_of(e.dtype), " needs ", *wanted,
                          " bytes, data_offsets give ", e.end - e.begin));
  return done{};
}

/// Checks that every byte of the data belongs to exactly one tensor.
template <int = 0>
[[nodiscard, gnu::cold]] status check_tiling(const std::vector<header_entry>& entries,
                                             std::int64_t data_bytes, std::string_view file) {
  const auto order = sorted_indices(entries.size(), [&entries](std::size_t i, std::size_t j) {
    const header_entry &a = entries[i], &b = entries[j];
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });

  std::int64_t covered = 0;
  const auto hole = [&](std::int64_t end) {
    return sentence("bytes ", covered, " to ", end, " of the data belong to no tensor");
  };
  for (const std::size_t i : order) {
    const header_entry& e = entries[i];
    if (e.begin > covered) return fail_tensor(file, e.name, hole(e.begin));
    if (e.begin < covered)
      return fail_tensor(
          file, e.name,
          sentence("data_offsets [", e.begin, ", ", e.end, "] overlap the tensor before"));
    covered = e.end;
  }
  if (covered != data_bytes) return fail(std::string{file}, hole(data_bytes));
  return done{};
}

template <int = 0>
[[nodiscard, gnu::cold]] status check_layout(safetensors_header& header, std::int64_t data_bytes,
                                             std::string_view file) {
  sort_by_name(header.entries);
  if (const header_entry* const twin = repeated_name(header.entries); twin != nullptr)
    return fail_tensor(file, twin->name, "duplicate name");
  for (const header_entry& e : header.entries)
    if (status s = check_size(e, data_bytes, file); !s) return s;
  return check_tiling(header.entries, data_bytes, file);
}

/// Combines header and data, which it does not own.
template <int = 0>
[[nodiscard, gnu::cold]] tensor_file assemble(safetensors_header header, const std::byte* data) {
  tensor_file out;
  out.tensors.reserve(header.entries.size());
  for (header_entry& e : header.entries)
    out.tensors.push_back({std::move(e.name),
                           e.dtype,
                           std::move(e.shape),
                           {data + e.begin, static_cast<std::size_t>(e.end - e.begin)}});
  out.metadata = std::move(header.metadata);
  return out;
}

/// Parses a file in memory. The tensors refer to `content`. `name` is used in messages.
/// Errors  a file that breaks a rule of the format: its length, header, names, dtypes, shapes or
///         offsets
template <int = 0>
[[nodiscard, gnu::cold]] result<tensor_file> view_safetensors(span<const std::byte> content,
                                                              std::string_view name) {
  const auto wrong = [name](std::string cause) {
    return fail(std::string{name}, std::move(cause));
  };
  std::uint64_t length = 0;
  if (content.empty()) return wrong("is empty");
  if (content.size() < sizeof(length))
    return wrong(sentence("has ", content.size(), " bytes, the length of the header takes 8"));
  std::memcpy(&length, content.data(), sizeof(length));
  if (length > max_header_bytes)
    return wrong(
        sentence("header of ", length, " bytes, at most ", max_header_bytes, " are allowed"));
  if (length > content.size() - sizeof(length))
    return wrong(sentence("header of ", length, " bytes reaches past the end of the file, ",
                          content.size(), " bytes"));
  const auto header_bytes = static_cast<std::size_t>(length);
  result<safetensors_header> header = scan_header(
      {reinterpret_cast<const char*>(content.data()) + sizeof(length), header_bytes}, name);
  if (!header) return unexpected{header.error()};
  const auto data = content.subspan(sizeof(length) + header_bytes);
  if (status s = check_layout(*header, static_cast<std::int64_t>(data.size()), name); !s)
    return unexpected{s.error()};
  return assemble(std::move(*header), data.data());
}

/// The same, for a file that becomes part of the result.
template <int = 0>
[[nodiscard, gnu::cold]] result<tensor_file> own_safetensors(std::unique_ptr<std::byte[]> content,
                                                             std::size_t size,
                                                             std::string_view name) {
  auto file = view_safetensors({content.get(), size}, name);
  if (file) file->bytes = std::move(content);
  return file;
}

/// The same, for a copy of `content`.
template <int = 0>
[[nodiscard, gnu::cold]] result<tensor_file> parse_safetensors(span<const std::byte> content,
                                                               std::string_view name) {
  auto copy = std::make_unique<std::byte[]>(content.size());
  std::ranges::copy(content, copy.get());
  return own_safetensors(std::move(copy), content.size(), name);
}

/// Reads `size` bytes; interrupted reads are continued. Returns whether all could be read.
template <int = 0>
[[nodiscard, gnu::cold]] bool read_all(int descriptor, std::byte* to, std::size_t size) {
  while (size > 0) {
    const auto count = ::read(descriptor, to, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    to += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

/// Reads a file from disk.
/// Errors  place "weights.safetensors", "weights.safetensors: tensor fc.weight" or
///         "weights.safetensors: header byte 37"
template <int = 0>
[[nodiscard, gnu::cold]] result<tensor_file> read_safetensors(const file_path& path) {
  if (status s = path.check(); !s) return unexpected{s.error()};
  struct stat about {};
  int problem = ::stat(path.c_str(), &about) == 0 ? 0 : errno;
  if (problem == 0 && S_ISDIR(about.st_mode)) problem = EISDIR;
  if (problem == 0 && !S_ISREG(about.st_mode)) problem = ENOTSUP;
  const int descriptor = problem == 0 ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (problem == 0 && descriptor < 0) problem = errno;
  if (problem != 0) {
    return fail(path.string(),
                "cannot be opened: " + std::error_code(problem, std::generic_category()).message());
  }
  const auto size = static_cast<std::size_t>(about.st_size);
  std::unique_ptr<std::byte[]> content{new (std::nothrow) std::byte[size]};
  if (content) prefer_large_pages(content.get(), size);
  const bool complete = content != nullptr && read_all(descriptor, content.get(), size);
  ::close(descriptor);
  if (!content) return fail(path.string(), sentence("no memory for ", size, " bytes"));
  if (!complete) return fail(path.string(), "cannot be read to its end");
  return own_safetensors(std::move(content), size, path.string());
}

}  // namespace ctq
