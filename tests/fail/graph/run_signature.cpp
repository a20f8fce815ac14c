// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: node act: my.swish: run must be static, and take as many tensors as apply: void(

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;

struct op_swish : ctq::function_op<op_swish> {
  static constexpr std::string_view name = "my.swish";
  static float apply(float x) { return x; }
#ifdef CTQ_FIXED
  static void run(ctq::tensor_ref<const std::uint8_t>, ctq::tensor_ref<std::uint8_t>) {}
#else
  static void run(const std::uint8_t*, std::uint8_t*, std::size_t) {}
#endif
};
inline constexpr op_swish swish{};

inline constexpr auto net = ctq::model("x"_n = nn::placeholder({1, 4}), "act"_n = swish("x"_n),
                                       "out"_n = nn::output("act"_n));

ctq::checked_model<net> checked;
