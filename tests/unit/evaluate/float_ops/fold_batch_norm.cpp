// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/fold_batch_norm.hpp"

#include <doctest/doctest.h>

#include "ctq/evaluate/float_ops/call.hpp"

using namespace ctq;
using float_ops::tensor;

// The bits of folded weights are compared with PyTorch's by tests/golden.

namespace {

tensor counting(float_ops::extents shape, float first, float step) {
  tensor t = float_ops::filled(std::move(shape));
  for (std::size_t i = 0; i < t.data.size(); ++i)
    t.data[i] = first + step * static_cast<float>(i * 5 % 7);
  return t;
}

struct norm {
  tensor gamma, beta, mean, variance;

  explicit norm(int n)
      : gamma(counting({n}, -0.5F, 0.25F)),
        beta(counting({n}, 0.1F, 0.3F)),
        mean(counting({n}, -1.0F, 0.4F)),
        variance(counting({n}, 0.5F, 0.2F)) {}

  [[nodiscard]] float_ops::batch_norm tensors() const {
    return {&gamma, &beta, &mean, &variance, 1e-3};
  }
};

tensor called(op_id op, const float_ops::arguments& a) {
  const auto y = float_ops::call(op, a);
  REQUIRE(y);
  return *y->get_if<tensor>();
}

void check_same_output(op_id op, float_ops::foldable kind, const tensor& x, const tensor& weight,
                       const tensor& bias, int groups = 1) {
  const norm n(static_cast<int>(bias.data.size()));
  const auto folded = float_ops::fold(weight, &bias, n.tensors(), kind, groups);
  REQUIRE(folded);
  float_ops::arguments a{{"input", x}, {"weight", weight}, {"bias", bias}, {"groups", groups}};
  const tensor y = called(nn::batch_norm2d.id(), {{"input", called(op, a)},
                                                  {"weight", n.gamma},
                                                  {"bias", n.beta},
                                                  {"running_mean", n.mean},
                                                  {"running_var", n.variance},
                                                  {"eps", 1e-3}});
  a.set("weight", folded->weight);
  a.set("bias", folded->bias);
  const tensor z = called(op, a);
  REQUIRE(y.shape == z.shape);
  for (std::size_t i = 0; i < y.data.size(); ++i)
    CHECK(y.data[i] == doctest::Approx(z.data[i]).epsilon(1e-5));
}

}  // namespace

TEST_CASE("a conv with a batch norm folded into it gives what both gave") {
  check_same_output(nn::conv2d.id(), float_ops::foldable::conv, counting({1, 4, 3, 3}, -1, 0.3F),
                    counting({6, 2, 2, 2}, -0.4F, 0.2F), counting({6}, 0, 0.1F), 2);
}

TEST_CASE("a transposed conv has its channels on the second axis, group by group") {
  check_same_output(nn::conv_transpose2d.id(), float_ops::foldable::conv_transpose,
                    counting({1, 4, 3, 3}, -1, 0.3F), counting({4, 3, 2, 2}, -0.4F, 0.2F),
                    counting({6}, 0, 0.1F), 2);
}

TEST_CASE("a linear with a batch norm folded into it gives what both gave") {
  check_same_output(nn::linear.id(), float_ops::foldable::linear, counting({3, 4}, -1, 0.3F),
                    counting({5, 4}, -0.4F, 0.2F), counting({5}, 0, 0.1F));
}

TEST_CASE("a batch norm of another number of channels is an error") {
  const norm n(4);
  const tensor weight = float_ops::filled({5, 4});
  CHECK_FALSE(
      float_ops::fold(weight, nullptr, n.tensors(), float_ops::foldable::linear).has_value());
  for (const tensor& vector : {float_ops::filled({4}), float_ops::filled({})})
    CHECK(float_ops::fold(vector, nullptr, n.tensors(), float_ops::foldable::linear)
              .error()
              .message() == "weight: is not that of such a module");
}
