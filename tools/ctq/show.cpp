// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "backend_source.hpp"
#include "commands.hpp"
#include "ctq/json/nearest.hpp"
#include "ctq/json/write_backend.hpp"
#include "ctq/ops/op_table.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace tool {

namespace {

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// The ops for a name: those of this name, in any spelling; else those with this last part.
class op_choice {
 public:
  op_choice(const std::string& name, const ctq::backend_view& backend) : name_(name) {
    const ctq::op_table& known = ctq::ops<ctq::builtin>::value;
    for (int i = 0; i < known.size(); ++i) offer(known[i]);
    for (const ctq::backend_pattern_config_record& c : backend.configs)
      for (const ctq::pattern_element& e : c.pattern.element)
        if (e.op != nullptr) offer(e.op);
  }

  [[nodiscard]] bool known() const { return !exact_.empty() || !similar_.empty(); }
  [[nodiscard]] std::string_view nearest() const { return near_.found(); }

  [[nodiscard]] bool is_in(const ctq::pattern_record& p) const {
    const std::vector<ctq::op_id>& wanted = exact_.empty() ? similar_ : exact_;
    return std::any_of(p.element.begin(), p.element.end(), [&](const ctq::pattern_element& e) {
      return std::find(wanted.begin(), wanted.end(), e.op) != wanted.end() && e.op != nullptr;
    });
  }

 private:
  void offer(ctq::op_id op) {
    if (ctq::qualified(name_).is(op->name)) exact_.push_back(op);
    if (last_part(op->name) == name_) similar_.push_back(op);
    near_.offer(op->name);
  }

  const std::string& name_;
  ctq::json::nearest near_{name_};
  std::vector<ctq::op_id> exact_, similar_;
};

}  // namespace

exit_code show(const show_options& options) {
  const auto source = backend_source::open(options.backend);
  if (!source) return source.code();
  ctq::backend_view backend = source->view();
  std::vector<ctq::backend_pattern_config_record> chosen;
  if (!options.op.empty()) {
    const op_choice wanted(options.op, backend);
    if (!wanted.known()) {
      complain("{} is not a known op{}{}{}", options.op,
               wanted.nearest().empty() ? "" : ", did you mean ", wanted.nearest(),
               wanted.nearest().empty() ? "" : "?");
      return unreadable;
    }
    for (const ctq::backend_pattern_config_record& c : backend.configs)
      if (wanted.is_in(c.pattern)) chosen.push_back(c);
    if (chosen.empty()) {
      complain("no pattern of {} names {}", backend.name, options.op);
      return findings;
    }
    backend.configs = {chosen.data(), static_cast<int>(chosen.size())};
  }
  std::string out;
  if (options.json) {
    ctq::json::append_json(out, backend);
    fmt::print("{}", out);
    return fine;
  }
  options.markdown ? append_markdown(out, backend) : append_table(out, backend);
  fmt::print("{}", out);
  return fine;
}

}  // namespace tool
