#include <cstdio>

#include "model.hpp"

ctq::tensor<float, 2, 3> run_int8(const ctq::tensor<float, 2, 4>& x);  // other.cpp

int main() {
  const auto weights =
      ctq::model_weights<net>::check(
          ctq::weights{{{"0.weight", {3, 4}, {1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 1}},
                        {"0.bias", {3}, {0, 1, 0}}}})
          .value_or_exit();
  ctq::float_model<net, ctq::x86> in_float{weights};
  const ctq::tensor<float, 2, 4> x{{1, 2, 3, 4, -1, -2, -3, -4}};
  const ctq::tensor<float, 2, 3> y = in_float(x);
  const ctq::tensor<float, 2, 3> q = run_int8(x);
  for (std::size_t i = 0; i < y.size; ++i) {
    std::printf("%g %g\n", static_cast<double>(y[i]), static_cast<double>(q[i]));
    if (q[i] - y[i] > 0.1F || y[i] - q[i] > 0.1F) return 1;
  }
}
