// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/fuser_method.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

constexpr op_id fused(fuser_id f, op_id root, op_id module, bool is_qat = false) {
  return f->fuse({.root = root, .fused_module = module, .is_qat = is_qat});
}

constexpr op_id conv = nn::conv2d.id();
static_assert(fused(sequential_wrapper2.id(), conv, nni::conv_relu2d.id()) ==
              nni::conv_relu2d.id());

// A batch norm disappears into the weights, but in training.
static_assert(fused(fuse_conv_bn.id(), conv, nni::conv_bn2d.id()) == conv);
static_assert(fused(fuse_conv_bn.id(), conv, nni::conv_bn2d.id(), true) == nni::conv_bn2d.id());
static_assert(fused(fuse_linear_bn.id(), nn::linear.id(), nni::linear_bn1d.id()) ==
              nn::linear.id());
static_assert(fused(fuse_convtranspose_bn.id(), nn::conv_transpose2d.id(), nullptr) ==
              nn::conv_transpose2d.id());

// Of as many dimensions as the conv has.
static_assert(fused(fuse_conv_bn_relu.id(), conv, nni::conv_bn_relu2d.id()) ==
              nni::conv_relu2d.id());
static_assert(fused(fuse_conv_bn_relu.id(), nn::conv3d.id(), nni::conv_bn_relu3d.id()) ==
              nni::conv_relu3d.id());
static_assert(fused(fuse_conv_bn_relu.id(), nn::linear.id(), nullptr) == nullptr);

struct fuse_gate_t : fuser<fuse_gate_t> {
  static constexpr std::string_view name = "my.fuse_gate";
  static constexpr op_id fuse(const fuser_arguments& a) { return a.root; }
};
constexpr fuse_gate_t fuse_gate{};

TEST_CASE("a user's fuser is a function with a name") {
  CHECK(fuse_gate.id()->name == "my.fuse_gate");
  CHECK(fused(fuse_gate.id(), conv, nullptr) == conv);
  CHECK(fuse_gate.id() != fuse_conv_bn.id());
}

}  // namespace
