// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mapping_source.hpp"

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "read_text.hpp"
#include "report.hpp"
#include "terminal.hpp"

namespace tool {

opened<mapping_source> mapping_source::open(const std::string& file, const ctq::op_table& ops,
                                            std::string_view backend, bool shown) {
  mapping_source source;
  if (file.empty()) {
    source.default_ = ctq::default_qconfig_mapping_entries(backend, false);
    if (!source.default_.empty()) return source;
    complain("{} has no default QConfigMapping; name one with --mapping", backend);
    return unreadable;
  }
  const auto text = read_text(file);
  if (!text) return unreadable;
  source.file_.emplace(*text, ops);
  if (source.file_->valid() && shown) source.file_.emplace(with_visible_strings(*text), ops);
  if (source.file_->valid()) return source;
  for (const ctq::finding* f : in_order_of_place(source.file_->found(), true))
    print_error(located(file, *text, *f));
  return findings;
}

ctq::mapping_view mapping_source::view() const {
  if (file_) return file_->view();
  return {default_.data(), static_cast<int>(default_.size())};
}

}  // namespace tool
