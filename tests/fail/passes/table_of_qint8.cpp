// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<26>{"no kernel for node table:"}
// expect: line<28>{"a table of qint8; there are"}
// expect: line<26>{"float32, quint8, qint8, quint4x2"}

#include "ctq/backends/default_observers.hpp"
#include "ctq/backends/onednn.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net = model(
    "words"_n = nn::placeholder({1, 8}, i64),
    "table"_n = nn::embedding("words"_n, {.num_embeddings = 9, .embedding_dim = 4}),
    "out"_n = nn::output("table"_n));

#ifdef CTQ_FIXED
using in_table = qconfig_none;
#else
using in_table = qconfig<default_placeholder_observer, default_per_channel_weight_observer>;
#endif

struct mapping : qconfig_mapping<global<in_table>> {};

plan<net, onednn, mapping> checked;
