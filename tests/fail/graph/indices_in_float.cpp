// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<12>{"node table:"}
// expect: line<23>{"reads float32 of words"}
// expect: line<33>{"indices are an input of a model:"}
// expect: line<33>{"nn::placeholder({...}, ctq::i64)"}

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;

inline constexpr auto net = ctq::model(
#ifdef CTQ_FIXED
    "words"_n = nn::placeholder({1, 8}, ctq::i64),
#else
    "words"_n = nn::placeholder({1, 8}),
#endif
    "table"_n = nn::embedding("words"_n, {.num_embeddings = 9, .embedding_dim = 4}),
    "out"_n = nn::output("table"_n));

ctq::checked_model<net> checked;
