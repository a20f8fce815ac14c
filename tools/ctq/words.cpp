// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "words.hpp"

#include <fmt/format.h>

#include "ctq/json/write_observer.hpp"
#include "ctq/ops/op_table.hpp"

namespace tool {

namespace {

std::string number(double x) {
  std::string out;
  ctq::json::append_shortest(out, x);
  return out;
}

std::string words(const ctq::dtype_with_constraints_record& c) {
  std::string limits;
  const auto add = [&limits](const char* what, const auto& bound) {
    if (!bound.given) return;
    limits += limits.empty() ? "" : ", ";
    limits += what;
    if constexpr (std::is_same_v<decltype(bound.value), double>) {
      limits += number(bound.value);
    } else {
      limits += fmt::to_string(bound.value);
    }
  };
  add("quant_min>=", c.quant_min_lower_bound);
  add("quant_max<=", c.quant_max_upper_bound);
  add("scale>=", c.scale_min_lower_bound);
  add("scale<=", c.scale_max_upper_bound);
  add("scale=", c.scale_exact_match);
  add("zero_point=", c.zero_point_exact_match);
  const std::string_view dtype = c.dtype == ctq::dtype::none ? "-" : name_of(c.dtype);
  return limits.empty() ? std::string{dtype} : fmt::format("{}{{{}}}", dtype, limits);
}

template <class Items, class Words>
std::string listed(const Items& items, Words words_of) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + words_of(item);
  return "[" + out + "]";
}

std::string words(ctq::op_id op) { return op == nullptr ? "none" : std::string{op->name}; }

std::string words(const ctq::tensor_args_record& by) {
  std::string out;
  for (std::size_t n = 0; n < by.given.size(); ++n)
    if (by.given[n])
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", n, name_of(by.type[n]));
  return out.empty() ? "none" : out;
}

std::string words(const ctq::input_index_record& index) {
  std::string out;
  for_each_field(index, [&out](std::string_view name, int at) {
    if (at >= 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, at);
  });
  return out.empty() ? "none" : out;
}

std::string words(ctq::observed o) {
  return o == ctq::observed::unspecified ? "none" : o == ctq::observed::yes ? "true" : "false";
}

std::string words(const ctq::view<ctq::observer_record>& o) {
  if (o.empty()) return "none";
  std::string out;
  ctq::json::writer json{out};
  write_observer(json, o[0]);
  return out;
}

}  // namespace

std::string words(const ctq::dtype_config_record& d) {
  const std::string_view bias = d.bias_dtype == ctq::dtype::none ? "-" : name_of(d.bias_dtype);
  return fmt::format("{}/{}/{}/{}{}", words(d.input_dtype), words(d.output_dtype),
                     words(d.weight_dtype), bias, d.is_dynamic ? " dynamic" : "");
}

std::string words(const ctq::pattern_record& p) {
  std::string out;
  append_pattern(out, p);
  return out;
}

std::string words(const ctq::node_path& p) {
  const std::vector<int> indices(p.index.begin(), p.index.begin() + p.length);
  return listed(indices, [](int i) { return fmt::to_string(i); });
}

std::string abbreviated(std::string_view name) {
  std::string shortest{name};
  for (const ctq::naming::spelling& s : ctq::naming::spellings) {
    if (!name.starts_with(s.to)) continue;
    const std::string spelled = std::string{s.from}.append(name.substr(s.to.size()));
    if (spelled.size() < shortest.size()) shortest = spelled;
  }
  return shortest;
}

std::vector<field> fields_of(const ctq::backend_pattern_config_record& c) {
  const auto path = [](const ctq::node_path& p) { return words(p); };
  return {
      {"observation_type", std::string{name_of(c.observation_type)}},
      {"dtype_configs",
       listed(c.dtype_configs, [](const ctq::dtype_config_record& d) { return words(d); })},
      {"root_module", words(c.root_module)},
      {"qat_module", words(c.qat_module)},
      {"reference_quantized_module_for_root", words(c.reference_quantized_module_for_root)},
      {"fused_module", words(c.fused_module)},
      {"fuser_method", c.fuser_method == nullptr ? "none" : std::string{c.fuser_method->name}},
      {"root_node_getter", c.root_node_getter.empty() ? "none" : words(c.root_node_getter)},
      {"extra_inputs_getter",
       c.extra_inputs_getter.empty() ? "none" : listed(c.extra_inputs_getter, path)},
      {"num_tensor_args_to_observation_type", words(c.num_tensor_args_to_observation_type)},
      {"input_type_to_index", words(c.input_type_to_index)},
      {"input_output_observed", words(c.input_output_observed)},
      {"overwrite_output_observer", words(c.overwrite_output_observer)},
      {"overwrite_output_fake_quantize", words(c.overwrite_output_fake_quantize)},
  };
}

}  // namespace tool
