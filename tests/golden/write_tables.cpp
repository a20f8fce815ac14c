// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the golden backend configs as specs of ctq: write_tables DIR TO

#include <cstdio>
#include <exception>

#include "backend_configs.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: write_tables DIR TO\n");
    return 1;
  }
  try {
    golden::write_tables(argv[1], argv[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "write_tables: %s\n", e.what());
    return 1;
  }
}
