// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libFuzzer target: a model and a safetensors file give the state of its modules, or an error.
//
// The input is the rows of the model, a line break and the file.

#include "ctq/io/load_modules.hpp"

#include <algorithm>
#include <span>

#include "ctq/io/load_weights.hpp"
#include "ctq/io/read_fx.hpp"
#include "fuzz.hpp"

using fuzzing::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::count(size);
  const std::string_view text = fuzzing::text_of(data, size);
  const std::size_t end = std::min(text.find('\n'), size);
  const auto content = std::as_bytes(std::span{data, size}).subspan(std::min(end + 1, size));
  const auto file = ctq::parse_safetensors(content, "fuzz");
  if (file) {
    const auto weights = ctq::weights_of(*file);
    require(weights.has_value() || !weights.error().cause.empty());
  }
  const auto model = ctq::read_fx(text.substr(0, end));
  if (!model || !file) return 0;
  const auto modules = ctq::modules_of(*model, *file);
  if (!modules) {
    require(!modules.error().place.empty() && !modules.error().cause.empty());
    return 0;
  }
  for (const ctq::stored_tensor& t : file->tensors) require(modules->find(t.name) != nullptr);
  for (int i = 0; i < model->view().size(); ++i)
    static_cast<void>(modules->attributes_of(path_of(model->view()[i])));
  return 0;
}
