// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: no kernel for node act: my.swish has no float implementation: define
// expect: static float apply(float)

#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

// The shape of the output alone says nothing of the numbers in it.
struct op_swish : function_op<op_swish> {
  static constexpr std::string_view name = "my.swish";
#ifdef CTQ_FIXED
  static float apply(float x) { return x; }
#else
  static constexpr shape infer_shape(view<shape> in, const no_options&, diagnostic&) {
    return in[0];
  }
#endif
};
inline constexpr op_swish swish{};

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "act"_n = swish("x"_n), "out"_n = nn::output("act"_n));

using u8 = dtype_with_constraints<quint8>;
using int8_config = dtype_config<input_dtype<u8>, output_dtype<u8>>;
struct npu
    : backend_config<"npu", backend_pattern_config<pattern<swish>, dtype_configs<int8_config>>> {};
struct int8 : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {
};

plan<net, npu, int8> checked;
