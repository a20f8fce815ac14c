// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_case.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "ctq/backends/x86.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/runtime/interpreter.hpp"

// What holds for numbers whatever the model: fusion keeps the float output; evaluator and
// interpreter give the same integers, by reference kernels and by those of this machine.

using namespace ctq;
using namespace random_cases;

namespace {

/// The largest of all values of a model, not of its output alone: a difference of nearly equal
/// values is small, its rounding errors are not.
double largest_of(const std::vector<node_value>& values) {
  double largest = 0.0;
  for (const node_value& v : values) {
    const float_ops::value real = v.real();
    if (const auto* t = real.get_if<float_ops::tensor>())
      for (const float x : t->data) largest = std::max(largest, std::abs(static_cast<double>(x)));
  }
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
         is_any_of(n.op, nn::conv1d, nni::conv_relu1d, nn::conv_transpose1d, nn::conv_transpose2d,
                   fn::avg_pool1d, nn::adaptive_avg_pool1d, nn::conv2d, nni::conv_relu2d,
                   nn::linear, nni::linear_relu, nn::batch_norm2d, nni::bn_relu2d, nn::avg_pool2d,
                   fn::avg_pool2d, nn::adaptive_avg_pool2d, fn::adaptive_avg_pool2d);
}

/// Scales that are any float32, not only what a range divided by 255 gives.
void randomize_scales(lowered_case& q, random_numbers& random) {
  for (auto& [observer, found] : q.qparams.activations) {
    const float scale = static_cast<float>(found.scale[0]) * random.between(0.7F, 1.4F);
    found.scale[0] = static_cast<double>(scale);
  }
}

std::vector<qparams> numbers_of(const lowered_case& q) {
  std::vector<qparams> numbers(static_cast<std::size_t>(q.prepared.observers));
  for (const auto& [o, found] : q.qparams.activations)
    numbers[static_cast<std::size_t>(o)] = qparams_of(found);
  return numbers;
}

/// What a set of kernels interprets.
template <class Kernels>
std::vector<float> interpreted(const random_case& c, const lowered_case& q,
                               const float_ops::tensor& x, std::size_t outputs) {
  auto run = interpreter<Kernels>::make(q.lowered.view(), c.float_weights, numbers_of(q), q.backend,
                                        q.mapping());
  if (!run) FAIL(run.error().message());
  std::vector<float> out(outputs);
  run->run(x.data.data(), out.data());
  return out;
}

/// Do all nodes of integers give the same?
bool same_integers(const std::vector<node_value>& a, const std::vector<node_value>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const quantized_tensor* const x = a[i].integers();
    const quantized_tensor* const y = b[i].integers();
    if ((x == nullptr) != (y == nullptr)) return false;
    if (x != nullptr && (x->shape() != y->shape() || x->int_repr() != y->int_repr())) return false;
  }
  return true;
}

std::vector<node_value> by_fast_kernels(const lowered_case& q, const random_case& c,
                                        const float_ops::tensor& x) {
  evaluator<stage::lowered, fast_kernels> run(
      q.lowered.view(), c.modules,
      {.qparams = &q.qparams, .implementation = implementation_of_user_ops(&q.qparams)});
  auto first = run.run({x});
  auto again = run.run({x});  // by weights that are packed already
  if (!first || !again) FAIL("fast kernels give an error");
  return same_integers(*first, *again) ? *std::move(again) : std::vector<node_value>{};
}

}  // namespace

TEST_CASE("fuse keeps the float output of random models") {
  constexpr double tolerance = 1e-4;  // of the largest value: float32 sums in another order
  int fused_ops = 0;
  check_random_models(
      1000,
      [&](const random_model& m) {
        random_case c(m.seed());
        const auto traced = c.model.graph().view();
        const auto fused = fuse(traced, backend_v<x86>);
        fused_ops += traced.size() - fused.view().size();
        const float_ops::tensor x = c.input();
        const std::vector<node_value> values = run(traced, c.modules, x);
        const std::vector<float> before = output_of(values);
        const std::vector<float> after = output_of(run(fused.view(), c.modules, x));
        if (after.size() != before.size()) return std::string("fused, the output has another size");
        const double off = difference(before, after);
        if (off <= tolerance * largest_of(values)) return std::string();
        return "fused, the output differs by " + std::to_string(off) + " of " +
               std::to_string(largest_of(values));
      },
      true);
  CHECK(fused_ops > static_cast<int>(model_count(1000) / 2));
}

TEST_CASE("random models of random scales give the same bytes op by op and interpreted") {
  const unsigned count = model_count(2000);
  unsigned compared = 0;
  unsigned models = 0;
  for (unsigned seed = first_seed(); compared < count; ++seed, ++models) {
    CAPTURE(seed);
    REQUIRE(models < 10 * count);
    random_case c(seed);
    lowered_case q(c);
    randomize_scales(q, c.random);
    const graph_view<stage::lowered> g = q.lowered.view();
    bool has_float_sums = false;
    bool has_integers = false;
    for (int i = 0; i < g.size(); ++i) {
      has_float_sums = has_float_sums || sums_floats(g[i]);
      has_integers = has_integers || is_quantized(g[i].dtype);
    }
    if (has_float_sums || !has_integers) continue;
    const float_ops::tensor x = c.input();
    const std::vector<node_value> values = run(g, c.modules, x, q.qparams);
    const std::vector<float> wanted = output_of(values);
    REQUIRE(interpreted<reference_kernels>(c, q, x, wanted.size()) == wanted);
    REQUIRE(interpreted<fast_kernels>(c, q, x, wanted.size()) == wanted);
    REQUIRE(same_integers(values, by_fast_kernels(q, c, x)));
    ++compared;
  }
  MESSAGE(compared, " of ", models, " models were all integers");
}

TEST_CASE("float models differ by fast kernels in the last bits") {
  check_random_models(
      100,
      [&](const random_model& m) {
        random_case c(m.seed());
        const auto g = c.model.graph().view();
        const float_ops::tensor x = c.input();
        const std::vector<node_value> wanted = run(g, c.modules, x);
        evaluator<stage::traced, fast_kernels> fast(
            g, c.modules, {.implementation = implementation_of_user_ops(nullptr)});
        const auto values = fast.run({x});
        if (!values) return values.error().message();
        return difference(output_of(wanted), output_of(*values)) <= 1e-4 * largest_of(wanted)
                   ? std::string()
                   : std::string("another output");
      },
      true);
}
