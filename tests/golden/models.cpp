// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ctq/observers/observer.hpp"
#include "expected_error.hpp"
#include "fx_printing.hpp"
#include "model_case.hpp"
#include "model_stages.hpp"
#include "model_tolerances.hpp"
#include "model_values.hpp"
#include "module_options.hpp"
#include "observer_cases.hpp"
#include "prepare_warnings.hpp"
#include "suites.hpp"
#include "traced_rows.hpp"

// Whole models: the same nodes, arguments, observers and sharing as PyTorch's after each stage, and
// the same numbers. Weights and observers of inputs have PyTorch's parameters bit for bit; for what
// the model computes the order of sums decides the last bits, so these have a tolerance.

namespace golden {
namespace {

using ctq::node_value;
using ctq::stage;

std::string stage_problem(const char* where, const std::string& why) {
  return why.empty() ? "" : std::string(where) + ": " + why + "; ";
}

class model_check {
 public:
  model_check(const suite_file& file, const json& c, golden_backends& backends,
              ctq::semantics semantics)
      : file_(file),
        c_(c),
        backends_(backends),
        semantics_(semantics),
        case_(c, backends, semantics),
        modules_(modules_from(file, c.at("params"))) {}

  outcome result() {
    const std::string why = run();
    if (why.empty()) return rule_.empty() ? outcome::of({}) : outcome::known(rule_);
    const std::string rule = rule_of_releases();
    return rule.empty() ? outcome::of(why) : outcome::known(rule);
  }

 private:
  /// The golden data is 1.13's: where another release or ctq itself does better, answers differ.
  /// The rule by which they may in this case, if they do not under 1.13; empty if they may not.
  [[nodiscard]] std::string rule_of_releases() const {
    constexpr auto of_data = ctq::semantics::torch_1_13;
    if (semantics_ == of_data) return {};
    const std::string rule = fitting_rule();
    if (rule.empty()) return {};
    const outcome old = model_check(file_, c_, backends_, of_data).result();
    return old.kind == outcome::kind::failed ? std::string() : rule;
  }

  [[nodiscard]] std::string fitting_rule() const {
    const std::string reason = c_.value("error_reason", "");
    if (quantizes_one_of_outputs()) return "outputs-are-quantized-one-by-one";
    if (reason == "fixed_qparams_observer_required") return "fixed-qparams-op-stays-in-float";
    if (reason == "output_without_qconfig") return "outputs-without-qconfig-stay-in-float";
    if (reason == "output_quantized_indexes_unsupported") return "outputs-are-quantized-one-by-one";
    std::set<std::string> paths;
    for (const json& row : c_.contains("traced") ? c_.at("traced") : json::array())
      if (row.at("op") == "call_module" && !paths.insert(row.at("target")).second)
        return "shared-module";
    const auto observed = c_.at("observed_node_names").get<std::set<std::string>>();
    for (const json& row : c_.at("prepared")) {
      const std::string name = row.at("name");
      if (row.contains("obs_id")) {
        if (row.at("module").at("type") == "aq.HistogramObserver")
          return "histogram-of-another-release";
        continue;
      }
      const std::string kind = row.at("op");
      const bool is_call = kind == "call_function" || kind == "call_module";
      const bool asked = is_call && c_.at("node_qconfig_is_none").contains(name) &&
                         !c_.at("node_qconfig_is_none").at(name).get<bool>();
      if (asked && !observed.contains(name)) return "rejected-pattern-promises-nothing";
    }
    if (leaves_in_float()) return "none-means-float-when-lowered";
    if (observers_differ_by_arguments()) return "observers-are-compared-by-their-arguments";
    if (case_.is_qat() && (!c_.at("mapping").at("module_name_regex").empty() ||
                           !c_.at("mapping").at("module_name_object_type_order").empty()))
      return "qat-modules-have-the-qconfig-of-their-node";
    if (!c_.contains("reference")) return {};
    if (case_.is_qat() && c_.at("mapping").dump().find("FusedMovingAvg") != std::string::npos)
      return "fused-fake-quantize-has-one-formula";
    if (has_relu_behind_module()) return "relu-behind-a-module-is-kept";
    for (const json& row : c_.at("reference"))
      if (row.at("op") == "call_module" && observed.contains(row.at("name")) &&
          c_.at("params").contains(row.at("target").get<std::string>() + ".weight") &&
          row.dump().find("weight_scale") == std::string::npos)
        return "weight-is-checked-in-prepare";
    const auto g = stages_->lowered();
    for (int i = 0; i < g.size(); ++i)
      if (const ctq::op_id from = ctq::lowered::origin_of(g[i].op).op;
          from != nullptr && from->descriptor->weights == ctq::op_weights::none &&
          g[i].arg_count == 1)
        return "scalar-keeps-the-scale";
    if (requantizes(g) || copies_to_other_scale(g))
      return "copies-take-the-scale-of-their-observer";
    if (clamps_channels_last(g)) return "clamp-knows-where-channels-lie";
    return {};
  }

