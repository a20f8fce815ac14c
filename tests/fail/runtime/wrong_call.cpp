// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<25>{"the model is called with"}
// expect: line<28>{"image: float32 [1, 3, 8, 8]"}
// expect: line<21>{"size: float32 [1, 2]"}
// expect: line<33>{"and may be given tensors for its"}
// expect: line<23>{"outputs; this call has"}
// expect: line<21>{"float32 [1, 3, 8, 9]"}

#include "ctq/backends/x86.hpp"
#include "ctq/runtime/float_model.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net = model(
    "image"_n = nn::placeholder({1, 3, 8, 8}), "size"_n = nn::placeholder({1, 2}),
    "scores"_n = nn::relu("image"_n), "out"_n = nn::output("scores"_n, "size"_n));

void infer(float_model<net, x86>& run, const tensor<float, 1, 2>& size) {
#ifdef CTQ_FIXED
  const tensor<float, 1, 3, 8, 8> image{};
  const auto [scores, same] = run(image, size);
#else
  const tensor<float, 1, 3, 8, 9> image{};
  const auto [scores, same] = run(image, size);
#endif
}
