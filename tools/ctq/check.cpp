// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "builtin_backends.hpp"
#include "commands.hpp"
#include "ctq/json/backend_file.hpp"
#include "ctq/json/custom_config/file.hpp"
#include "ctq/json/mapping_file.hpp"
#include "ctq/json/write.hpp"
#include "read_text.hpp"
#include "report.hpp"
#include "terminal.hpp"

namespace tool {

namespace {

enum class spec_kind { backend, mapping, prepare_custom_config, convert_custom_config };

/// By the keys: a backend has configs, a QConfigMapping has levels. A custom config with nothing
/// but preserved attributes can be that of prepare, convert or fuse.
spec_kind kind_of(std::string_view text) {
  const ctq::json::document document = ctq::json::parse(text.data(), text.size());
  if (document.error.any()) return spec_kind::backend;
  const ctq::json::element root = document.root(text.data());
  if (root.type() != ctq::json::kind::object || root.find("configs")) return spec_kind::backend;
  for (const char* const level :
       {"", "object_type", "module_name_regex", "module_name", "module_name_object_type_order"})
    if (root.find(level)) return spec_kind::mapping;
  if (root.find("observed_to_quantized_custom_module_class"))
    return spec_kind::convert_custom_config;
  for (const char* const key :
       {"standalone_module_name", "standalone_module_class",
        "float_to_observed_custom_module_class", "non_traceable_module_name",
        "non_traceable_module_class", "input_quantized_idxs", "output_quantized_idxs",
        "preserved_attributes"})
    if (root.find(key)) return spec_kind::prepare_custom_config;
  return spec_kind::backend;
}

class printer {
 public:
  explicit printer(const check_options& options)
      : options_(options), colour_(!options.json && uses_colour()) {}

  exit_code check(const std::string& file) {
    const auto text = read_text(file);
    if (!text) return unreadable;
    const std::string name = file == "-" ? "<stdin>" : file;
    const spec_kind kind = kind_of(*text);
    if (kind == spec_kind::backend) return print(name, ctq::json::backend_file{*text});
    if (kind == spec_kind::mapping) return print(name, ctq::json::mapping_file{*text});
    const auto known = builtin_backends();
    return print(name,
                 ctq::json::custom_config_file{*text,
                                               kind == spec_kind::convert_custom_config
                                                   ? ctq::json::custom_config_kind::convert
                                                   : ctq::json::custom_config_kind::prepare,
                                               ctq::ops<ctq::builtin>::value,
                                               {known.data(), static_cast<int>(known.size())}});
  }

  void finish() const {
    if (options_.json) fmt::print("[{}\n]\n", json_);
  }

 private:
  template <class File>
  exit_code print(const std::string& name, const File& read) {
    const auto found = in_order_of_place(read.found(), options_.errors_only);
    std::size_t errors = 0;
    for (const ctq::finding* f : found) {
      errors += f->severity == ctq::severity::error ? 1U : 0U;
      if (options_.json) {
        add_json(name, read.text(), *f);
      } else {
        fmt::print("{}\n", located(name, read.text(), *f, colour_));
      }
    }
    summarize(name, errors, found.size() - errors, read.found().full() ? ", and maybe more" : "");
    return found.empty() ? fine : findings;
  }

  static void summarize(const std::string& name, std::size_t errors, std::size_t warnings,
                        const char* rest) {
    flush_output();
    const auto plural = [](std::size_t n, const char* word) {
      return n == 0 ? std::string{} : fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
    };
    const std::string e = plural(errors, "error");
    const std::string w = plural(warnings, "warning");
    print_error(fmt::format("{}: {}{}{}{}", name, e.empty() && w.empty() ? "no findings" : e,
                            e.empty() || w.empty() ? "" : ", ", w, rest));
  }

  /// JSON has escapes of its own, but no bytes that are not UTF-8.
  static std::string in_json(const std::string& text) {
    return ctq::json::is_utf8(text) ? text : visible(text);
  }

  void add_json(const std::string& name, std::string_view text, const ctq::finding& f) {
    const auto at = ctq::json::position_at(text.data(), text.size(), ctq::json::at_of(f));
    std::string message;
    ctq::append_finding(message, f);
    // Without severity and rule, which are separate members.
    message.erase(0, name_of(f.severity).size() + 2);
    message.erase(message.size() - about(f.rule).name.size() - 3);
    json_ += json_.empty() ? "\n  " : ",\n  ";
    ctq::json::writer json{json_};
    json.object([&] {
      json.member("file", in_json(name));
      json.member("line", at.line);
      json.member("column", at.column);
      json.member("severity", name_of(f.severity));
      json.member("rule", about(f.rule).name);
      json.member("message", in_json(message));
    });
  }

  const check_options& options_;
  bool colour_;
  std::string json_;
};

}  // namespace

exit_code check(const check_options& options) {
  printer out(options);
  exit_code worst = fine;
  for (const std::string& file : options.files) worst = std::max(worst, out.check(file));
  out.finish();
  return worst;
}

}  // namespace tool
