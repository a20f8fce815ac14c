// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: node sum: my.sum: infer_shape must be static constexpr shape(view<shape>, const options&,

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;

struct op_sum : ctq::function_op<op_sum> {
  static constexpr std::string_view name = "my.sum";
#ifdef CTQ_FIXED
  static constexpr ctq::shape infer_shape(ctq::view<ctq::shape> in, const ctq::no_options&,
                                          ctq::diagnostic&) {
    return in[0];
  }
#else
  static constexpr ctq::shape infer_shape(ctq::shape in) { return in; }
#endif
};
inline constexpr op_sum sum{};

inline constexpr auto net = ctq::model("x"_n = nn::placeholder({1, 4}), "sum"_n = sum("x"_n),
                                       "out"_n = nn::output("sum"_n));

ctq::checked_model<net> checked;
