// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_case.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "ctq/backends/x86.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/runtime/interpreter.hpp"

// What holds for numbers whatever the model: fusion keeps the float output, and the scalar
// interpreter gives the integers that the evaluator gives op by op.

using namespace ctq;
using namespace random_cases;

namespace {

double largest_of(const std::vector<float>& values) {
  double largest = 0.0;
  for (const float x : values) largest = std::max(largest, std::abs(static_cast<double>(x)));
  return largest;
}

double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return largest;
}

// --- Integers ----------------------------------------------------------------------------------

/// Is the node computed in float by sums, whose order is not the same in both?
bool sums_floats(const node& n) {
  return n.dtype == f32 &&
         is_any_of(n.op, nn::conv2d, nni::conv_relu2d, nn::linear, nni::linear_relu,
                   nn::batch_norm2d, nni::bn_relu2d, nn::avg_pool2d, fn::avg_pool2d,
                   nn::adaptive_avg_pool2d, fn::adaptive_avg_pool2d);
}

/// Kernels add up integers for an average and round once; op by op it is the mean of floats, which
/// is rounded to the other side where it lies just between two steps.
bool averages(const node& n) {
  return is_any_of(n.op, nn::avg_pool2d, fn::avg_pool2d, nn::adaptive_avg_pool2d,
                   fn::adaptive_avg_pool2d);
}

/// The same model on integers, computed twice.
struct both {
  std::vector<float> op_by_op, interpreted;
  bool has_float_sums = false;
  bool has_averages = false;
  bool refused = false;
  int integer_ops = 0;
  std::string graph;
};

both run_integers(random_case& c) {
  const lowered_case q(c);
  std::vector<qparams> numbers(static_cast<std::size_t>(q.prepared.observers));
  for (const auto& [o, found] : q.steps.activations) {
    const quant_range r = range_of(found.dtype);
    numbers[static_cast<std::size_t>(o)] = {static_cast<float>(found.scale[0]), found.zero_point[0],
                                            static_cast<std::int32_t>(r.min),
                                            static_cast<std::int32_t>(r.max)};
  }

  const float_ops::tensor x = c.input();
  both out;
  out.op_by_op = output_of(run(q.lowered.view(), c.modules, x, q.steps));
  auto interpreter = ctq::interpreter<reference_kernels>::make(q.lowered.view(), c.float_weights,
                                                               numbers, q.backend, q.mapping());
  if (!interpreter) {
    // Where all that was seen is zero, the scale is so small that the bias leaves int32.
    out.refused = interpreter.error().place.find("accumulator_overflow") != std::string::npos;
    if (!out.refused) FAIL(interpreter.error().message());
    return out;
  }
  out.interpreted.resize(out.op_by_op.size());
  interpreter->run(x.data.data(), out.interpreted.data());
  for (int i = 0; i < q.lowered.view().size(); ++i) {
    const node& n = q.lowered.view()[i];
    out.has_float_sums = out.has_float_sums || sums_floats(n);
    out.has_averages = out.has_averages || averages(n);
    out.integer_ops += is_quantized(n.dtype) ? 1 : 0;
    out.graph += std::string(n.name) + " " + std::string(n.op->name) + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("fuse keeps the float output of a thousand random models") {
  constexpr double tolerance = 1e-4;  // of the largest value: float32 sums in another order
  int fused_ops = 0;
  check_random_models(1000, [&](const random_model& m) {
    random_case c(m.seed());
    const auto traced = c.model.graph().view();
    const auto fused = fuse(traced, backend_v<x86>);
    fused_ops += traced.size() - fused.view().size();
    const float_ops::tensor x = c.input();
    const std::vector<float> before = output_of(run(traced, c.modules, x));
    const std::vector<float> after = output_of(run(fused.view(), c.modules, x));
    if (after.size() != before.size()) return std::string("fused, the output has another size");
    const double off = difference(before, after);
    if (off <= tolerance * largest_of(before)) return std::string();
    return "fused, the output differs by " + std::to_string(off) + " of " +
           std::to_string(largest_of(before));
  });
  CHECK(fused_ops > 1000);
}

TEST_CASE("random models give the same integers op by op and interpreted") {
  int compared = 0;
  int refused = 0;
  int averaging = 0;
  int averaging_equal = 0;
  check_random_models(200, [&](const random_model& m) {
    random_case c(m.seed());
    const both b = run_integers(c);
    const bool equal = b.op_by_op == b.interpreted;
    refused += b.refused ? 1 : 0;
    if (b.refused || b.has_float_sums || b.integer_ops == 0) return std::string();
    if (b.has_averages) {
      ++averaging;
      averaging_equal += equal ? 1 : 0;
      return std::string();
    }
    ++compared;
    return equal ? std::string() : "other integers are interpreted\n" + b.graph;
  });
  CHECK(compared > 20);
  CHECK(refused < 20);
  CHECK(averaging_equal > averaging / 3);
  MESSAGE(compared, " models without averages are equal, ", averaging_equal, " of ", averaging,
          " with");
}
