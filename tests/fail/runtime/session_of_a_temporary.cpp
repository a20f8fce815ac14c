// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: deleted

#include "ctq/runtime/quantized_model.hpp"

// Any model will do: a session only keeps where it is.
struct model {
  static constexpr int arena_bytes = 64;
  using input = int;
  using output = int;
};

void infer() {
#ifdef CTQ_FIXED
  const model m;
  const ctq::session session{m};
#else
  const ctq::session session{model{}};
#endif
}