  /// Is there an op without a qconfig that might run on integers all the same?
  [[nodiscard]] bool leaves_in_float() const {
    if (c_.contains("convert_qconfig_mapping")) return true;
    for (const json& row : c_.at("prepared"))
      if (row.at("op") != "placeholder" && row.at("op") != "output" &&
          c_.at("node_qconfig_is_none").value(row.at("name").get<std::string>(), false))
        return true;
    return false;
  }

  /// Do readers of one value request observers of the same class with other arguments?
  [[nodiscard]] bool observers_differ_by_arguments() const {
    const auto g = quantized_.prepared.view();
    for (int i = 0; i < g.size(); ++i)
      for (int k = 0; k < i; ++k)
        if (g[i].observer_config != nullptr && g[k].observer_config != nullptr &&
            g.args_of(i)[0] == g.args_of(k)[0] &&
            ctq::preparing::is_same_class(*g[i].observer_config, *g[k].observer_config) &&
            !(*g[i].observer_config == *g[k].observer_config))
          return true;
    return false;
  }

  /// Of outputs that are several.
  [[nodiscard]] bool quantizes_one_of_outputs() const {
    if (c_.value("output_quantized_indexes", json::array()).empty() || !c_.contains("prepared"))
      return false;
    const json& out = c_.at("prepared").back().at("args").at(0);
    return !(out.is_object() && out.contains("n"));
  }

  /// A module with a weight that becomes one on integers together with a relu that is no part of
  /// it.
  [[nodiscard]] bool has_relu_behind_module() const {
    const auto g = stages_->prepared();
    for (int i = 0; i < g.size(); ++i)
      if (ctq::lowering::is_fusible_relu(g[i].op) && g[i].arg_count == 1 &&
          g.arg(i, 0).op->kind == ctq::op_kind::module &&
          g.arg(i, 0).op->descriptor->weights != ctq::op_weights::none)
        return true;
    return false;
  }

  std::string run() {
    if (case_.is_qat()) take_trained_parameters();
    quantized_ = case_.quantized();
    std::string why = check_float();
    stages_ = stages();
    if (!c_.contains("prepared"))
      return why + stage_problem("prepare", wrong_error(c_, "error", stages_->prepare_problem()));
    why += stage_problem("prepare", stages_->prepare_problem());
    why += stage_problem("prepared",
                         difference_of_rows(file_, c_.at("prepared"), stages_->prepared_rows()));
    why += stage_problem(
        "prepare", wrong_warnings(c_.at("prepare_warnings"),
                                  prepare_warnings(stages_->fused(), case_.backend(),
                                                   case_.mapping(), case_.prepare_options())));
    if (!why.empty()) return why;
    if (!c_.contains("reference"))
      return stage_problem("convert", wrong_error(c_, "error", stages_->convert_problem()));
    why += stage_problem("convert", stages_->convert_problem());
    why += check_calibration();
    why += stage_problem("reference",
                         difference_of_rows(file_, c_.at("reference"), stages_->reference_rows()));
    why += check_reference();
    why += check_custom_modules();
    why += check_preserved_attributes();
    return why + check_lowered();
  }

  [[nodiscard]] std::unique_ptr<model_stages> stages() const {
    return std::make_unique<model_stages>(file_, case_, quantized_, case_.convert_options().mapping,
                                          modules_,
                                          c_.contains("reference") ? c_.at("reference") : json{});
  }

