// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operating system that refuses AMX makes no model, and says so; nothing faults.

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "ctq/runtime/quantized_model.hpp"
#include "machine.hpp"
#include "runtime/small_net.hpp"

namespace {

/// From now on arch_prctl(ARCH_REQ_XCOMP_PERM) gives EPERM in this process.
bool refuse_tiles() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_arch_prctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x1023, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof rules / sizeof rules[0], rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

int main() {
  if (!machine_runs("avx512vnni") || !refuse_tiles()) return 77;
  using plan = ctq::plan<small::mlp, ctq::x86, small::int8>;
  const std::vector<ctq::qparams> q(static_cast<std::size_t>(plan::prepared.observers),
                                    {0.05F, 120, 0, 255});
  const auto model = ctq::quantized_model<plan, ctq::isa::amx>::make(
      small::state_of<plan>(small::random_weights<small::mlp>(1), q));
  if (model) return std::puts("a model was made all the same"), 1;
  std::puts(model.error().message().c_str());
  const bool dispatched = ctq::isa::supported<ctq::isa::amx>();
  return model.error().place == "instruction set amx" && !dispatched ? 0 : 1;
}
