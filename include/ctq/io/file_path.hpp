// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "ctq/core/result.hpp"

// An argument that names a file, without <filesystem>, which is slow to compile.

namespace ctq {

/// The name of a file: a literal, a string, a std::filesystem::path, or any type with c_str().
class file_path {
 public:
  file_path(const char* name) : name_(name == nullptr ? "" : name) {}
  file_path(std::string name) : name_(std::move(name)) {}
  file_path(std::string_view name) : name_(name) {}
  template <class Path>
  requires(!std::convertible_to<const Path&, std::string_view>) && requires(const Path& p) {
    { p.c_str() } -> std::convertible_to<const char*>;
  }
  file_path(const Path& path) : name_(path.c_str()) {}

  /// Errors  an empty name, which a null pointer gives, too; a name with a zero byte
  [[nodiscard]] status check() const {
    if (name_.empty()) return fail("file name", "is empty");
    if (name_.find('\0') != std::string::npos)
      return fail("file name", std::string{"has a zero byte after "} + name_.c_str());
    return done{};
  }

  [[nodiscard]] const char* c_str() const { return name_.c_str(); }
  [[nodiscard]] const std::string& string() const { return name_; }
  /// The part after the last slash.
  [[nodiscard]] std::string filename() const { return name_.substr(name_.rfind('/') + 1); }

 private:
  std::string name_;
};

}  // namespace ctq
