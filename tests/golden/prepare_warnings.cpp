// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prepare_warnings.hpp"

#include "ctq/passes/explain/rejected_dtype_configs.hpp"

namespace golden {
namespace {

bool has_eps(ctq::observer_class c) {
  using enum ctq::observer_class;
  return c == min_max || c == moving_average_min_max || c == histogram || is_per_channel(c);
}

/// The first words of what PyTorch warns of when a dtype config is left out for this reason; empty
/// for a reason that it says nothing of.
std::string warning_of(const ctq::rejection& r, const ctq::qconfig_record& q) {
  const bool is_weight = r.of == ctq::rejection::value::weight;
  const std::string who = is_weight ? "QConfig weight " : "QConfig activation ";
  using enum ctq::rejection::clause;
  switch (r.why) {
    case quant_min:
    case quant_max: return who + "quantization range must fall within the backend's";
    case scale_min:
      return who +
             (has_eps((is_weight ? q.weight : q.activation).type) ? "eps" : "must specify 'eps'");
    case no_range: return who + "must specify 'quant_min' and 'quant_max'";
    default: return {};
  }
}

}  // namespace

std::vector<std::string> prepare_warnings(ctq::graph_view<ctq::stage::fused> g,
                                          const ctq::backend_view& backend,
                                          const ctq::mapping_view& mapping,
                                          const ctq::prepare_options& options) {
  const auto qconfigs = ctq::resolve_qconfigs(g, mapping, options.semantics);
  const auto all = rejected_dtype_configs(g, backend, mapping, options);
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const ctq::rejection& r : all[i])
      if (std::string words = warning_of(r, mapping.entries[qconfigs[static_cast<int>(i)]].qconfig);
          !words.empty())
        warnings.push_back(std::move(words));
  return warnings;
}

std::string wrong_warnings(const json& wanted, const std::vector<std::string>& got) {
  if (wanted.size() != got.size())
    return std::to_string(got.size()) + " warnings, not " + std::to_string(wanted.size()) + "; ";
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!wanted[i].get<std::string>().starts_with(got[i]))
      return "warns of \"" + got[i] + "\", not of " + wanted[i].dump() + "; ";
  return {};
}

}  // namespace golden
