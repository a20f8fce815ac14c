// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the QConfig cannot be honoured: backend: npu node: total
// expect: no integer kernel for my.total quint8 to quint8 output shape: 1x3
// expect: integer kernels: requantize, relu, binary_add, binary_mul, binary_sub,
// expect: define static void run(...) in the op to keep it in float: allow_float<total>

#include "ctq/backends/x86.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

// Of a whole tensor, so that no table of 256 entries stands for it.
struct op_total : function_op<op_total> {
  static constexpr std::string_view name = "my.total";
  static void apply(tensor_ref<const float> x, tensor_ref<float> y) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i];
  }
};
inline constexpr op_total total{};

inline constexpr auto net = model("x"_n = nn::placeholder({1, 3}), "total"_n = total("x"_n),
                                  "out"_n = nn::output("total"_n));

struct npu
    : x86::set<"npu", backend_pattern_config<pattern<total>, dtype_configs<activation_int8>>> {};
struct int8 : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {
};
#ifdef CTQ_FIXED
struct mapping : int8::set<allow_float<"total">> {};
#else
struct mapping : int8 {};
#endif

plan<net, npu, mapping> checked;
