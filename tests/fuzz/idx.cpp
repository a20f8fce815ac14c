// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libFuzzer target: any bytes give an array or an error, and the same when they are packed with
// gzip. Bytes that are packed already are unpacked, whatever is wrong with them.

#include <span>
#include <vector>

#include "ctq/io/idx.hpp"
#include "fuzz.hpp"

using fuzzing::require;

namespace {

std::vector<std::uint8_t> packed(std::span<const std::uint8_t> bytes) {
  z_stream z{};
  require(::deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::vector<std::uint8_t> out(::deflateBound(&z, bytes.size()) + 32);
  z.next_in = const_cast<std::uint8_t*>(bytes.data());
  z.avail_in = static_cast<unsigned>(bytes.size());
  z.next_out = out.data();
  z.avail_out = static_cast<unsigned>(out.size());
  require(::deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  require(::deflateEnd(&z) == Z_OK);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::count(size);
  const std::span bytes{data, size};
  const auto array = ctq::parse_idx(bytes, "fuzz");
  if (array) {
    std::size_t wanted = 1;
    for (const std::size_t extent : array->shape) wanted *= extent;
    require(array->values.size() == wanted && wanted > 0);
    require((*array)[array->size() - 1].size() == wanted / array->size());
  } else {
    require(array.error().place == "fuzz" && !array.error().cause.empty());
  }
  if (size >= 2 && data[0] == 0x1F && data[1] == 0x8B) return 0;
  const auto again = ctq::parse_idx(packed(bytes), "fuzz");
  require(again.has_value() == array.has_value());
  if (array) require(again->values == array->values && again->shape == array->shape);
  if (!array) require(again.error().cause == array.error().cause);
  return 0;
}
