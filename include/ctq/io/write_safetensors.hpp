// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/text.hpp"
#include "ctq/io/file_path.hpp"
#include "ctq/io/message.hpp"
#include "ctq/io/replace_file.hpp"
#include "ctq/io/safetensors.hpp"
#include "ctq/json/string.hpp"
#include "ctq/runtime/named_tensors.hpp"

// Writes safetensors. The bytes do not depend on the order of the tensors and equal those of
// huggingface/safetensors: wide elements first, then by name; the header is padded with spaces to a
// multiple of 8, so that every tensor is aligned in the file.

namespace ctq {

/// The tensors in file order.
template <int = 0>
[[nodiscard, gnu::cold]] list<const stored_tensor*> file_order(span<const stored_tensor> tensors) {
  const std::vector<std::size_t> by_name = order_by_name(tensors);
  list<const stored_tensor*> order;
  for (std::size_t dtype = std::size(stored_dtypes::names); dtype-- > 0;)
    for (const std::size_t i : by_name)
      if (tensors[i].dtype == static_cast<stored_dtype>(dtype)) order.push_back(&tensors[i]);
  return order;
}

/// Checks that the format can represent the tensors.
template <int = 0>
[[nodiscard, gnu::cold]] status check_writable(span<const stored_tensor> tensors) {
  for (const stored_tensor& t : tensors) {
    const auto wrong = [&t](std::string cause) {
      return fail("tensor " + shown(t.name), std::move(cause));
    };
    if (t.name == "__metadata__") return wrong("the name is reserved by the format");
    if (!json::is_utf8(t.name)) return wrong("the name is not UTF-8");
    const std::optional<std::int64_t> wanted = byte_count(t.dtype, t.shape);
    if (!wanted)
      return wrong(sentence("shape ", shown(t.shape), " is negative or does not fit into 63 bits"));
    if (static_cast<std::uint64_t>(*wanted) != t.data.size())
      return wrong(sentence("shape ", shown(t.shape), " of ", name_of(t.dtype), " needs ", *wanted,
                            " bytes, the data have ", t.data.size()));
  }
  const std::vector<std::size_t> order = order_by_name(tensors);
  for (std::size_t i = 1; i < order.size(); ++i)
    if (const std::string& name = tensors[order[i]].name; name == tensors[order[i - 1]].name)
      return fail("tensor " + shown(name), "duplicate name");
  return done{};
}

template <int = 0>
[[nodiscard, gnu::cold]] status check_writable(const metadata_map& metadata) {
  for (const auto& [key, value] : metadata)
    if (!json::is_utf8(key) || !json::is_utf8(value))
      return fail("metadata " + shown(key), "is not UTF-8");
  return done{};
}

/// The length of the header, and its JSON, padded.
/// Requires  check_writable
template <int = 0>
[[nodiscard, gnu::cold]] std::string header_text(span<const stored_tensor* const> order,
                                                 const metadata_map& metadata) {
  std::string header = "{";
  const auto key = [&header](std::string_view name) {
    if (header.back() != '{') header += ',';
    json::append_string(header, name);
    header += ':';
  };
  if (!metadata.empty()) {
    key("__metadata__");
    header += '{';
    for (const auto& [name, value] : metadata) key(name), json::append_string(header, value);
    header += '}';
  }
  std::size_t offset = 0;
  for (const stored_tensor* t : order) {
    key(t->name);
    append_all(header, R"({"dtype":")", name_of(t->dtype), R"(","shape":[)");
    for (std::size_t i = 0; i < t->shape.size(); ++i)
      append_all(header, i == 0 ? "" : ",", t->shape[i]);
    append_all(header, R"(],"data_offsets":[)", offset, ",", offset + t->data.size(), "]}");
    offset += t->data.size();
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');

  const std::uint64_t length = header.size();
  std::string text(sizeof(length), '\0');
  std::memcpy(text.data(), &length, sizeof(length));
  return text + header;
}

/// A file about to be written: the header, then the data of each tensor.
struct safetensors_plan {
  std::string header;
  list<const stored_tensor*> order;

  template <class Write>
  void each_piece(Write write) const {
    write(as_bytes(span{header}));
    for (const stored_tensor* t : order) write(t->data);
  }
};

template <int = 0>
[[nodiscard, gnu::cold]] result<safetensors_plan> plan_safetensors(
    span<const stored_tensor> tensors, const metadata_map& metadata) {
  if (status s = check_writable(tensors); !s) return unexpected{s.error()};
  if (status s = check_writable(metadata); !s) return unexpected{s.error()};
  list<const stored_tensor*> order = file_order(tensors);
  std::string header = header_text(order, metadata);
  if (header.size() - 8 > max_header_bytes)
    return fail("header", sentence("takes ", header.size() - 8, " bytes, at most ",
                                   max_header_bytes, " are allowed"));
  return safetensors_plan{std::move(header), std::move(order)};
}

/// The bytes of the file.
/// Errors  place "tensor fc.weight" or "metadata key": wrong size, name twice, not UTF-8
template <int = 0>
[[nodiscard, gnu::cold]] result<std::vector<std::byte>> serialize_safetensors(
    span<const stored_tensor> tensors, const metadata_map& metadata = {}) {
  const result<safetensors_plan> plan = plan_safetensors(tensors, metadata);
  if (!plan) return unexpected{plan.error()};
  std::vector<std::byte> content;
  plan->each_piece([&content](span<const std::byte> bytes) {
    content.insert(content.end(), bytes.begin(), bytes.end());
  });
  return content;
}

/// Writes or replaces the file atomically. It is not modified if the format cannot represent the
/// tensors, or if the disk is full.
/// Errors  as serialize_safetensors, with the prefix "weights.safetensors: "; those of the system
template <int = 0>
[[nodiscard, gnu::cold]] status write_safetensors(const file_path& path,
                                                  span<const stored_tensor> tensors,
                                                  const metadata_map& metadata = {}) {
  const result<safetensors_plan> plan = plan_safetensors(tensors, metadata);
  if (!plan) return fail(sentence(path.string(), ": ", plan.error().place), plan.error().cause);
  result<file_replacement> file = file_replacement::open(path);
  if (!file) return unexpected{file.error()};
  status written = done{};
  plan->each_piece([&](span<const std::byte> bytes) {
    if (written) written = file->write(bytes);
  });
  return written ? file->commit() : written;
}

}  // namespace ctq
