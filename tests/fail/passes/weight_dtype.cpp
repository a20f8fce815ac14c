// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<13>{"backend: npu"}
// expect: line<9>{"node: fc"}
// expect: line<25>{"pattern: torch.nn.Linear"}
// expect: line<21>{"weight.dtype: quint8"}
// expect: line<26>{"the backend allows: qint8"}

#include "ctq/backends/x86.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 2}),
          "out"_n = nn::output("fc"_n));

using u8 = dtype_with_constraints<quint8, quant_min<0>, quant_max<127>, scale_min<0x1p-12>>;
using s8 = dtype_with_constraints<qint8>;
using int8 = dtype_config<input_dtype<u8>, output_dtype<u8>, weight_dtype<s8>>;
struct npu : backend_config<"npu", backend_pattern_config<pattern<nn::linear>, dtype_configs<int8>,
                                                          root_module<nn::linear>>> {};

template <observer_args Activation, observer_args Weight>
using both =
    qconfig_mapping<global<qconfig<min_max_observer<Activation>, min_max_observer<Weight>>>>;

inline constexpr observer_args activation{.quant_min = 0, .quant_max = 127, .eps = 0x1p-12F};
inline constexpr observer_args weight{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric};
#ifdef CTQ_FIXED
struct mapping : both<activation, weight> {};
#else
struct mapping : both<activation, {.dtype = quint8}> {};
#endif

plan<net, npu, mapping> checked;
