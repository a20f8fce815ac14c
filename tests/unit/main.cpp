// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main of every unit test. A binary for instructions that this machine does not have is
// skipped: 77 is Meson's word for it.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#include "machine.hpp"

int main(int argc, char** argv) {
  if (!machine_runs_this_binary()) {
    std::puts("skipped: this machine lacks the instruction set");
    return 77;
  }
  doctest::Context context(argc, argv);
  return context.run();
}
