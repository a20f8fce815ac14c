// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <string>

#include "ctq/core/kernel_signature.hpp"

// The convolutions that are measured: those of the example network, batch 1, NHWC.

namespace bench {

inline constexpr ctq::conv2d_shape convolutions[] = {
    {.batch = 1,
     .in_h = 28,
     .in_w = 28,
     .in_channels = 1,
     .out_channels = 32,
     .kernel_h = 3,
     .kernel_w = 3,
     .padding_h = 1,
     .padding_w = 1},
    {.batch = 1,
     .in_h = 14,
     .in_w = 14,
     .in_channels = 32,
     .out_channels = 32,
     .kernel_h = 3,
     .kernel_w = 3,
     .padding_h = 1,
     .padding_w = 1},
    {.batch = 1,
     .in_h = 14,
     .in_w = 14,
     .in_channels = 32,
     .out_channels = 32,
     .kernel_h = 3,
     .kernel_w = 3,
     .stride_h = 2,
     .stride_w = 2,
     .padding_h = 1,
     .padding_w = 1,
     .groups = 32},
    {.batch = 1,
     .in_h = 7,
     .in_w = 7,
     .in_channels = 32,
     .out_channels = 64,
     .kernel_h = 1,
     .kernel_w = 1},
    {.batch = 1,
     .in_h = 7,
     .in_w = 7,
     .in_channels = 64,
     .out_channels = 64,
     .kernel_h = 3,
     .kernel_w = 3,
     .padding_h = 1,
     .padding_w = 1},
};

/// "3x3/2 depthwise 32 @14"
inline std::string name_of(const ctq::conv2d_shape& s) {
  char name[64];
  char stride[16] = "";
  if (s.stride_h > 1) std::snprintf(stride, sizeof stride, "/%d", s.stride_h);
  if (s.groups > 1) {
    std::snprintf(name, sizeof name, "%dx%d%s depthwise %d @%d", s.kernel_h, s.kernel_w, stride,
                  s.in_channels, s.in_h);
  } else {
    std::snprintf(name, sizeof name, "%dx%d%s %d->%d @%d", s.kernel_h, s.kernel_w, stride,
                  s.in_channels, s.out_channels, s.in_h);
  }
  return name;
}

/// Register the measurements of one implementation: "SHAPE|ctq int8" and the like.
void add_ctq();
void add_onednn();

}  // namespace bench
