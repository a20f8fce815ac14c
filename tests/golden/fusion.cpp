// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch norms folded into convs and linears: the weights bit for bit, the outputs to the last
// digits of float32. And one step of training of the modules that are fused and rounded while they
// are trained: output, gradients, state; then the output when evaluated, and the float module they
// become.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctq/evaluate/float_ops.hpp"
#include "ctq/evaluate/qat_modules.hpp"
#include "fusion_cases.hpp"
#include "observer_cases.hpp"
#include "suites.hpp"

namespace golden {

namespace {

namespace float_ops = ctq::float_ops;

std::optional<float_ops::tensor> optional_floats(const suite_file& file, const json& j) {
  if (j.is_null()) return {};
  return floats_of(file.read(j));
}

const float_ops::tensor* pointer(const std::optional<float_ops::tensor>& t) {
  return t ? &*t : nullptr;
}

/// What a result holds; its error is a failed case.
template <class T>
T must(ctq::result<T> r) {
  if (!r) throw malformed(r.error().message());
  return *std::move(r);
}

std::string bits(const std::string& what, const float_ops::tensor& wanted,
                 const float_ops::tensor& got) {
  return difference(what, as_doubles(wanted.data), as_doubles(got.data));
}

/// A batch norm of a case, and what it makes of a tensor.
struct case_norm {
  std::optional<float_ops::tensor> gamma, beta, mean, variance;
  double eps;

  case_norm(const suite_file& file, const json& c)
      : gamma(optional_floats(file, c.at("bn_weight"))),
        beta(optional_floats(file, c.at("bn_bias"))),
        mean(optional_floats(file, c.at("bn_mean"))),
        variance(optional_floats(file, c.at("bn_var"))),
        eps(c.at("eps").get<double>()) {}

  [[nodiscard]] float_ops::batch_norm tensors() const {
    return {pointer(gamma), pointer(beta), pointer(mean), pointer(variance), eps};
  }
  [[nodiscard]] ctq::result<float_ops::tensor> operator()(ctq::result<float_ops::tensor> x) const {
    if (!x) return x;
    float_ops::arguments a{{"input", *x}, {"running_mean", *mean}, {"running_var", *variance}};
    a.set("eps", eps);
    if (gamma) a.set("weight", *gamma);
    if (beta) a.set("bias", *beta);
    const auto y = float_ops::call(ctq::nn::batch_norm2d.id(), a);
    if (!y) return ctq::unexpected{y.error()};
    return *y->get_if<float_ops::tensor>();
  }
};

outcome check_folding(const suite_file& file, const json& c) {
  const float_ops::tensor weight = floats_of(file.read(c.at("weight")));
  const auto bias = optional_floats(file, c.at("bias"));
  const case_norm norm(file, c);
  const bool transposed = c.at("transpose").get<bool>(),
             linear = float_ops::rank(weight.shape) == 2;
  const int groups = integer<int>(c.at("groups"), 1);
  const auto kind = linear       ? float_ops::foldable::linear
                    : transposed ? float_ops::foldable::conv_transpose
                                 : float_ops::foldable::conv;
  const auto folded = must(float_ops::fold(weight, pointer(bias), norm.tensors(), kind, groups));
  const float_ops::tensor x = floats_of(file.read(c.at("x")));
  const float_ops::tensor unfused = floats_of(file.read(c.at("y_unfused")));
  const auto run = [&](const float_ops::convolution_options& o, const float_ops::tensor& w,
                       const float_ops::tensor* b) {
    return linear       ? float_ops::linear(x, w, b)
           : transposed ? float_ops::transposed_convolution(x, w, b, o)
                        : float_ops::convolution(x, w, b, o);
  };
  float_ops::convolution_options geometry;
  if (!linear)
    geometry = closest(geometries(x.shape, weight.shape, unfused.shape, groups, transposed),
                       unfused, [&](const auto& o) { return norm(run(o, weight, pointer(bias))); });
  return outcome::of(
      bits("fused_weight", floats_of(file.read(c.at("fused_weight"))), folded.weight) +
      bits("fused_bias", floats_of(file.read(c.at("fused_bias"))), folded.bias) +
      off_by("y_unfused", unfused, must(norm(run(geometry, weight, pointer(bias))))) +
      off_by("y_fused", floats_of(file.read(c.at("y_fused"))),
             must(run(geometry, folded.weight, &folded.bias)), magnitude(unfused.data)));
}

/// The tensors of a state_dict by their names.
struct state {
  const suite_file& file;
  const json& entries;

