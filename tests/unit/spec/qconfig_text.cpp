// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/qconfig_text.hpp"

#include <string_view>

using namespace ctq;

static_assert(reflected<observer_args>);

namespace {

constexpr bool is_written(const observer_record& o, std::string_view expected) {
  static_text<200> text;
  append_observer(text, o);
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
