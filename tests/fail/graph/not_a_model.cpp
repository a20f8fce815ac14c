// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: not a model, but given as one: write inline constexpr auto net = ctq::model(...)

#include "ctq/graph/model.hpp"

using namespace ctq;

inline constexpr auto layer = nn::linear({.out_features = 4});
#ifdef CTQ_FIXED
inline constexpr auto net = sequential({1, 8}, layer);
#else
inline constexpr auto& net = layer;
#endif

checked_model<net> checked;