  [[nodiscard]] bool has(const std::string& name) const { return entries.contains(name); }
  [[nodiscard]] float_ops::tensor floats(const std::string& name) const {
    return floats_of(file.read(entries.at(name)));
  }
  [[nodiscard]] std::vector<double> numbers(const std::string& name) const {
    return file.read(entries.at(name)).values;
  }
};

/// The state does not name the classes; their buffers tell them apart. The flags of FakeQuantize
/// are bytes, those of FusedMovingAvgObsFakeQuantize integers.
ctq::observer_record weight_fake_quant_of(const state& s, const state& after) {
  const std::string flag = "weight_fake_quant.fake_quant_enabled";
  const bool fused = s.file.read(s.entries.at(flag)).dtype == "i64";
  const bool per_channel =
      after.numbers("weight_fake_quant.scale").size() > 1 ||
      after.numbers("weight_fake_quant.activation_post_process.min_val").size() > 1;
  ctq::observer_record r;
  r.type = per_channel ? ctq::observer_class::moving_average_per_channel_min_max
                       : ctq::observer_class::moving_average_min_max;
  r.args = {.dtype = ctq::qint8,
            .qscheme = per_channel ? ctq::qscheme::per_channel_symmetric
                                   : ctq::qscheme::per_tensor_symmetric,
            .quant_min = -128,
            .quant_max = 127};
  r.args.eps = static_cast<float>(s.numbers("weight_fake_quant.activation_post_process.eps").at(0));
  r.fake_quantize = fused ? ctq::fake_quantize_class::fused_moving_avg_obs_fake_quantize
                          : ctq::fake_quantize_class::fake_quantize;
  return r;
}

ctq::qat_norm norm_of(const state& s) {
  return {
      .weight = s.floats("bn.weight"),
      .bias = s.floats("bn.bias"),
      .running_mean = s.floats("bn.running_mean"),
      .running_var = s.floats("bn.running_var"),
      .num_batches_tracked = static_cast<std::int64_t>(s.numbers("bn.num_batches_tracked").at(0))};
}

ctq::qat_parameters qat_parameters_of(const state& s, const std::string& name) {
  ctq::qat_parameters p{.weight = s.floats("weight")};
  if (s.has("bias")) p.bias = s.floats("bias");
  if (s.has("bn.weight")) p.bn = norm_of(s);
  p.relu = name.find("ReLU") != std::string::npos;
  return p;
}

std::string compare_gradients(const state& wanted, const ctq::qat_gradients& g, double scale) {
  const float_ops::tensor of_weight = wanted.floats("weight");
  std::string why = off_by("grad of weight", of_weight, g.weight, scale);
  const auto optional = [&](const char* name, const std::optional<float_ops::tensor>& got) {
    if (wanted.has(name) != got.has_value())
      why += std::string(name) + " has a gradient on one side only; ";
    else if (got)
      why += off_by(std::string("grad of ") + name, wanted.floats(name), *got, scale);
  };
  // A batch norm takes away what a bias adds: its gradient is the rounding of large numbers.
  if (g.bn_weight) scale = std::max(scale, 4 * magnitude(of_weight.data));
  optional("bias", g.bias);
  optional("bn.weight", g.bn_weight);
  optional("bn.bias", g.bn_bias);
  return why;
}

/// The state after the step: what was trained is as before, what is observed has moved.
std::string compare_state(const state& wanted, ctq::module_in_training& m) {
  const ctq::qat_parameters& p = m.parameters();
  std::string why = bits("weight", wanted.floats("weight"), p.weight);
  if (p.bn) {
    why += off_by("running_mean", wanted.floats("bn.running_mean"), p.bn->running_mean) +
           off_by("running_var", wanted.floats("bn.running_var"), p.bn->running_var);
    const auto batches = static_cast<double>(p.bn->num_batches_tracked);
    why += difference("num_batches_tracked", wanted.numbers("bn.num_batches_tracked"), {batches});
  }
  const auto* fq = m.weight_fake_quant().get_if<ctq::observers::observing_fake_quantize>();
  const std::string prefix = "weight_fake_quant.";
  const observer_state seen = state_of(fq->observer());
  return why +
         difference("scale", wanted.numbers(prefix + "scale"), as_doubles(fq->parameters().scale)) +
         difference("zero_point", wanted.numbers(prefix + "zero_point"),
                    as_doubles(fq->parameters().zero_point)) +
         difference("min_val", wanted.numbers(prefix + "activation_post_process.min_val"),
                    seen.min) +
         difference("max_val", wanted.numbers(prefix + "activation_post_process.max_val"),
                    seen.max);
}

/// "weight", or "0.weight" where relu stands behind it.
std::string compare_float_module(const state& wanted, const float_ops::weight_and_bias& got) {
  const std::string prefix = wanted.has("0.weight") ? "0." : "";
  std::string why = bits("float weight", wanted.floats(prefix + "weight"), got.weight);
  if (wanted.has(prefix + "bias"))
    why += bits("float bias", wanted.floats(prefix + "bias"), got.bias);
  return why;
}

std::string check_step(const suite_file& file, const json& c, const state& before,
                       const state& after, ctq::semantics semantics) {
  const std::string name = c.at("name").get<std::string>();
  const float_ops::tensor x = floats_of(file.read(c.at("x")));
  const float_ops::tensor y = floats_of(file.read(c.at("y_train")));
  const ctq::observer_record record = weight_fake_quant_of(before, after);
  ctq::qat_parameters p = qat_parameters_of(before, name);
  if (!p.is_linear()) {
    const int groups = x.shape.at(1) / p.weight.shape.at(1);
    p.convolution = closest(geometries(x.shape, p.weight.shape, y.shape, groups, false), y,
                            [&](const float_ops::convolution_options& o) {
                              p.convolution = o;
                              return ctq::module_in_training(p, record, semantics).train(x);
                            });
  }
  ctq::module_in_training m(p, record, semantics);
  std::string why = off_by("y_train", y, must(m.train(x)));
  const float_ops::tensor grad_out = floats_of(file.read(c.at("grad_out")));
  const double scale = magnitude(grad_out.data);
  const auto gradients = must(m.backward(grad_out));
  why += off_by("grad_x", floats_of(file.read(c.at("grad_x"))), gradients.x, scale) +
         compare_gradients({file, c.at("grads")}, gradients, scale) + compare_state(after, m);
  // The statistics of the file, so that their last digit does not decide how a weight is rounded.
  if (p.bn) m.parameters().bn = norm_of(after);
  why += off_by("y_eval", floats_of(file.read(c.at("y_eval"))), must(m.evaluate(x)));
  return why + compare_float_module({file, c.at("to_float_state")}, must(m.to_float()));
}

/// PyTorch trains with the formula of dynamic quantization where the fake quantize is a fused one,
/// ctq with the formula that conversion uses.
outcome check_training(const suite_file& file, const json& c, ctq::semantics semantics) {
  const state before{file, c.at("state_before")}, after{file, c.at("state_after_train_step")};
  if (!before.has("weight_fake_quant.scale"))
    return outcome::not_covered("qat of " + c.at("name").get<std::string>());
  std::string why = check_step(file, c, before, after, semantics);
  const bool other_formula = weight_fake_quant_of(before, after).fake_quantize ==
                                 ctq::fake_quantize_class::fused_moving_avg_obs_fake_quantize &&
                             !fused_fake_quantize_uses_dynamic_formula(semantics);
  if (!why.empty() && other_formula &&
      check_step(file, c, before, after, ctq::semantics::torch_1_13).empty())
    return outcome::known("fused-fake-quantize-has-one-formula");
  return outcome::of(std::move(why));
}

}  // namespace

void run_fusion(const suite_file& file, ctq::semantics semantics, report& report) {
  report.run(file, "cases", [&](const json& c) { return check_folding(file, c); });
  report.run(file, "qat", [&](const json& c) { return check_training(file, c, semantics); });
}

}  // namespace golden
