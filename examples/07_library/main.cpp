// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program that ships. It includes no header of ctq: the library that ctq import --library wrote
// contains all of it.
//
//   program NET.int8.safetensors    prints the instruction set, and the outputs of one image
//   embedded                        the same of a file that is part of the program

#include <cstdio>

#include "net.hpp"
#ifdef EMBEDDED
#include "net_int8.hpp"
#endif

namespace {

models::net::result load(int count, char** arguments) {
#ifdef EMBEDDED
  static_cast<void>(count), static_cast<void>(arguments);
  // [embedded]
  return models::net::load(net_int8());
  // [embedded]
#else
  return models::net::load(count == 2 ? arguments[1] : "");
#endif
}

}  // namespace

int main(int count, char** arguments) {
  // [load]
  const models::net::result loaded = load(count, arguments);
  if (!loaded) {
    std::fprintf(stderr, "%s\n", loaded.error());
    return 1;
  }
  models::net::session session{*loaded};
  // [load]

  // [run]
  static models::net::input image;
  for (std::size_t i = 0; i < image.size; ++i)
    image.values[i] = static_cast<float>(i * 37 % 101) / 50.0F - 1.0F;
  const models::net::output logits = session(image);
  // [run]

  std::printf("%s", loaded->isa());
  for (const float x : logits.values) std::printf(" %.9g", static_cast<double>(x));
  std::printf("\n");
}
