// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<23>{"the op has no gradient"}
// expect: line<13>{"node: halved"}
// expect: line<9>{"own.half"}
// expect: line<28>{"a user op has one if it has"}
// expect: line<18>{"a member gradient"}

#include "ctq/backends/x86.hpp"
#include "ctq/train/qat_model.hpp"

using namespace ctq;
using namespace ctq::literals;

struct own_half : function_op<own_half> {
  static constexpr std::string_view name = "own.half";
  static float apply(float x) { return 0.5F * x; }
#ifdef CTQ_FIXED
  static float gradient(float) { return 0.5F; }
#endif
};
inline constexpr own_half half{};

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "halved"_n = half("x"_n),
          "fc"_n = nn::linear("halved"_n, {.out_features = 2}), "out"_n = nn::output("fc"_n));

struct mapping : qconfig_mapping<module_name<"halved", qconfig_none>> {};
using checked = plan<net, x86, mapping, unsupported::skip>;

report<training::trainable_check<checked>> found;
