// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/explain/words.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/backends/qconfigs.hpp"

using namespace ctq;

TEST_CASE("a fake quantize is told with the observer in it") {
  std::string out;
  explaining::observer(out, default_fused_act_fake_quant::value);
  CHECK(out ==
        "FusedMovingAvgObsFakeQuantize of MovingAverageMinMaxObserver(quant_min=0, "
        "quant_max=255)");
}

TEST_CASE("the place of a qconfig is the level of the mapping, and its key") {
  std::string out;
  explaining::mapping_place(
      out, module_name_object_type_order<"layer1", fn::linear, 2, default_qconfig>::value);
  CHECK(out == "module_name_object_type_order layer1 torch.nn.functional.linear 2");
  out.clear();
  explaining::mapping_place(out, global<qconfig_none>::value);
  CHECK(out == "global");
}
