// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<36>{"training has a weight and a bias in"}
// expect: line<32>{"each batch norm: .affine = true"}
// expect: line<9>{"node: bn"}

#include "ctq/backends/x86.hpp"
#include "ctq/train/qat_model.hpp"

using namespace ctq;
using namespace ctq::literals;

#ifdef CTQ_FIXED
inline constexpr bool affine = true;
#else
inline constexpr bool affine = false;
#endif

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 3, 4, 4}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 1}),
          "bn"_n = nn::batch_norm2d("conv"_n, {.affine = affine}), "out"_n = nn::output("bn"_n));

struct mapping : qconfig_mapping<global<qconfig_none>> {};
using checked = plan<net, x86, mapping, unsupported::skip>;

report<training::trainable_check<checked>> found;