  /// What PyTorch's quantized custom modules hold.
  std::string check_custom_modules() const {
    const json kinds = c_.value("custom_modules", json::object());
    for (const auto& [kind, classes] : kinds.items())
      for (const auto& [type, forms] : classes.items())
        for (const auto& [path, module] : forms.at("modules").items()) {
          const auto row = [](const json& children) {
            return json::array({{{"name", "a module"}, {"target", ""}, {"module", children}}});
          };
          const std::string why =
              difference_of_rows(file_, row(module.at("quantized").at("children")),
                                 row(stages_->custom_children(path)));
          if (!why.empty()) return stage_problem(path.c_str(), why);
        }
    return {};
  }

  std::string check_preserved_attributes() const {
    if (!c_.contains("preserved_attributes")) return {};
    const json& all = c_.at("preserved_attributes");
    const auto are = [&all](const char* field, const std::vector<std::string_view>& got) {
      return all.at(field).get<std::set<std::string>>() ==
             std::set<std::string>(got.begin(), got.end());
    };
    const bool right = are("kept_in_prepared", quantized_.attributes_prepared) &&
                       are("kept_in_reference", quantized_.attributes_converted) &&
                       are("kept_in_lowered", quantized_.attributes_converted);
    return right ? "" : "other attributes are preserved; ";
  }

  /// By how much an output may differ at most; 0: the case says nothing of it.
  [[nodiscard]] double tolerance_of(const std::string& field) const {
    if (!c_.contains("tolerance")) return 0.0;
    const json& t = c_.at("tolerance");
    for (const json& f : t.at("fields"))
      if (f == field) return t.at("absolute");
    return 0.0;
  }
  /// Empty if the output is the one of this field.
  [[nodiscard]] std::string wrong_output(const char* field, const output_difference& d) const {
    const bool near =
        d.within(float_tolerance) || (d.problem.empty() && d.largest <= tolerance_of(field));
    return stage_problem(field, near ? "" : d.words());
  }

  [[nodiscard]] std::vector<std::vector<node_value>> calibration_inputs() const {
    std::vector<std::vector<node_value>> all;
    for (const json& one : c_.at("calib_inputs")) all.push_back(values_from(file_, one));
    return all;
  }
  [[nodiscard]] std::vector<node_value> eval_inputs() const {
    return values_from(file_, c_.at("eval_inputs"));
  }
  [[nodiscard]] std::vector<node_value> quantized_inputs() const {
    return values_from(file_, c_.at(c_.contains("quantized_eval_inputs") ? "quantized_eval_inputs"
                                                                         : "eval_inputs"));
  }

  /// A batch norm that is trained lies inside its conv: c.bn.weight is bn.weight of the model.
  void take_trained_parameters() {
    if (!c_.contains("params_after_train")) return;
    const ctq::fx_graph& g = case_.traced();
    for (const auto& [name, j] : c_.at("params_after_train").items()) {
      std::string path = name;
      const std::size_t inside = name.find(".bn.");
      for (int i = 0; inside != std::string::npos && i < g.view().size(); ++i)
        if (g.view()[i].arg_count == 1 && path_of(g.view()[i]) != name.substr(0, inside) &&
            path_of(g.view().arg(i, 0)) == name.substr(0, inside) &&
            g.view()[i].op->name.find("BatchNorm") != std::string_view::npos)
          path = std::string(path_of(g.view()[i])) + name.substr(inside + 3);
      modules_.set_tensor(path, value_from(file_, j).real());
    }
  }

  // --- The float model -------------------------------------------------------------------------

