// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libFuzzer target: any bytes give a QConfigMapping and custom configs, or findings at places
// inside the text; what was valid is equal after it was written and read again.

#include <string>
#include <string_view>

#include "ctq/json/custom_config/file.hpp"
#include "ctq/json/custom_config/write.hpp"
#include "ctq/json/mapping_file.hpp"
#include "ctq/json/write_mapping.hpp"
#include "fuzz.hpp"

using fuzzing::require;

namespace {

template <class File>
void check_findings(const File& file) {
  for (const ctq::finding& f : file.found()) {
    require(f.offset >= 0 && static_cast<std::size_t>(f.offset) <= file.text().size());
    std::string line;
    ctq::json::append_located(line, "fuzz", file.text(), f);
    require(line.starts_with("fuzz:"));
  }
}

/// The canonical text is equal after it was read again.
template <class Config>
void check_custom_config(std::string_view text, ctq::json::custom_config_kind kind, Config config) {
  const ctq::json::custom_config_file file{text, kind};
  check_findings(file);
  if (!file.valid()) return;
  std::string canonical;
  ctq::json::append_json(canonical, config(file));
  const ctq::json::custom_config_file again{canonical, kind};
  require(again.valid());
  std::string once_more;
  ctq::json::append_json(once_more, config(again));
  require(once_more == canonical);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::count(size);
  const ctq::json::mapping_file file{fuzzing::text_of(data, size)};
  check_findings(file);
  using ctq::json::custom_config_file;
  using ctq::json::custom_config_kind;
  const std::string_view text = file.text();
  check_custom_config(text, custom_config_kind::prepare,
                      [](const custom_config_file& f) { return f.prepare(); });
  check_custom_config(text, custom_config_kind::convert,
                      [](const custom_config_file& f) { return f.convert(); });
  check_custom_config(text, custom_config_kind::fuse,
                      [](const custom_config_file& f) { return f.fuse(); });
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
