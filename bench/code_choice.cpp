// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What it costs that layers share kernels of run-time extents, and whether the plan's choice is
// right: time of the shared kernel in percent of the one that is compiled for the shape.
// bench-code-choice [WINDOWS]

#include "ctq/passes/schedule/code_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "layer.hpp"
#include "measure.hpp"
#include "shapes.hpp"

namespace bench {

namespace {

/// The sums of logarithms of ratios to specialized code.
struct means {
  double shared{}, chosen{}, worst = 1.0;
  int count{};
};

void run(const layer& of, subject specialized, subject shared,
         const ctq::kernel_signature& signature, int windows, means& all) {
  shared.name = "shared";
  shared.run();
  if (of.distance(static_cast<const std::uint8_t*>(shared.answer())) != 0) {
    std::printf("%s: the shared kernel differs from the reference\n", name_of(of).c_str());
    std::exit(EXIT_FAILURE);
  }
  bench_case c = case_of(of);
  c.subjects = {std::move(specialized), std::move(shared)};
  const result r = measure(c, windows, 0.004);
  const ctq::scheduling::layer_size size = ctq::scheduling::layer_size_of(signature);
  const bool chosen_shared = ctq::scheduling::chosen_code(size) == ctq::kernel_code_kind::shared;
  const double ratio = r.seconds("shared") / r.ours();
  const double chosen = chosen_shared ? ratio : 1.0;
  std::printf("%-34s %12lld %10.3f us %7.1f %%   %s\n", name_of(of).c_str(),
              static_cast<long long>(size.products), r.ours() * 1e6, 100 * ratio,
              chosen_shared ? "shared" : "specialized");
  std::fflush(stdout);
  all.shared += std::log(ratio);
  all.chosen += std::log(chosen);
  all.worst = std::max(all.worst, chosen);
  ++all.count;
}

template <std::size_t N, class Entry, class Specialized, class Shared>
void run_all(const Entry (&entries)[N], ctq::kernel_id kernel, Specialized specialized,
             Shared shared, int windows, means& all) {
  for (std::size_t i = 0; i < N; ++i) {
    const layer of(entries[i].shape);
    run(of, specialized(i, of), shared(i, of),
        ctq::signature_of(kernel, ctq::quint8, ctq::quint8, entries[i].shape), windows, all);
  }
}

}  // namespace

}  // namespace bench

int main(int count, char** arguments) {
  using namespace bench;
  stay_on_one_core(arguments);
  const int windows = count > 1 ? std::atoi(arguments[1]) : 21;
  means all;
  std::printf("%-34s %12s %13s %9s   %s\n", "layer", "products", "specialized", "shared", "chosen");
  run_all(gemms, ctq::kernel::linear, ctq_gemm, ctq_shared_gemm, windows, all);
  run_all(convs, ctq::kernel::conv2d, ctq_conv, ctq_shared_conv, windows, all);
  run_all(depthwises, ctq::kernel::conv2d, ctq_depthwise, ctq_shared_depthwise, windows, all);
  std::printf("means of specialized code: shared %.1f %%, chosen %.1f %%, chosen at most %.1f %%\n",
              100 * std::exp(all.shared / all.count), 100 * std::exp(all.chosen / all.count),
              100 * all.worst);
}