  std::string check_float() {
    std::string why;
    row_values numbers;
    numbers.tensor = [this](const std::string& path) -> json {
      return file_.read(c_.at("params").at(path)).values;
    };
    const auto fused = ctq::fuse(case_.traced().view(), case_.backend(), {semantics_, false});
    if (c_.contains("traced"))
      why += stage_problem("traced", difference_of_rows(file_, c_.at("traced"),
                                                        rows_of(case_.traced().view(), numbers)));
    if (c_.contains("fused"))
      why += stage_problem(
          "fused", difference_of_rows(file_, c_.at("fused"), rows_of(fused.view(), numbers)));
    option_search search{.graph = fused.view(), .accepts = {}, .implementation = {}};
    for (const auto& [path, type] : c_.at("modules").items()) search.types[path] = type;
    search.inputs = calibration_inputs();
    search.inputs.push_back(eval_inputs());
    if (c_.contains("qparams")) search.seen = seen_ranges();
    search.implementation = float_implementation(case_, modules_);
    std::string last;
    search.accepts = [&](const node_value& out) {
      const char* const field = c_.contains("fused_out")   ? "fused_out"
                                : c_.contains("float_out") ? "float_out"
                                                           : "reference_out";
      const bool of_float = std::string_view(field) != "reference_out";
      last = wrong_output(
          field, of_float ? compare_outputs(file_, c_.at(field), out) : reference_difference());
      return last.empty();
    };
    if (const std::string problem = find_options(search, modules_); !problem.empty())
      return why + stage_problem("options", last.empty() ? problem : last);
    if (!c_.contains("float_out")) return why;
    const auto out =
        ctq::evaluator<stage::traced>(case_.traced().view(), modules_,
                                      {.implementation = float_implementation(case_, modules_)})
            .run(eval_inputs());
    if (!out) return why + stage_problem("float_out", out.error().message());
    return why + wrong_output("float_out", compare_outputs(file_, c_.at("float_out"), out->back()));
  }

  /// Of a model in training nothing but what became of it is in the file.
  [[nodiscard]] output_difference reference_difference() const {
    const auto with = stages();
    const auto out = with->run_reference(quantized_inputs());
    if (out) return compare_outputs(file_, c_.at("reference_out"), *out);
    return {.problem = out.error().message()};
  }

  /// What observers saw, by name of the node. A model in training computes with what fake quantizes
  /// have rounded and cut off, so its ranges say nothing; nor does a moving average over several
  /// nodes.
  [[nodiscard]] std::map<std::string, seen_range> seen_ranges() const {
    std::map<int, int> uses;
    const auto g = quantized_.prepared.view();
    for (int i = 0; i < g.size(); ++i)
      if (g[i].observer_config != nullptr) ++uses[g[i].observer];
    std::map<std::string, seen_range> seen;
    for (int i = 0; i < g.size() && !case_.is_qat(); ++i) {
      if (g[i].observer_config == nullptr) continue;
      const bool shared = uses[g[i].observer] != 1;
      const ctq::observer_record& o = *g[i].observer_config;
      const bool averages = o.type == ctq::observer_class::moving_average_min_max;
      const bool widened = o.type == ctq::observer_class::histogram;
      if (!averages && !widened && o.type != ctq::observer_class::min_max) continue;
      if (averages && shared) continue;
      for (const json& q : c_.at("qparams"))
        if (q.at("node") == node_name(g[i]) && q.contains("min") && q.at("min").is_number())
          seen[case_.inlined_name(node_name(g.arg(i, 0)))] = {
              q.at("min"), q.at("max"), widened, averages ? o.args.averaging_constant : 1.0,
              shared};
    }
    return seen;
  }

  // --- Calibration -----------------------------------------------------------------------------

  std::string check_calibration() {
    // Of a trained model the file has the parameters of what came out.
    if (case_.is_qat() && !c_.value("calibrated", false)) return {};
    if (case_.is_qat())
      stages_->observers().enable(true, c_.at("calibration").at("fake_quant").get<bool>());
    for (const auto& inputs : calibration_inputs())
      if (const auto out = stages_->run_prepared(inputs); !out)
        return stage_problem("calibration", out.error().message());
    std::string why;
    const auto g = stages_->prepared();
    for (const json& wanted : c_.at("qparams"))
      for (int i = 0; i < g.size(); ++i)
        if (g[i].observer_config != nullptr &&
            wanted.at("node") == "activation_post_process_" + std::to_string(g[i].number))
          why += check_qparams(wanted, i);
    if (case_.is_qat()) why += check_weight_qparams();
    // What the evaluation observes comes after calibration, so that it cannot disturb it.
    const auto out =
        case_.is_qat() ? stages_->run_trained(eval_inputs()) : stages_->run_prepared(eval_inputs());
    if (!out) return why + stage_problem("prepared_out", out.error().message());
    const output_difference d = compare_outputs(file_, c_.at("prepared_out"), *out);
    const bool is_rounding = case_.is_qat() && d.is_rounding(stages_->deviation());
    return why + (is_rounding ? "" : wrong_output("prepared_out", d));
  }

