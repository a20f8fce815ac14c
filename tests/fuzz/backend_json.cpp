// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libFuzzer target: any bytes give a spec or findings at places inside the text, and a spec that
// was valid is equal after it was written and read again.
//
// Build with clang and -fsanitize=fuzzer,address,undefined.

#include <cstdlib>
#include <string>

#include "ctq/json/backend_file.hpp"
#include "ctq/json/mapping_file.hpp"
#include "ctq/json/write_backend.hpp"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// Has every finding a place and words?
template <class File>
void check_findings(const File& file) {
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
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_findings(ctq::json::mapping_file(text));
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
