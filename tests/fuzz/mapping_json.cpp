// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libFuzzer target: any bytes give a QConfigMapping or findings at places inside the text, and a
// mapping that was valid is equal after it was written and read again.

#include <string>

#include "ctq/json/mapping_file.hpp"
#include "ctq/json/write_mapping.hpp"
#include "fuzz.hpp"

using fuzzing::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::count(size);
  const ctq::json::mapping_file file{fuzzing::text_of(data, size)};
  for (const ctq::finding& f : file.found()) {
    require(f.offset >= 0 && static_cast<std::size_t>(f.offset) <= file.text().size());
    std::string line;
    ctq::json::append_located(line, "fuzz", file.text(), f);
    require(line.starts_with("fuzz:"));
  }
  if (!file.valid()) return 0;
  std::string canonical;
  ctq::json::append_json(canonical, file.view());
  const ctq::json::mapping_file again{canonical};
  require(again.valid());
  std::string once_more;
  ctq::json::append_json(once_more, again.view());
  require(once_more == canonical);
  return 0;
}
