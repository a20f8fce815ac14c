// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ctq::isa {

/// Linux keeps the tiles of AMX from a process until it asks for them, and may refuse:
/// arch_prctl, ARCH_REQ_XCOMP_PERM of component 18. Asking again does no harm. Without permission
/// the first tile instruction is illegal. Inlined, since callers are compiled for other machines.
[[gnu::always_inline]] inline bool ask_for_amx() noexcept {
#if defined(__x86_64__) && defined(__linux__)
  return syscall(SYS_arch_prctl, 0x1023, 18) == 0;
#else
  return true;
#endif
}

}  // namespace ctq::isa
