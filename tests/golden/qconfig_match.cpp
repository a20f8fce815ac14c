// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ctq/io/read_fx.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/prepare.hpp"
#include "expected_error.hpp"
#include "golden_backends.hpp"
#include "op_models.hpp"
#include "prepare_warnings.hpp"
#include "qconfig_records.hpp"
#include "shown_graphs.hpp"
#include "suites.hpp"

// What becomes of one op under each qconfig with each backend: observers, warnings, the reference
// model, or an error.

namespace golden {
namespace {

using ctq::op_kind;
using ctq::stage;

// ---- one case

struct stages {
  ctq::dynamic_graph<stage::fused> fused;
  ctq::dynamic_graph<stage::prepared> prepared;
  ctq::dynamic_graph<stage::reference> reference;
  std::vector<std::string> warnings;
};

class op_case {
 public:
  op_case(const json& c, const ctq::fx_graph& model, const ctq::backend_view& backend,
          const json& qconfig)
      : c_(c), model_(model), backend_(backend), qconfig_(qconfig_from(qconfig)) {
    entry_.level = ctq::mapping_level::global;
    entry_.quantizes = qconfig_.has_value();
    entry_.qconfig = qconfig_.value_or(ctq::qconfig_record{});
  }

  [[nodiscard]] outcome run(ctq::semantics s) const {
    std::string why = check(s);
    if (!why.empty() && torch_crashes()) return outcome::known("torch_crashes");
    if (why.empty() || s == ctq::semantics::torch_1_13) return outcome::of(std::move(why));
    const std::string rule = rule_for(s);
    if (!rule.empty() && check(ctq::semantics::torch_1_13).empty()) return outcome::known(rule);
    return outcome::of(std::move(why));
  }

 private:
  /// Python's own errors, of a lookup that fails inside PyTorch: nothing that it means to say. Per
  /// channel it asks for an axis that a vector has not.
  [[nodiscard]] bool torch_crashes() const {
    const std::string error = c_.value("error", "");
    return error.starts_with("KeyError") || error.starts_with("IndexError");
  }

  [[nodiscard]] stages run_passes(ctq::semantics s) const {
    const ctq::mapping_view mapping{&entry_, 1};
    const ctq::prepare_options options{.semantics = s, .policy = ctq::unsupported::skip};
    stages all;
    all.fused = fuse(model_.view(), backend_, {.semantics = s});
    all.prepared = prepare_graph(all.fused.view(), backend_, mapping, options);
    all.warnings = prepare_warnings(all.fused.view(), backend_, mapping, options);
    all.reference = convert_graph(all.prepared.view(), backend_, mapping,
                                  {.semantics = s, .prepared = options});
    return all;
  }

  [[nodiscard]] std::string check(ctq::semantics s) const {
    const stages got = run_passes(s);
    if (!c_.contains("nodes"))
      return wrong_error(c_, "error", std::string{got.prepared.problem.message()});
    if (got.prepared.problem.any())
      return "prepare: " + std::string{got.prepared.problem.message()};
    std::string why;
    compare("observed", observed_names(got.prepared.view()), why);
    compare("nodes", shown_nodes(got.prepared.view()), why);
    why += wrong_warnings(c_.value("warnings", json::array()), got.warnings);
    if (!c_.contains("ref_targets")) {
      why += wrong_error(c_, "error", std::string{got.reference.problem.message()});
    } else if (got.reference.problem.any()) {
      why += "convert: " + std::string{got.reference.problem.message()};
    } else {
      compare("ref_targets", shown_calls(got.reference.view(), backend_), why);
    }
    return why;
  }

  void compare(const char* what, const json& got, std::string& why) const {
    json wanted = c_.at(what);
    if (std::string_view{what} == "observed") std::sort(wanted.begin(), wanted.end());
    if (std::string_view{what} == "nodes") wanted = without_tuples(std::move(wanted));
    if (wanted != got)
      why += std::string{what} + " " + got.dump() + ", not " + wanted.dump() + "; ";
  }

  /// By which rule a later PyTorch, or ctq, answers otherwise.
  [[nodiscard]] std::string rule_for(ctq::semantics s) const {
    for (int i = 0; i < model_.view().size(); ++i) {
      const ctq::op_id op = model_.view()[i].op;
      const bool is_call = op->kind == op_kind::module || op->kind == op_kind::function;
      if (!is_call) continue;
      if (has_fixed_qparams(*op->descriptor) && !fixed_qparams_ops_require_their_observer(s))
        return "fixed_qparams_ops_require_their_observer";
      if (op->kind == op_kind::function && op->descriptor->weights == ctq::op_weights::in_float &&
          !norm_weights_are_observed(s))
        return "norm_weights_are_observed";
      if (op->kind == op_kind::module && op->descriptor->weights != ctq::op_weights::none &&
          !weights_of_modules_are_unchecked(s))
        return "weights_of_modules_are_unchecked";
    }
    return {};
  }

  const json& c_;
  const ctq::fx_graph& model_;
  ctq::backend_view backend_;
  std::optional<ctq::qconfig_record> qconfig_;
  ctq::mapping_entry entry_;
};

/// The models by the names of their ops: made from the name, but for those whose cases show another
/// one.
class op_models {
 public:
  explicit op_models(const json& cases) {
    for (const json& c : cases)
      if (c.contains("nodes")) shown_.emplace(c.at("op").get<std::string>(), &c.at("nodes"));
  }

  const ctq::fx_graph& find(const std::string& op) {
    if (const auto known = read_.find(op); known != read_.end()) return known->second;
    json rows = op_model(op);
    if (const auto shown = shown_.find(op); shown != shown_.end()) {
      json from = op_model_from(op, *shown->second);
      if (from != rows) rows = std::move(from);
    }
    auto model = ctq::read_fx(rows.dump());
    if (!model) throw malformed(model.error().message());
    return read_.emplace(op, *std::move(model)).first->second;
  }

 private:
  std::map<std::string, const json*> shown_;
  std::map<std::string, ctq::fx_graph> read_;
};

}  // namespace

void run_qconfig_match(const std::filesystem::path& folder, ctq::semantics s, report& report) {
  const auto file = suite_file::open(folder, "qconfig_match");
  if (!file) return;
  golden_backends backends{folder};
  op_models models{file->list("cases")};
  const json qconfigs = file->doc().value("qconfigs", json::object());
  for (const json& c : file->list("cases")) {
    std::string name = "a case";
    try {
      const auto op = c.at("op").get<std::string>();
      const auto qconfig = c.at("qconfig").get<std::string>();
      const auto backend = c.at("backend").get<std::string>();
      name = op + " " + qconfig + " " + backend;
      report.add(name,
                 op_case{c, models.find(op), backends.find(backend), qconfigs.at(qconfig)}.run(s));
    } catch (const std::exception& e) {
      report.add(name, {outcome::kind::failed, e.what()});
    }
  }
}

}  // namespace golden
