// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libFuzzer target: any bytes give a model or an error with its place. A model is imported and
// explained, or refused with a place.

#include <string>

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/io/read_fx.hpp"
#include "fuzz.hpp"
#include "tools/ctq/explain_rows.hpp"
#include "tools/ctq/import_model.hpp"

using fuzzing::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::count(size);
  const std::string_view text = fuzzing::text_of(data, size);
  const auto header = tool::import_model(text, "fuzz.json", "net", "models", "fuzz.json");
  if (!header) require(header.error().place.starts_with("fuzz.json:"));
  if (header) require(header->find("inline constexpr auto net = ctq::model(\n") != header->npos);
  const auto model = ctq::read_fx(text, ctq::ops<ctq::builtin>::value, "fuzz.json");
  if (header) require(model.has_value());
  if (!model) return 0;
  static const auto mapping = ctq::default_qconfig_mapping_entries("x86", false);
  const auto form = static_cast<tool::explain_form>(size % 4);
  const auto explained = tool::explain_rows(
      *model, ctq::backend_v<ctq::x86>, {mapping.data(), static_cast<int>(mapping.size())}, form);
  require(explained ? !explained->text.empty() : !explained.error().cause.empty());
  // Both refuse the same models, in the same words.
  if (explained && !header) require(explained->problem == header.error().cause);
  return 0;
}
