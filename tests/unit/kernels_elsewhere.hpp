// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Force-included in joined tests that run whole models, so that the kernels that interpreter and
// evaluator call are compiled once, in kernels_elsewhere.cpp.

#include "ctq/evaluate/evaluator.hpp"
#include "ctq/runtime/bind_kernels.hpp"

#define CTQ_COMPILE_ELSEWHERE(...)                                                              \
  __VA_ARGS__ void ctq::run_kernel<ctq::reference_kernels>(const ctq::kernel_signature&,        \
                                                           const ctq::operands&) noexcept;      \
  __VA_ARGS__ void ctq::run_kernel<ctq::fast_kernels>(const ctq::kernel_signature&,             \
                                                      const ctq::operands&) noexcept;           \
  __VA_ARGS__ ctq::result<ctq::kernel_functions>                                                \
  ctq::kernel_functions_of<ctq::reference_kernels>();                                           \
  __VA_ARGS__ ctq::result<ctq::kernel_functions> ctq::kernel_functions_of<ctq::fast_kernels>(); \
  __VA_ARGS__ class ctq::node_evaluator<ctq::stage::traced>;                                    \
  __VA_ARGS__ class ctq::node_evaluator<ctq::stage::fused>;                                     \
  __VA_ARGS__ class ctq::node_evaluator<ctq::stage::prepared>;                                  \
  __VA_ARGS__ class ctq::node_evaluator<ctq::stage::reference>;                                 \
  __VA_ARGS__ class ctq::node_evaluator<ctq::stage::lowered>;                                   \
  __VA_ARGS__ class ctq::evaluator<ctq::stage::traced>;                                         \
  __VA_ARGS__ class ctq::evaluator<ctq::stage::prepared>;                                       \
  __VA_ARGS__ class ctq::evaluator<ctq::stage::reference>;                                      \
  __VA_ARGS__ class ctq::evaluator<ctq::stage::lowered>;                                        \
  __VA_ARGS__ class ctq::evaluator<ctq::stage::fused, ctq::fast_kernels>;                       \
  __VA_ARGS__ class ctq::evaluator<ctq::stage::prepared, ctq::fast_kernels>;                    \
  __VA_ARGS__ class ctq::evaluator<ctq::stage::lowered, ctq::fast_kernels>

#ifndef CTQ_COMPILED_HERE
CTQ_COMPILE_ELSEWHERE(extern template);
#endif
