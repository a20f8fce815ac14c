// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine.hpp"

#include <cstdio>
#include <fstream>

namespace bench {

namespace {

std::string name_of_processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
#if defined(__aarch64__)
  return "aarch64";
#else
  return "x86-64";
#endif
}

std::string size(double bytes) {
  char text[32];
  const bool large = bytes >= 1 << 20;
  std::snprintf(text, sizeof text, "%g %s", bytes / (large ? 1 << 20 : 1 << 10),
                large ? "MiB" : "KiB");
  return text;
}

}  // namespace

caches caches_of_machine() {
  // sysconf queries the processor, but a virtual machine may have less.
  caches found{};
  for (int i = 0; i < 8; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    int level = 0;
    double kib = 0.0;
    std::string type;
    std::ifstream(folder + "level") >> level;
    std::ifstream(folder + "type") >> type;
    std::ifstream(folder + "size") >> kib;  // "32K"
    if (type == "Instruction") continue;
    if (level == 1) found.l1 = kib * 1024;
    if (level == 2) found.l2 = kib * 1024;
    if (level == 3) found.l3 = kib * 1024;
  }
  return found;
}

std::string machine_line() {
  std::string line = name_of_processor();
  const caches c = caches_of_machine();
  if (c.l1 > 0 && c.l2 > 0) line += ", L1 " + size(c.l1) + ", L2 " + size(c.l2);
  if (c.l3 > 0) line += ", L3 " + size(c.l3);
  return line;
}

std::string programs() {
#if defined(__clang__)
  std::string line = "clang " __clang_version__;
  line.erase(line.find_last_not_of(" \n") + 1);
#else
  std::string line = "g++ " __VERSION__;
#endif
  line += "; oneDNN " + onednn_version();
#if __has_include(<xnnpack.h>)
  line += ", XNNPACK";
#endif
#if __has_include(<gemmlowp/public/gemmlowp.h>)
  line += ", gemmlowp";
#endif
  if (const std::string ort = onnxruntime_version(); !ort.empty()) line += ", ONNX Runtime " + ort;
  return line;
}

}  // namespace bench
