// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: node act: my.swish: gradient must be static, of an elementwise apply: float(float) or

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;

struct op_swish : ctq::function_op<op_swish> {
  static constexpr std::string_view name = "my.swish";
  static float apply(float x) { return x; }
#ifdef CTQ_FIXED
  static float gradient(float) { return 1; }
#else
  static double gradient(double) { return 1; }
#endif
};
inline constexpr op_swish swish{};

inline constexpr auto net = ctq::model("x"_n = nn::placeholder({1, 4}), "act"_n = swish("x"_n),
                                       "out"_n = nn::output("act"_n));

ctq::checked_model<net> checked;
