// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layers with the kernels of the library ctq-kernels, in percent of the time that a kernel takes
// which is compiled for the shape, as a program that includes the headers has it.
// bench-compiled-kernels [WINDOWS [TEXT]]: layers whose name contains TEXT

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ctq/runtime/compiled_kernels/kernel_set.hpp"
#include "layer.hpp"
#include "layer_memory.hpp"
#include "measure.hpp"
#include "shapes.hpp"

namespace bench {

namespace {

/// The kernels in the library of the instruction set that the rest is compiled for.
const ctq::kernel_set& same_kernels() {
  for (const ctq::kernel_set* set : ctq::compiled_kernels::all())
    if (set->isa == ctq::isa::native::name) return *set;
  std::fprintf(stderr, "ctq-kernels has no code for %s\n", ctq::isa::native::name.data());
  std::exit(1);
}

subject compiled_layer(const ctq::kernel_set& set, const ctq::kernel_signature& signature,
                       const layer& of) {
  auto memory = std::make_shared<layer_memory>(of, set.packing.packed_bytes(signature),
                                               set.workspace_bytes(signature));
  set.packing.pack(signature, {of.weight.data(), of.folded.data(), of.multiplier.data()},
                   memory->packed());
  return layer_memory::subject_of(
      "compiled", std::move(memory),
      [signature, run = set.function_of(signature)](const ctq::operands& x) { run(signature, x); });
}

/// Of ratios of times: mean and maximum, of large layers and of small ones.
struct ratios {
  double logarithms{}, most{};
  int count{};

  void add(double ratio) {
    logarithms += std::log(ratio);
    most = ratio > most ? ratio : most;
    ++count;
  }
  void print(const char* which) const {
    if (count > 0)
      std::printf("%s: mean %.1f %%, at most %.1f %%\n", which, 100 * std::exp(logarithms / count),
                  100 * most);
  }
};

struct options {
  int windows = 21;
  std::string only;
};

struct summary {
  ratios large, small;  // from a million products on, and below
};

void run(const layer& of, subject in_headers, const ctq::kernel_signature& signature, int windows,
         summary& all) {
  bench_case c = case_of(of);
  c.subjects = {std::move(in_headers), compiled_layer(same_kernels(), signature, of)};
  const result r = measure(c, windows, 0.004);
  const double ratio = r.seconds("compiled") / r.ours();
  const double products = static_cast<double>(of.operations()) / 2;
  std::printf("%-34s %9.2f MMAC %10.3f us %7.1f %%\n", name_of(of).c_str(), products / 1e6,
              r.ours() * 1e6, 100 * ratio);
  std::fflush(stdout);
  (products >= 1e6 ? all.large : all.small).add(ratio);
}

template <std::size_t N, class Entry, class Make>
void run_all(const Entry (&entries)[N], ctq::kernel_id kernel, Make in_headers, const options& o,
             summary& all) {
  for (std::size_t i = 0; i < N; ++i) {
    const layer of(entries[i].shape);
    if (name_of(of).find(o.only) == std::string::npos) continue;
    run(of, in_headers(i, of),
        ctq::signature_of(kernel, ctq::quint8, ctq::quint8, entries[i].shape), o.windows, all);
  }
}

}  // namespace

}  // namespace bench

int main(int count, char** arguments) {
  using namespace bench;
  stay_on_one_core(arguments);
  options o;
  if (count > 1) o.windows = std::atoi(arguments[1]);
  if (count > 2) o.only = arguments[2];
  summary all;
  run_all(gemms, ctq::kernel::linear, ctq_gemm, o, all);
  run_all(convs, ctq::kernel::conv2d, ctq_conv, o, all);
  run_all(depthwises, ctq::kernel::conv2d, ctq_depthwise, o, all);
  all.large.print("1 MMAC and more");
  all.small.print("less than 1 MMAC");
}
