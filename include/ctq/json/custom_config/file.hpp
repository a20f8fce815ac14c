// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/json/custom_config/read.hpp"
#include "ctq/json/op_declarations.hpp"
#include "ctq/json/spec_file.hpp"

// A custom config of prepare, convert or fuse, read from JSON at run time, with its findings.

namespace ctq::json {

/// Owns the text, and the config that it describes.
class custom_config_file : public spec_file {
 public:
  /// Reads and checks. Never fails: errors are in found().
  ///   ops       ops that it can name besides those that it declares; must outlive this object
  ///   backends  backends that standalone modules can name; must outlive this object
  custom_config_file(std::string_view text, custom_config_kind kind,
                     const op_table& ops = ctq::ops<builtin>::value,
                     const view<backend_view>& backends = {})
      : spec_file(text) {
    if (!valid()) return;
    declared_ = op_declarations{root(), ops, found_}.declared;
    for (const op_id op : ops.own) own_.push_back(op);
    for (const op_info& op : declared_) own_.push_back(&op);
    const custom_config_draft d =
        custom_config_reader{root(), kind, {own_ops(), ops.builtin}, backends, found_}.draft;
    lists_ = {d.custom_modules,
              d.names,
              d.classes,
              d.indexes,
              d.entries,
              list<mapping_view>(d.mappings.size()),
              list<standalone_module>(d.standalone.size())};
    link(d, backends, lists_);
    root_ = linked(d.root, lists_);
  }

  /// The ops that it was given, and those that it declares.
  [[nodiscard]] view<op_id> own_ops() const& {
    return {own_.data(), static_cast<int>(own_.size())};
  }

  // They point into this object. Incomplete unless valid().

  /// The config of a file of kind prepare.
  [[nodiscard]] const prepare_custom_config& prepare() const& { return root_; }
  /// The config of a file of kind convert.
  [[nodiscard]] convert_custom_config convert() const& {
    return {root_.custom_modules, root_.preserved_attributes};
  }
  /// The config of a file of kind fuse.
  [[nodiscard]] fuse_custom_config fuse() const& { return {root_.preserved_attributes}; }

  view<op_id> own_ops() const&& = delete;
  const prepare_custom_config& prepare() const&& = delete;
  convert_custom_config convert() const&& = delete;
  fuse_custom_config fuse() const&& = delete;

 private:
  list<op_info> declared_;
  list<op_id> own_;
  custom_config_lists lists_;
  prepare_custom_config root_;
};

}  // namespace ctq::json
