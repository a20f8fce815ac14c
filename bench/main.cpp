// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of the example network: ctq beside oneDNN, float and int8, in one run on one core,
// in random order, the median of many repetitions.

#include <benchmark/benchmark.h>
#include <sched.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "convolutions.hpp"
#include "ctq/core/isa.hpp"

namespace {

/// Keeps the median time of each benchmark, in µs, by name.
class medians : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.aggregate_name == "median")
        time_[run.run_name.function_name] = run.GetAdjustedRealTime() / 1e3;
  }
  [[nodiscard]] double operator()(const std::string& name) const {
    const auto at = time_.find(name);
    return at == time_.end() ? std::nan("") : at->second;
  }

 private:
  std::map<std::string, double> time_;
};

void stay_on_one_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof one, &one);
}

}  // namespace

int main(int argc, char** argv) {
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {  // OpenMP reads it when it is loaded
    setenv("OMP_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
  }
  stay_on_one_core();
  std::vector<char*> args(argv, argv + argc);
  std::string defaults[] = {"--benchmark_repetitions=9", "--benchmark_min_time=0.02",
                            "--benchmark_enable_random_interleaving=true",
                            "--benchmark_report_aggregates_only=true"};
  for (std::string& d : defaults) args.insert(args.begin() + 1, d.data());
  int count = static_cast<int>(args.size());
  benchmark::Initialize(&count, args.data());
  bench::add_ctq();
  bench::add_onednn();
  medians time;
  benchmark::RunSpecifiedBenchmarks(&time);

  std::printf("%-24s %9s %9s %6s %9s %9s %6s %9s\n", "us, median", "ctq f32", "oneDNN", "ratio",
              "ctq int8", "oneDNN", "ratio", "f32/int8");
  double logs[3] = {};
  for (const ctq::conv2d_shape& s : bench::convolutions) {
    const std::string name = bench::name_of(s);
    const double f32 = time(name + "|ctq f32");
    const double int8 = time(name + "|ctq int8");
    const double their_f32 = time(name + "|oneDNN f32");
    const double their_int8 = time(name + "|oneDNN int8");
    std::printf("%-24s %9.2f %9.2f %6.2f %9.2f %9.2f %6.2f %9.2f\n", name.c_str(), f32, their_f32,
                their_f32 / f32, int8, their_int8, their_int8 / int8, f32 / int8);
    logs[0] += std::log(their_f32 / f32);
    logs[1] += std::log(their_int8 / int8);
    logs[2] += std::log(f32 / int8);
  }
  const auto mean = [](double sum) {
    return std::exp(sum / static_cast<double>(std::size(bench::convolutions)));
  };
  std::printf("bench: f32_vs_onednn=%.2f int8_vs_onednn=%.2f int8_vs_f32=%.2f isa=%s\n",
              mean(logs[0]), mean(logs[1]), mean(logs[2]), ctq::isa::native::name.data());
}
