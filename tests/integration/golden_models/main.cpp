// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The golden models that can be constants of a program, through the compiled executor.
//
//   golden_models DIR LEAST   files of DIR, which generate.py wrote; at least so many models

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "golden_model.hpp"
#include "machine.hpp"

namespace golden_models {

namespace {

// QNNPACK's fixed point is a step off at times where ctq rounds what float computes. Averages often
// lie between two steps, and a layer behind them makes a few of one.
constexpr double one_step = 1.01;
constexpr double few_steps = 8.01;
constexpr double float_tolerance = 1e-5;

/// The tensors PREFIX.0, PREFIX.1, …
input_bytes read(const ctq::tensor_file& file, const std::string& prefix) {
  input_bytes all;
  while (const ctq::stored_tensor* const t = file.find(prefix + "." + std::to_string(all.size())))
    all.emplace_back(t->data.begin(), t->data.end());
  return all;
}

}  // namespace

ctq::result<data_set> read_data(const std::filesystem::path& stem) {
  const auto file = ctq::read_safetensors(stem.string() + ".data.safetensors");
  if (!file) return ctq::unexpected{file.error()};
  data_set data;
  for (int step = 0;; ++step) {
    input_bytes x = read(*file, "calibration." + std::to_string(step));
    if (x.empty()) break;
    data.calibration.push_back(std::move(x));
  }
  data.evaluation = read(*file, "evaluation");
  while (const ctq::stored_tensor* const expected =
             file->find("expected." + std::to_string(data.expected.size()))) {
    auto out = ctq::values_of<float>(*expected);
    if (!out) return ctq::unexpected{out.error()};
    data.expected.push_back(*std::move(out));
  }
  return data;
}

std::vector<entry>& entries() {
  static std::vector<entry> all;
  return all;
}

double difference_of(const std::vector<float>& wanted, std::span<const float> got, double step) {
  if (wanted.size() != got.size()) return HUGE_VAL;
  double largest = 0.0;
  double magnitude = 1.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto w = static_cast<double>(wanted[i]);
    const double d = std::abs(w - static_cast<double>(got[i]));
    largest = std::isnan(d) ? HUGE_VAL : std::max(largest, d);
    magnitude = std::max(magnitude, std::abs(w));
  }
  return largest / (step > 0.0 ? step : magnitude);
}

double step_behind(ctq::graph_view<ctq::stage::lowered> g, std::span<const ctq::qparams> qparams) {
  std::vector<int> open{g.size() - 1};
  double largest = 0.0;
  while (!open.empty()) {
    const int i = open.back();
    open.pop_back();
    if (is_quantized(g[i].dtype) && g[i].observer >= 0) {
      const float s = qparams[static_cast<std::size_t>(g[i].observer)].scale;
      largest = std::max(largest, static_cast<double>(s));
      continue;
    }
    for (const int a : g.args_of(i)) open.push_back(a);
  }
  return largest;
}

void look_at(std::span<const ctq::step> steps, outcome& o) {
  for (const ctq::step& s : steps) {
    const bool on_integers = is_quantized(s.signature.in) || is_quantized(s.signature.out);
    o.integer_steps += on_integers ? 1 : 0;
    o.averages = o.averages || (on_integers && s.signature.kernel == ctq::kernel::pooling_avg);
  }
}

namespace {

outcome run(const entry& e, const std::filesystem::path& folder) {
  if (e.run == nullptr) return {.is = outcome::kind::refused, .words = e.reason};
  outcome o = e.run(folder / e.name);
  const double on_integers = o.averages ? few_steps : one_step;
  const double allowed = o.integer_steps > 0 ? on_integers : float_tolerance;
  if (o.is == outcome::kind::equal && o.difference > allowed) {
    o.is = outcome::kind::failed;
    o.words = "differs from PyTorch by " + std::to_string(o.difference) +
              (o.integer_steps > 0 ? " steps" : " of the largest value");
  }
  return o;
}

/// Returns whether nothing failed and there were enough models.
bool run_all(const std::filesystem::path& folder, int least) {
  std::vector<entry> all = entries();
  std::sort(all.begin(), all.end(), [](const entry& a, const entry& b) { return a.name < b.name; });
  int count[3]{};
  for (const entry& e : all) {
    const outcome o = run(e, folder);
    ++count[static_cast<int>(o.is)];
    std::string words = o.words;
    std::replace(words.begin(), words.end(), '\n', ' ');
    if (o.is == outcome::kind::equal)
      std::printf("%s: the interpreter's bytes, %d steps on integers, %.3g from PyTorch\n",
                  e.name.c_str(), o.integer_steps, o.difference);
    else
      std::printf("%s: %s: %s\n", e.name.c_str(),
                  o.is == outcome::kind::refused ? "no model in C++" : "FAILED", words.c_str());
  }
  std::printf("%zu cases: %d equal, %d refused, %d failed\n", all.size(), count[0], count[1],
              count[2]);
  if (count[0] < least) std::printf("that are fewer than %d\n", least);
  return count[2] == 0 && count[0] >= least;
}

}  // namespace

}  // namespace golden_models

int main(int argc, char** argv) {
  if (!machine_runs_this_binary()) return 77;
  if (argc != 3) return 2;
  int least = 0;
  const std::string_view text = argv[2];
  std::from_chars(text.data(), text.data() + text.size(), least);
  return golden_models::run_all(argv[1], least) ? 0 : 1;
}
