// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/fast_kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "random_case.hpp"
#include "ctq/evaluate/evaluator.hpp"

// What holds for the fast evaluator whatever the model: lowered, the integers of the plain one.

// Compiled in fast_floats.cpp and fast_integers.cpp.
extern template class ctq::fast_floats<ctq::isa::native>;
extern template class ctq::fast_integers<ctq::isa::native>;

using namespace ctq;
using namespace random_cases;

namespace {

/// How many nodes give the same integers, and whether any gives others.
struct sameness {
  int integers = 0;
  bool differ = false;
};

sameness compare_nodes(const std::vector<node_value>& a, const std::vector<node_value>& b) {
  sameness s;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const quantized_tensor* const x = a[i].integers();
    const quantized_tensor* const y = b[i].integers();
    s.differ = s.differ || (x == nullptr) != (y == nullptr);
    if (x == nullptr || y == nullptr) continue;
    s.differ =
        s.differ || x->q.shape != y->q.shape || x->q.data != y->q.data || !(x->steps == y->steps);
    ++s.integers;
  }
  return s;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0.0;
  double size = 1e-30;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    size = std::max(size, std::abs(static_cast<double>(a[i])));
  }
  return largest / size;
}

constexpr unsigned models = 100;

}  // namespace

TEST_CASE("a hundred random models give the same integers by fast kernels, twice") {
  const unsigned first = first_seed();
  MESSAGE("seeds from ", first);
  int integers = 0;
  for (unsigned seed = first; seed != first + models; ++seed) {
    CAPTURE(seed);
    random_case c(seed);
    const lowered_case q(c);
    evaluator<stage::lowered, fast_kernels> fast(
        q.lowered.view(), c.modules, {.steps = &q.steps, .own = meaning_of_own_ops(&q.steps)});
    for (int i = 0; i < 2; ++i) {
      const float_ops::tensor x = c.input();
      const auto wanted = run(q.lowered.view(), c.modules, x, q.steps);
      const auto got = fast.run({x});
      REQUIRE(got.has_value());
      const sameness s = compare_nodes(wanted, *got);
      integers += s.integers;
      REQUIRE_FALSE(s.differ);
    }
  }
  CHECK(integers > 500);
}

TEST_CASE("float models differ by fast kernels in the last bits") {
  const unsigned first = first_seed();
  for (unsigned seed = first; seed != first + models; ++seed) {
    CAPTURE(seed);
    random_case c(seed);
    const auto g = c.model.graph().view();
    const float_ops::tensor x = c.input();
    const auto wanted = run(g, c.modules, x);
    const auto got =
        evaluator<stage::traced, fast_kernels>(g, c.modules, {.own = meaning_of_own_ops(nullptr)})
            .run({x});
    REQUIRE(got.has_value());
    REQUIRE(largest_difference(output_of(wanted), output_of(*got)) < 1e-4);
  }
}
