// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a pattern has at most 64 ops

#include <utility>

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/pattern.hpp"

using namespace ctq;

template <std::size_t... I>
pattern<((void)I, nn::relu)...> relus(std::index_sequence<I...>);

#ifdef CTQ_FIXED
constexpr std::size_t length = 64;
#else
constexpr std::size_t length = 65;
#endif

decltype(relus(std::make_index_sequence<length>{})) checked;
