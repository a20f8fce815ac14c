// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main of every unit test. A binary for instructions that this machine does not have is
// skipped: 77 is Meson's word for it. AMX alone is emulated where only that is missing.

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