  /// Of the fake quantizes of weights.
  std::string check_weight_qparams() const {
    for (const json& wanted : c_.at("weight_qparams")) {
      const std::string module = wanted.at("module");
      const auto qparams = stages_->observers().qparams(module);
      if (!qparams) return stage_problem(module.c_str(), "its weight has no qparams");
      const std::vector<double> zero_point(qparams->zero_point.begin(), qparams->zero_point.end());
      const std::string why =
          difference("scale", file_.numbers(wanted.at("scale")),
                     std::vector<double>(qparams->scale.begin(), qparams->scale.end())) +
          difference("zero_point", file_.numbers(wanted.at("zero_point")), zero_point);
      if (!why.empty()) return stage_problem(("weight of " + module).c_str(), why);
    }
    return {};
  }

  /// Does the observer see what was computed, or only inputs and weights?
  [[nodiscard]] bool sees_computed(int observer) const {
    const auto g = stages_->prepared();
    for (int i = 0; i < g.size(); ++i) {
      if (g[i].observer_config == nullptr || g[i].observer != observer) continue;
      const ctq::op_kind from = g.arg(i, 0).op->kind;
      if (from != ctq::op_kind::placeholder && from != ctq::op_kind::get_attr) return true;
    }
    return false;
  }

  /// Of computed values the last bits may differ: 4 units in the last place of the scale, and the
  /// zero point by one and by what the difference of the range shifts it.
  std::string check_qparams(const json& wanted, int i) {
    const ctq::node& n = stages_->prepared()[i];
    const auto qparams = stages_->observers().qparams(n.observer);
    const std::string place = "qparams of " + wanted.at("node").get<std::string>();
    if (!wanted.contains("scale"))
      return qparams ? stage_problem(place.c_str(), "there should be none") : "";
    if (!qparams) return stage_problem(place.c_str(), "there are none");
    const std::vector<double> scale = file_.numbers(wanted.at("scale"));
    const std::vector<double> zero_point = file_.numbers(wanted.at("zero_point"));
    std::vector<double> got_zero_point(qparams->zero_point.begin(), qparams->zero_point.end());
    if (!qparams->float_zero_point.empty())
      got_zero_point.assign(qparams->float_zero_point.begin(), qparams->float_zero_point.end());
    if (scale.size() != qparams->scale.size() || zero_point.size() != got_zero_point.size())
      return stage_problem(place.c_str(), "another number of channels");
    const bool exact = !sees_computed(n.observer);
    const ctq::quant_range range = range_of(n.observer_config->args);
    for (std::size_t c = 0; c < scale.size(); ++c) {
      const double allowed = exact ? 0.0 : 4 * std::ldexp(1.0, std::ilogb(scale[c]) - 23);
      const auto differs = [&](double by) {
        const double shift = by / scale[c] * static_cast<double>(range.max - range.min);
        return std::abs(qparams->scale[c] - scale[c]) > by ||
               std::abs(got_zero_point[c] - zero_point[c]) > (exact ? 0.0 : 1.0 + shift);
      };
      if (differs(allowed) &&
          (exact || differs(allowed + lost_in_sums(*stages_, modules_, calibration_inputs(), i)))) {
        if (!exact && n.observer_config->type == ctq::observer_class::histogram &&
            hangs_on_last_bits(n, {scale[c], allowed}, zero_point[c])) {
          rule_ = "histogram-grows-on-a-tie";
          return {};
        }
        if (!exact && std::abs(got_zero_point[c] - zero_point[c]) <= 1.0 &&
            std::abs(qparams->scale[c] - scale[c]) <=
                allowed + lost_by_elu(stages_->prepared(), i)) {
          rule_ = "elu-subtracts-from-exp";
          return {};
        }
        char text[120];
        std::snprintf(text, sizeof text, "%.9g, %g instead of %.9g, %g", qparams->scale[c],
                      got_zero_point[c], scale[c], zero_point[c]);
        return stage_problem(place.c_str(), text);
      }
    }
    return {};
  }

  struct tolerated {
    double value;
    double by;
  };

