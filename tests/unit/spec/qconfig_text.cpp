// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/qconfig_text.hpp"

#include <cstddef>
#include <string_view>

#include "ctq/backends/qconfigs.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/reflect.hpp"

using namespace ctq;

// The arguments are those of the reflected record.
static_assert([] {
  std::size_t known = 0;
  for_each_argument([&](std::string_view name, auto) {
    known += known < field_names<observer_args>.size() && field_names<observer_args>[known] == name
                 ? 1
                 : field_names<observer_args>.size() + 1;
  });
  return known == field_names<observer_args>.size();
}());

namespace {

constexpr bool is_written(const observer_record& o, std::string_view expected) {
  static_text<200> text;
  append_observer(text, o);
  return text.view() == expected;
}

constexpr bool is_for(const mapping_entry& e, std::string_view expected) {
  static_text<200> text;
  append_place(text, e);
  return text.view() == expected;
}

constexpr bool observes(const mapping_entry& e, std::string_view expected) {
  static_text<200> text;
  append_qconfig(text, e);
  return text.view() == expected;
}

}  // namespace

static_assert(is_written(histogram_observer<>::value, "HistogramObserver()"));
static_assert(
    is_written(histogram_observer<{.dtype = qint8, .reduce_range = true, .eps = 0x1p-12F}>::value,
               "HistogramObserver(dtype=qint8, reduce_range=True, eps=0.000244141)"));
static_assert(is_written(per_channel_min_max_observer<{.quant_min = -127, .quant_max = 127}>::value,
                         "PerChannelMinMaxObserver(dtype=qint8, qscheme=per_channel_symmetric, "
                         "quant_min=-127, quant_max=127)"));
static_assert(is_written(default_fused_act_fake_quant::value,
                         "FusedMovingAvgObsFakeQuantize of "
                         "MovingAverageMinMaxObserver(quant_min=0, quant_max=255)"));
static_assert(is_written({}, "nothing"));

static_assert(is_for(module_name_object_type_order<"layer1", fn::linear, 2, default_qconfig>::value,
                     "module_name_object_type_order layer1 torch.nn.functional.linear 2"));
static_assert(is_for(module_name<"fc", default_qconfig>::value, "module_name fc"));
static_assert(is_for(global<qconfig_none>::value, "global"));

static_assert(observes(global<qconfig_none>::value, "float"));
static_assert(observes(global<qconfig<min_max_observer<>, histogram_observer<>>>::value,
                       "MinMaxObserver(), weight HistogramObserver()"));
