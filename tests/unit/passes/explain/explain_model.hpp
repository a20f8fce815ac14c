// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "ctq/backends/qnnpack.hpp"
#include "ctq/passes/explain/explain.hpp"

// A model that has all that explanations tell of: a fused module, a shared observer, a node that is
// left in float by the user, one that two dtype configs reject, one that nothing reads.

namespace explain_model {

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 3, 8, 8}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3}),
          "relu"_n = nn::relu("conv"_n), "pool"_n = nn::max_pool2d("relu"_n, {.kernel_size = 2}),
          "unread"_n = nn::relu("pool"_n), "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
          "fc"_n = nn::linear("flat"_n, {.out_features = 4}),
          "head"_n = nn::linear("fc"_n, {.out_features = 2}), "out"_n = nn::output("head"_n));

using int8 = qconfig<min_max_observer<>, min_max_observer<{
                                             .dtype = qint8,
                                             .qscheme = qscheme::per_tensor_symmetric,
                                         }>>;

/// qnnpack has two dtype configs that fc's scales are too small for, or its dtype is another's.
struct mapping
    : qconfig_mapping<
          global<int8>,
          module_name<"fc", qconfig<min_max_observer<{.dtype = qint8}>, min_max_observer<>>>,
          module_name<"head", qconfig_none>> {};

/// The explanation as a printer gives it.
template <class Print>
std::string printed(Print print) {
  std::string out;
  print(out, explain<net, qnnpack, mapping, unsupported::skip>().model());
  return out;
}

/// Does the text have this line?
inline bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace explain_model
