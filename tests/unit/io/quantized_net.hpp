// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "../runtime/small_net.hpp"
#include "ctq/io/load_quantized.hpp"
#include "ctq/io/save_quantized.hpp"
#include "ctq/runtime/convert.hpp"

// A small int8 model, and files for it.

namespace quantized_net {

using net_plan = ctq::plan<small::net, ctq::x86, small::int8>;

/// A path that nothing has, removed at the end.
class temporary_file {
 public:
  temporary_file() {
    static int count = 0;
    name_ = (std::filesystem::temp_directory_path() /
             ("ctq-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".safetensors"))
                .string();
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { std::filesystem::remove(name_); }

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
};

inline std::vector<char> bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

using mlp_plan = ctq::plan<small::mlp, ctq::x86, small::int8>;

template <class Plan>
struct example_model {
  ctq::quantized_model<Plan> model;
  typename ctq::quantized_model<Plan>::input input;
};

/// Calibrated with a few random inputs.
template <class Plan = net_plan>
const example_model<Plan>& example() {
  static const example_model<Plan> e = [] {
    constexpr auto& net = Plan::traced;
    std::mt19937 random{7};
    auto observed = ctq::prepare<net, ctq::x86, small::int8>(small::checked_weights<net>(3));
    typename ctq::quantized_model<Plan>::input x;
    for (int i = 0; i < 4; ++i) {
      small::fill(x, random);
      observed(x);
    }
    return example_model<Plan>{*ctq::convert(observed), x};
  }();
  return e;
}

}  // namespace quantized_net
