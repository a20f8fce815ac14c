// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: node act: my.swish: apply must be static: float(float), float(float, float) or void(

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;

struct op_swish : ctq::function_op<op_swish> {
  static constexpr std::string_view name = "my.swish";
#ifdef CTQ_FIXED
  static float apply(float x) { return x; }
#else
  static double apply(double x) { return x; }
#endif
};
inline constexpr op_swish swish{};

inline constexpr auto net = ctq::model("x"_n = nn::placeholder({1, 4}), "act"_n = swish("x"_n),
                                       "out"_n = nn::output("act"_n));

ctq::checked_model<net> checked;
