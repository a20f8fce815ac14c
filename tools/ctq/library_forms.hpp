// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

// The files that ctq import --library writes, with keys such as @NAME@ in place of what depends on
// the network.

namespace tool {

extern const std::string_view class_form;  // NAME.hpp
extern const std::string_view code_form;   // NAME.cpp
extern const std::string_view meson_form;  // meson.build
extern const std::string_view cmake_form;  // CMakeLists.txt

// Parts of the first two, for networks that read indices. The keys of fmt::format are the inputs,
// of the code the class, the inputs, and their addresses.
extern const std::string_view index_problem_form;
extern const std::string_view index_problem_code_form;
extern const std::string_view index_problem_helper;

}  // namespace tool
