// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expected_error.hpp"

#include <map>

namespace golden {
namespace {

/// A part of ctq's message for each class of errors that ctq shares.
const std::map<std::string, std::string>& words_of_reasons() {
  static const std::map<std::string, std::string> words{
      {"range_beyond_int64", "exceeds 64-bit integers"},
      {"range_not_finite", "too wide for float32"},
      {"range_overflows_float32", "too wide for float32"},
      {"fixed_qparams_observer_required", "must specify fixed qparams"},
      {"per_channel_weight_of_transposed_conv", "a per-channel weight observer"},
      {"observer_without_qparams", "no scale and zero point come from"},
      {"output_quantized_indexes_unsupported", "output_quantized_indexes"},
      {"output_without_qconfig", "no qconfig for a quantized output"},
      {"convert_mapping_differs_from_prepare", "qconfig_mapping of convert"},
  };
  return words;
}

}  // namespace

std::string wrong_error(const json& c, const char* field, const std::string& message) {
  const std::string text = c.value(field, "");
  if (message.empty()) return "no error, but in PyTorch: " + text;
  const std::string reason = c.value(std::string(field) + "_reason", "");
  const auto found = words_of_reasons().find(reason);
  // An accident inside of PyTorch: ctq need only fail as well.
  if (found == words_of_reasons().end()) return {};
  if (message.find(found->second) != std::string::npos) return {};
  return "fails with \"" + message + "\", not for " + reason;
}

}  // namespace golden
