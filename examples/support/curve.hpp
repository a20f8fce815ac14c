// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "ctq/core/result.hpp"

// A curve of numbers, as a PNG file.

namespace demo {

struct curve_options {
  std::string title{};       // ASCII
  std::size_t averaged = 1;  // the dark line is the mean of so many values up to each
};

/// Values in light color, their moving mean as a dark line; from 0 to the largest mean and a
/// quarter. Errors  no values, or none above 0; a file that cannot be written
[[nodiscard]] ctq::status write_curve(const std::filesystem::path& path,
                                      std::span<const double> values, const curve_options& o);

}  // namespace demo
