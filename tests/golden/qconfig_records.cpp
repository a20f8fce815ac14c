// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "qconfig_records.hpp"

#include "ctq/json/read_observer.hpp"
#include "ctq/ops/op_table.hpp"
#include "ctq/spec/reflect.hpp"
#include "observer_args.hpp"

namespace golden {
namespace {

using ctq::fake_quantize_class;
using ctq::observer_class;

observer_class class_from(const json& constructor) {
  const auto name = constructor.at("class").get<std::string>();
  if (name == "nn.Identity") return observer_class::none;
  return observer_class_from(name);
}

void set_arguments(ctq::observer_args& args, const json& constructor) {
  const auto kwargs = constructor.find("kwargs");
  if (kwargs == constructor.end()) return;
  for (const auto& [key, value] : kwargs->items()) {
    if (key == "observer" || value.is_null() || set_argument(args, key, value)) continue;
    if (key == "compute_dtype")  // which of them does not matter: it is the dtype itself
      args.is_dynamic = dtype_from(value) != ctq::f32;
    else if (key != "custom_op_name" && key != "factory_kwargs")
      throw malformed("observer argument " + key);
  }
}

/// A fake quantize: its keyword arguments are the observer's, after those that are bound to it.
ctq::observer_record fake_from(fake_quantize_class fake, const json& constructor) {
  const json kwargs = constructor.value("kwargs", json::object());
  const json inner = kwargs.value("observer", json{});
  ctq::observer_record r;
  r.fake_quantize = fake;
  r.type = inner.is_null() ? ctq::json::default_observer(fake) : class_from(inner);
  r.args = ctq::json::default_args(r.type);
  if (fake == fake_quantize_class::fused_moving_avg_obs_fake_quantize) {
    r.args.quant_min = 0;
    r.args.quant_max = 255;
  }
  if (!inner.is_null()) set_arguments(r.args, inner);
  set_arguments(r.args, constructor);
  return r;
}

}  // namespace

ctq::observer_record observer_record_from(const json& constructor) {
  const std::string name = without_module(constructor.at("class"));
  for (const auto fake :
       {fake_quantize_class::fake_quantize, fake_quantize_class::fused_moving_avg_obs_fake_quantize,
        fake_quantize_class::fixed_qparams_fake_quantize})
    if (name == name_of(fake)) return fake_from(fake, constructor);
  ctq::observer_record r;
  r.type = class_from(constructor);
  if (r.type == observer_class::none) return r;
  r.args = ctq::json::default_args(r.type);
  set_arguments(r.args, constructor);
  return r;
}

std::optional<ctq::qconfig_record> qconfig_from(const json& qconfig) {
  if (qconfig.is_null()) return {};
  return ctq::qconfig_record{observer_record_from(qconfig.at("activation")),
                             observer_record_from(qconfig.at("weight"))};
}

ctq::op_id op_from(const std::string& name) {
  const ctq::op_id op = ctq::ops<ctq::builtin>::value.find(name);
  if (op == nullptr) throw malformed("ctq has no op " + name);
  return op;
}

std::string to_words(const ctq::qconfig_record& qconfig) {
  std::string words;
  append_observer(words, qconfig.activation);
  words += " / ";
  append_observer(words, qconfig.weight);
  return words;
}

}  // namespace golden
