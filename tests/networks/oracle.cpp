// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scalar interpreter, compiled once for all networks.

#include "compiled.hpp"

#include <span>

template class ctq::interpreter<ctq::reference_kernels>;

ctq::result<networks::oracle> networks::make_oracle(ctq::graph_view<ctq::stage::lowered> g,
                                                    const ctq::weights& w,
                                                    std::span<const ctq::qparams> qparams,
                                                    const ctq::backend_view& backend,
                                                    const ctq::mapping_view& mapping) {
  return oracle::make(g, w, qparams, backend, mapping);
}
