// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

// A measured computation on given operands, by several libraries.

namespace bench {

/// One implementation of a case.
struct subject {
  /// "ctq", a peer, or a limit of the machine: "peak", "epilogue", "read", "copy", "memcpy"
  std::string name;
  std::function<void()> run;
  /// Returns the output of the last run in the form that the case's operands compare, before
  /// another subject runs; none for a limit.
  std::function<const void*()> answer;
  /// The addresses of its operands and result, if others may read them.
  std::span<const std::byte> memory{};
};

enum class regime { gemm, conv, depthwise, elementwise, ops };
inline constexpr regime regimes[] = {regime::gemm, regime::conv, regime::depthwise,
                                     regime::elementwise, regime::ops};

[[nodiscard]] constexpr const char* name_of(regime r) {
  constexpr const char* names[] = {"gemm", "conv", "depthwise", "elementwise", "ops"};
  return names[static_cast<int>(r)];
}

/// Whether it counts in the means: each op has a target of its own.
[[nodiscard]] constexpr bool has_mean(regime r) { return r != regime::ops; }

struct bench_case {
  regime kind{};
  std::string name;
  bool counted = true;   // in the means of the last line
  double work{};         // operations (two a product), or bytes read and written
  double traffic{};      // bytes that must come and go at least: operands and result, each once
  double peak_work{};    // operations of one run of the subject "peak"
  double dots{};         // operations with those of zeros that fill up the last group of products
  double epilogues{};    // how many runs of the subject "epilogue" make the outputs of the sums
  bool beside = false;   // tiles: their dot products run beside all else, not in turn with it
  double others = 1.0;   // how much faster than oneDNN 2.6.3 the best of all peers was elsewhere
  std::string wanted{};  // ops: the subject that ctq is to be compared with
  double ratio = 0.0;    // of its time to that of ctq, at least
  std::vector<subject> subjects;  // ctq first
  std::function<void()> spoil{};  // if all write to one place: makes what is there wrong
  /// The largest difference from the reference: of integers, or of floats in units of the input's
  /// scale.
  std::function<int(const void*)> distance;
};

/// The time per run of a subject, in seconds: see measure.
struct timing {
  std::string name;
  double seconds{};
  int distance{};
};

struct result {
  bench_case of;  // without subjects
  std::vector<timing> times;

  /// 0 if no subject of that name was measured.
  [[nodiscard]] double seconds(const std::string& name) const {
    for (const timing& t : times)
      if (t.name == name) return t.seconds;
    return 0.0;
  }
  [[nodiscard]] double ours() const { return seconds("ctq"); }
};

}  // namespace bench