  /// A histogram grows by whole bins. Where its new range is a whole number of them already, the
  /// last bits of what it is shown decide whether it gets one more, and with it the parameters:
  /// PyTorch's are among those of values that are two units in the last place away.
  [[nodiscard]] bool hangs_on_last_bits(const ctq::node& n, tolerated scale, double zero_point) {
    std::vector<ctq::float_ops::tensor> shown;
    for (const auto& inputs : calibration_inputs())
      for (ctq::float_ops::tensor& t : stages_->shown_to(n.observer, inputs))
        shown.push_back(std::move(t));
    std::mt19937 random(1);
    for (int attempt = 0; attempt < 200; ++attempt) {
      ctq::observers::any_observer o(*n.observer_config, semantics_);
      for (ctq::float_ops::tensor t : shown) {
        for (float& x : t.data)
          x *= 1.0F + 0x1p-23F * static_cast<float>(static_cast<int>(random() % 5) - 2);
        o.observe(t.data);
      }
      const auto q = o.calculate_qparams();
      if (q && std::abs(static_cast<double>(q->scale) - scale.value) <= scale.by &&
          std::abs(q->zero_point - zero_point) <= 1.0)
        return true;
    }
    return false;
  }

  // --- Quantized models ------------------------------------------------------------------------

  std::string check_reference() {
    const auto out = stages_->run_reference(quantized_inputs());
    if (!out) return stage_problem("reference_out", out.error().message());
    const output_difference d = compare_outputs(file_, c_.at("reference_out"), *out);
    return d.is_rounding(stages_->deviation()) ? "" : wrong_output("reference_out", d);
  }

  static bool requantizes(ctq::graph_view<ctq::stage::lowered> g) {
    for (int i = 0; i < g.size(); ++i)
      if (g[i].op == ctq::q::requantize.id()) return true;
    return false;
  }
  /// Of dropouts and averages, which requantize in their own kernel.
  static bool copies_to_other_scale(ctq::graph_view<ctq::stage::lowered> g) {
    for (int i = 0; i < g.size(); ++i)
      if (is_quantized(g[i].dtype) && ctq::lowering::copies_values(g[i].op) &&
          g[i].arg_count == 1 && g[i].observer != g.arg(i, 0).observer)
        return true;
    return false;
  }

  std::string check_lowered() {
    if (!c_.contains("lowered")) {
      const std::string foreseen = lowering_error(stages_->lowered());
      const std::string reason = c_.value("lowered_error_reason", "");
      return foreseen == reason ? "" : "lowered: PyTorch fails for " + reason + "; ";
    }
    if (requantizes(stages_->lowered())) return "lowered: torch.fx has no form for requantize; ";
    std::string why = stage_problem(
        "lowered", difference_of_rows(file_, c_.at("lowered"), stages_->lowered_rows(), false));
    const auto out = stages_->run_lowered(quantized_inputs());
    if (!out) return why + stage_problem("lowered_out", out.error().message());
    const output_difference d = compare_outputs(file_, c_.at("lowered_out"), *out);
    const double rounding = 1.0 + 0x1p-20;  // of the scales, in float32
    const bool near = d.is_rounding(rounding * stages_->deviation()) ||
                      (d.problem.empty() && d.largest <= tolerance_of("lowered_out"));
    return why +
           stage_problem("lowered_out",
                         near || d.within(lowered_tolerance(stages_->lowered())) ? "" : d.words());
  }

  const suite_file& file_;
  const json& c_;
  golden_backends& backends_;
  ctq::semantics semantics_;
  model_case case_;
  ctq::module_state modules_;
  ctq::nested_model quantized_;
  std::unique_ptr<model_stages> stages_;
  std::string rule_;  // by which ctq differs
};

}  // namespace

void run_models(const std::filesystem::path& folder, ctq::semantics semantics, report& report) {
  const auto file = suite_file::open(folder, "models");
  if (!file) return;
  golden_backends backends(folder);
  for (const json& c : file->list("cases")) {
    const std::string name = c.value("name", "a case without a name");
    try {
      report.add(name, model_check(*file, c, backends, semantics).result());
    } catch (const std::exception& e) {
      report.add(name, {outcome::kind::failed, e.what()});
    }
  }
}

}  // namespace golden
