// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend_source.hpp"

#include <filesystem>

#include "builtin_backends.hpp"
#include "ctq/json/nearest.hpp"
#include "read_text.hpp"
#include "report.hpp"
#include "terminal.hpp"

namespace tool {

namespace {

void say_unknown(const std::string& name) {
  ctq::json::nearest near{name};
  std::string known;
  for (const ctq::backend_view& b : builtin_backends()) {
    near.offer(b.name);
    known.append(known.empty() ? "" : ", ").append(b.name);
  }
  complain("{}: no such file, and no backend of this name{}{}{}; there are {}", name,
           near.found().empty() ? "" : ", did you mean ", near.found(),
           near.found().empty() ? "" : "?", known);
}

}  // namespace

opened<backend_source> backend_source::open(const std::string& name_or_file, bool shown) {
  backend_source source;
  for (const ctq::backend_view& b : builtin_backends()) {
    if (b.name != name_or_file) continue;
    source.builtin_ = b;
    return source;
  }
  std::error_code ignored;
  if (name_or_file != "-" && !std::filesystem::exists(name_or_file, ignored)) {
    say_unknown(name_or_file);
    return unreadable;
  }
  const auto text = read_text(name_or_file);
  if (!text) return unreadable;
  source.file_.emplace(*text);
  if (source.file_->valid() && shown) source.file_.emplace(with_visible_strings(*text));
  if (source.file_->valid()) return source;
  for (const ctq::finding* f : in_order_of_place(source.file_->found(), true))
    print_error(located(name_or_file, *text, *f));
  return findings;
}

}  // namespace tool
