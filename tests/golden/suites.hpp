// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>

#include "ctq/core/semantics.hpp"
#include "report.hpp"
#include "tensors.hpp"

// The suites. Each compares ctq, with the semantics asked for, with the cases of one file, or with
// those of all files of a folder.

namespace golden {

void run_observers(const suite_file& file, ctq::semantics semantics, report& report);
void run_observers_2_1(const suite_file& file, ctq::semantics semantics, report& report);
void run_fusion(const suite_file& file, ctq::semantics semantics, report& report);
void run_quantize(const suite_file& file, ctq::semantics semantics, report& report);
void run_qconfigs(const suite_file& file, ctq::semantics semantics, report& report);
void run_custom_lstm(const suite_file& file, ctq::semantics semantics, report& report);
void run_qconfig_match(const std::filesystem::path& folder, ctq::semantics semantics,
                       report& report);
void run_models(const std::filesystem::path& folder, ctq::semantics semantics, report& report);
void run_backend_configs(const std::filesystem::path& folder, ctq::semantics semantics,
                         report& report);

}  // namespace golden
