// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/io/message.hpp"
#include "ctq/io/safetensors.hpp"
#include "ctq/io/safetensors_header.hpp"

// Reads safetensors. Files are not trusted: every defect is an error with its position, and memory
// use is at most a small multiple of the file size.

namespace ctq {

/// An error in a tensor of a file.
[[nodiscard]] inline unexpected fail_tensor(std::string_view file, std::string_view tensor,
                                            std::string cause) {
  return fail(sentence(file, ": tensor ", shown(tensor)), std::move(cause));
}

/// Sorts the entries by name.
/// Errors  duplicate names
[[nodiscard]] inline status sort_by_name(std::vector<header_entry>& entries,
                                         std::string_view file) {
  std::ranges::sort(entries, {}, &header_entry::name);
  const auto twice = std::ranges::adjacent_find(entries, {}, &header_entry::name);
  if (twice != entries.end()) return fail_tensor(file, twice->name, "the name comes twice");
  return done{};
}

/// Checks that shape, offsets and size of the data are consistent.
[[nodiscard]] inline status check_size(const header_entry& e, std::int64_t data_bytes,
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
[[nodiscard]] inline status check_tiling(const std::vector<header_entry>& entries,
                                         std::int64_t data_bytes, std::string_view file) {
  std::vector<const header_entry*> order;
  for (const header_entry& e : entries) order.push_back(&e);
  std::ranges::sort(order, {}, [](const header_entry* e) { return std::pair{e->begin, e->end}; });

  std::int64_t covered = 0;
  const auto hole = [&](std::int64_t end) {
    return sentence("bytes ", covered, " to ", end, " of the data belong to no tensor");
  };
  for (const header_entry* e : order) {
    if (e->begin > covered) return fail_tensor(file, e->name, hole(e->begin));
    if (e->begin < covered)
      return fail_tensor(
          file, e->name,
          sentence("data_offsets [", e->begin, ", ", e->end, "] overlap the tensor before"));
    covered = e->end;
  }
  if (covered != data_bytes) return fail(std::string{file}, hole(data_bytes));
  return done{};
}

[[nodiscard]] inline status check_layout(safetensors_header& header, std::int64_t data_bytes,
                                         std::string_view file) {
  if (status s = sort_by_name(header.entries, file); !s) return s;
  for (const header_entry& e : header.entries)
    if (status s = check_size(e, data_bytes, file); !s) return s;
  return check_tiling(header.entries, data_bytes, file);
}

/// Combines header and data.
[[nodiscard]] inline tensor_file assemble(safetensors_header header,
                                          std::unique_ptr<std::byte[]> bytes) {
  tensor_file out;
  out.tensors.reserve(header.entries.size());
  for (header_entry& e : header.entries)
    out.tensors.push_back({std::move(e.name),
                           e.dtype,
                           std::move(e.shape),
                           {bytes.get() + e.begin, static_cast<std::size_t>(e.end - e.begin)}});
  out.bytes = std::move(bytes);
  out.metadata = std::move(header.metadata);
  return out;
}

/// Reads `size` bytes sequentially. next(to, count) copies the next `count` bytes; returns false on
/// failure.
template <class Next>
[[nodiscard]] result<tensor_file> load_safetensors(Next next, std::uint64_t size,
                                                   std::string_view file) {
  const auto wrong = [file](std::string cause) {
    return fail(std::string{file}, std::move(cause));
  };
  const auto unreadable = [&] { return wrong("cannot be read to its end"); };

  std::uint64_t length = 0;
  if (size == 0) return wrong("is empty");
  if (size < sizeof(length))
    return wrong(sentence("has ", size, " bytes, the length of the header takes 8"));
  if (!next(reinterpret_cast<std::byte*>(&length), sizeof(length))) return unreadable();
  if (length > max_header_bytes)
    return wrong(
        sentence("header of ", length, " bytes, at most ", max_header_bytes, " are allowed"));
  if (length > size - sizeof(length))
    return wrong(sentence("header of ", length, " bytes reaches past the end of the file, ", size,
                          " bytes"));

  std::string text(static_cast<std::size_t>(length), ' ');
  if (!next(reinterpret_cast<std::byte*>(text.data()), text.size())) return unreadable();
  result<safetensors_header> header = scan_header(text, file);
  if (!header) return unexpected{header.error()};

  const std::size_t data_bytes = static_cast<std::size_t>(size - sizeof(length) - length);
  if (status s = check_layout(*header, static_cast<std::int64_t>(data_bytes), file); !s)
    return unexpected{s.error()};
  std::unique_ptr<std::byte[]> bytes{new (std::nothrow) std::byte[data_bytes]};
  if (!bytes) return wrong(sentence("no memory for ", data_bytes, " bytes of data"));
  if (!next(bytes.get(), data_bytes)) return unreadable();
  return assemble(std::move(*header), std::move(bytes));
}

/// Parses a file in memory and copies its data. `name` is used in messages.
[[nodiscard]] inline result<tensor_file> parse_safetensors(std::span<const std::byte> content,
                                                           std::string_view name) {
  const auto next = [rest = content](std::byte* to, std::size_t count) mutable {
    std::ranges::copy(rest.first(count), to);
    rest = rest.subspan(count);
    return true;
  };
  return load_safetensors(next, content.size(), name);
}

/// Reads a file from disk.
/// Errors  place "weights.safetensors", "weights.safetensors: tensor fc.weight" or
///         "weights.safetensors: header byte 37"
[[nodiscard]] inline result<tensor_file> read_safetensors(const std::filesystem::path& path) {
  std::error_code problem;
  const std::uint64_t size = std::filesystem::file_size(path, problem);
  std::ifstream in;
  if (!problem) {
    in.open(path, std::ios::binary);
    if (!in) problem = {errno, std::generic_category()};
  }
  if (problem) return fail(path.string(), "cannot be opened: " + problem.message());
  const auto next = [&in](std::byte* to, std::size_t count) {
    const auto wanted = static_cast<std::streamsize>(count);
    return in.read(reinterpret_cast<char*>(to), wanted).gcount() == wanted;
  };
  return load_safetensors(next, size, path.string());
}

}  // namespace ctq
