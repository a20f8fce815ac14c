// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace ctq {

/// What happens if the qconfig of a node cannot be honoured: a compile error, or the node stays in
/// float, as in PyTorch.
enum class unsupported : unsigned char { error, skip };

}  // namespace ctq
