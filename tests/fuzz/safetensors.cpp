// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libFuzzer target: any bytes give a file or an error, and a file that was accepted is equal after
// it was written and read again.

#include "ctq/io/read_safetensors.hpp"

#include <span>
#include "ctq/io/write_safetensors.hpp"
#include "fuzz.hpp"

using fuzzing::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::count(size);
  const auto file = ctq::parse_safetensors(std::as_bytes(std::span{data, size}), "fuzz");
  if (!file) return 0;
  const auto content = ctq::serialize_safetensors(file->tensors, file->metadata);
  require(content.has_value());
  const auto again = ctq::parse_safetensors(*content, "again");
  require(again && again->tensors == file->tensors && again->metadata == file->metadata);
  return 0;
}
