// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.hpp"

#include <benchmark/benchmark.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "ctq/core/isa.hpp"

namespace bench {

namespace {

/// Keeps the seconds of each window, by name: those that the thread was running, since others may
/// share the core.
class windows_of : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Iteration) {
        seconds_[run.run_name.function_name].push_back(run.GetAdjustedCPUTime() * 1e-9);
      }
    }
  }
  [[nodiscard]] double median(const std::string& name) {
    std::vector<double>& s = seconds_[name];
    if (s.empty()) return 0.0;
    std::nth_element(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(s.size() / 2), s.end());
    return s[s.size() / 2];
  }

 private:
  std::map<std::string, std::vector<double>> seconds_;
};

/// oneDNN may use what we may use.
const char* onednn_isa() {
  using namespace ctq::isa;
  if constexpr (includes<native, amx>) return "DEFAULT";
  if constexpr (includes<native, avx512vnni>) return "AVX512_CORE_VNNI";
  if constexpr (includes<native, avx512>) return "AVX512_CORE";
  if constexpr (includes<native, avxvnni>) return "AVX2_VNNI";
  if constexpr (includes<native, avx2>) return "AVX2";
  return "SSE41";
}

}  // namespace

void stay_on_one_core(char** arguments) {
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {  // OpenMP reads it when it is loaded
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("DNNL_MAX_CPU_ISA", onednn_isa(), 0);
    execv("/proc/self/exe", arguments);
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof one, &one);
  char program[] = "bench";
  char interleaved[] = "--benchmark_enable_random_interleaving=true";
  char* flags[] = {program, interleaved};
  int count = 2;
  benchmark::Initialize(&count, flags);
}

bool peers_have_amx() {
  if (std::strcmp(std::getenv("DNNL_MAX_CPU_ISA"), "DEFAULT") != 0) return false;
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d >> 25 & 1) != 0;
#else
  return false;
#endif
}

result measure(const bench_case& of, int windows, double seconds_a_window) {
  result r{of, {}};
  r.of.subjects.clear();
  r.of.distance = {};
  benchmark::ClearRegisteredBenchmarks();
  for (const subject& s : of.subjects) {
    timing t{s.name, 0.0, 0};
    s.run();
    if (s.answer) t.distance = of.distance(s.answer());
    r.times.push_back(t);
    if (t.distance > (s.name == "ctq" ? 0 : 1)) continue;
    benchmark::RegisterBenchmark(s.name.c_str(),
                                 [&s](benchmark::State& state) {
                                   for (auto _ : state) {
                                     s.run();
                                     benchmark::ClobberMemory();
                                   }
                                 })
        ->Repetitions(windows)
        ->MinTime(seconds_a_window);
  }
  windows_of seconds;
  benchmark::RunSpecifiedBenchmarks(&seconds);
  for (timing& t : r.times) t.seconds = seconds.median(t.name);
  return r;
}

}  // namespace bench
