// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libFuzzer target: any bytes give a spec or findings at places inside the text, and a spec that
// was valid is equal after it was written and read again.

#include <string>

#include "ctq/json/backend_file.hpp"
#include "ctq/json/write_backend.hpp"
#include "fuzz.hpp"

using fuzzing::require;

namespace {

/// Has every finding a place and words?
void check_findings(const ctq::json::backend_file& file) {
  for (const ctq::finding& f : file.found()) {
    require(f.offset >= 0 && static_cast<std::size_t>(f.offset) <= file.text().size());
    require(!f.text.empty());
    std::string line;
    ctq::json::append_located(line, "fuzz", file.text(), f);
    require(line.starts_with("fuzz:"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::count(size);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const ctq::json::backend_file file(text);
  check_findings(file);
  if (!file.valid()) return 0;
  std::string canonical;
  ctq::json::append_json(canonical, file.view());
  const ctq::json::backend_file again(canonical);
  // A file's own ops are other objects when they are read again; their names are compared below.
  require(again.valid() && again.view().configs.size() == file.view().configs.size());
  std::string once_more;
  ctq::json::append_json(once_more, again.view());
  require(once_more == canonical);
  return 0;
}
