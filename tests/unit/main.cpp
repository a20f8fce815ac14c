// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main of every unit test. A binary for an instruction set that this machine does not have is
// skipped, with Meson's exit code 77. If only AMX is missing, it is emulated.

#include <doctest/doctest.h>

#include <cstdio>

#include "amx_emulator.hpp"
#include "machine.hpp"

int main(int argc, char** argv) {
  constexpr std::string_view isa = CTQ_TEST_ISA;
  if (isa == "amx" && !machine_runs("amx") && machine_runs("avx512vnni")) {
    std::puts("this machine lacks AMX, which is emulated");
    emulate_amx();
  } else if (!machine_runs_this_binary()) {
    std::puts("skipped: this machine lacks the instruction set");
    return 77;
  }
  doctest::Context context(argc, argv);
  return context.run();
}
