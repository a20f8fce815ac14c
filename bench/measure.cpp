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

/// The number of runs of a subject in a window and the time per run: thread CPU time, since others
/// may share the core.
struct window {
  benchmark::IterationCount runs;
  double seconds;
};
using windows_by_name = std::map<std::string, window>;

/// One window of each subject.
class one_round : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      windows[run.run_name.function_name] = {run.iterations, run.GetAdjustedCPUTime() * 1e-9};
    }
  }

  windows_by_name windows;
};

/// Each subject once, in random order. choose_length(its benchmark, the subject) sets the length.
template <class ChooseLength>
windows_by_name run_round(const std::vector<const subject*>& subjects,
                          const ChooseLength& choose_length) {
  benchmark::ClearRegisteredBenchmarks();
  for (const subject* s : subjects) {
    auto* const registered =
        benchmark::RegisterBenchmark(s->name.c_str(), [s](benchmark::State& state) {
          s->run();  // what the one before left in the caches does not count
          for (auto _ : state) {
            s->run();
            benchmark::ClobberMemory();
          }
        });
    choose_length(*registered->Repetitions(1), *s);
  }
  one_round round;
  benchmark::RunSpecifiedBenchmarks(&round, nullptr, ".");
  return round.windows;
}

/// oneDNN may use the same instruction sets.
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

double median(std::vector<double> of) {
  if (of.empty()) return 0.0;
  std::sort(of.begin(), of.end());
  return (of[(of.size() - 1) / 2] + of[of.size() / 2]) / 2;
}

void stay_on_one_core(char** arguments) {
  constexpr const char* started = "CTQ_BENCH_STARTED";
  if (std::getenv(started) == nullptr) {  // OpenMP reads its variable when it is loaded
    setenv(started, "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("DNNL_MAX_CPU_ISA", onednn_isa(), 1);
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
  if (std::strcmp(onednn_isa(), "DEFAULT") != 0) return false;
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
  r.of.spoil = {};
  std::vector<const subject*> timed;
  for (const subject& s : of.subjects) {
    timing t{s.name, 0.0, 0};
    if (of.spoil) of.spoil();
    s.run();
    if (s.answer) t.distance = of.distance(s.answer());
    r.times.push_back(t);
    if (t.distance <= (s.name == "ctq" ? 0 : 1)) timed.push_back(&s);
  }
  if (timed.empty()) return r;
  const auto first = run_round(timed, [&](benchmark::internal::Benchmark& b, const subject&) {
    b.MinTime(seconds_a_window);
  });
  const auto runs = [&](const subject& s) {
    // That window may have been shortened by other activity of the core.
    const window& w = first.at(s.name);
    return std::max(w.runs,
                    static_cast<benchmark::IterationCount>(seconds_a_window / w.seconds) + 1);
  };
  const std::string& base = timed.front()->name;
  std::map<std::string, std::vector<double>> seconds, ratios;
  for (int i = 0; i < windows; ++i) {
    const windows_by_name round = run_round(
        timed, [&](benchmark::internal::Benchmark& b, const subject& s) { b.Iterations(runs(s)); });
    for (const auto& [name, its] : round) {
      seconds[name].push_back(its.seconds);
      ratios[name].push_back(its.seconds / round.at(base).seconds);
    }
  }
  for (timing& t : r.times) t.seconds = median(seconds[base]) * median(ratios[t.name]);
  return r;
}

}  // namespace bench
