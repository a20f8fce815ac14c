// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

// The golden models as a project that uses ctq has its own: files for `ctq import` and for a
// program that contains the generated headers. For each case
//
//   NAME.json              the traced rows, with the shape of each input and the options of each
//                          module, which are found as module_options.hpp says
//   NAME.mapping.json      the QConfigMapping, as ctq reads it
//   NAME.safetensors       the state_dict
//   NAME.data.safetensors  calibration.STEP.INPUT, evaluation.INPUT and, if PyTorch could run its
//                          integers, expected: its output, or that of its reference model where
//                          its kernel of that build is wrong
//
// and cases.json, a list of {"name": …, "backend": …}; with "reason" instead of a backend for a
// case that has no such form.

namespace golden {

/// Writes the cases of that name, or all. Throws malformed if there is no such case.
void write_models(const std::filesystem::path& folder, const std::filesystem::path& to,
                  const std::vector<std::string>& names);

}  // namespace golden
