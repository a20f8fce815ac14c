// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<9>{"node fc:"}
// expect: line<21>{"reads int64 of words"}
// expect: line<34>{"method::float_ makes floats of it"}

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;

inline constexpr auto net =
    ctq::model("words"_n = nn::placeholder({1, 8}, ctq::i64),
#ifdef CTQ_FIXED
               "table"_n = nn::embedding("words"_n, {.num_embeddings = 9, .embedding_dim = 4}),
               "fc"_n = nn::linear("table"_n, {.out_features = 2}),
#else
               "fc"_n = nn::linear("words"_n, {.out_features = 2}),
#endif
               "out"_n = nn::output("fc"_n));

ctq::checked_model<net> checked;
