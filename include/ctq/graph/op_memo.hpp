// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/op.hpp"

// What a backend or a mapping says of an op. A graph has many nodes but few ops, and to find an op
// among the entries of a spec costs the compiler more than all else that a pass does with a node.

namespace ctq {

template <class Answer>
class op_memo {
 public:
  /// What question(op) said when it was asked first.
  template <class Question>
  constexpr Answer operator()(op_id op, Question question) {
    const unsigned slot = op->hash % slots;
    if (op_[slot] != op) {  // none, or another op with the same hash
      op_[slot] = op;
      answer_[slot] = question(op);
    }
    return answer_[slot];
  }

 private:
  static constexpr unsigned slots = 128;

  op_id op_[slots]{};
  Answer answer_[slots]{};
};

}  // namespace ctq
