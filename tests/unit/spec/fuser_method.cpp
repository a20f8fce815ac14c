// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/fuser_method.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

constexpr op_id fused(fuser_id f, op_id root, op_id module, bool is_qat = false) {
  return f->fuse({.root = root, .fused_module = module, .is_qat = is_qat});
}

constexpr op_id conv = nn::conv2d.id();
static_assert(fused(&sequential_wrapper2, conv, nni::conv_relu2d.id()) == nni::conv_relu2d.id());

// A batch norm disappears into the weights, but in training.
static_assert(fused(&fuse_conv_bn, conv, nni::conv_bn2d.id()) == conv);
static_assert(fused(&fuse_conv_bn, conv, nni::conv_bn2d.id(), true) == nni::conv_bn2d.id());
static_assert(fused(&fuse_linear_bn, nn::linear.id(), nni::linear_bn1d.id()) == nn::linear.id());
static_assert(fused(&fuse_convtranspose_bn, nn::conv_transpose2d.id(), nullptr) ==
              nn::conv_transpose2d.id());

// Of as many dimensions as the conv has.
static_assert(fused(&fuse_conv_bn_relu, conv, nni::conv_bn_relu2d.id()) == nni::conv_relu2d.id());
static_assert(fused(&fuse_conv_bn_relu, nn::conv3d.id(), nni::conv_bn_relu3d.id()) ==
              nni::conv_relu3d.id());
static_assert(fused(&fuse_conv_bn_relu, nn::linear.id(), nullptr) == nullptr);

constexpr fuser fuse_gate{"my.fuse_gate", [](const fuser_arguments& a) { return a.root; }};

TEST_CASE("a user's fuser is a function with a name") {
  CHECK(fuse_gate.name == "my.fuse_gate");
  CHECK(fused(&fuse_gate, conv, nullptr) == conv);
}

TEST_CASE("oneDNN's fusers that fold a batch norm fuse nothing in training") {
  int onednn = 0;
  for (const fuser_id f : fuser_table) {
    if (!f->name.starts_with("_fuse_")) continue;
    ++onednn;
    CAPTURE(f->name);
    CHECK(fused(f, conv, nni::conv_add2d.id()) == nni::conv_add2d.id());
    const bool folds = f->name.find("_bn_") != std::string_view::npos;
    CHECK(fused(f, conv, nni::conv_add2d.id(), true) == (folds ? nullptr : nni::conv_add2d.id()));
  }
  CHECK(onednn == 9);
}

TEST_CASE("every fuser method has a name of its own, by which it is found") {
  for (const fuser_id f : fuser_table) CHECK(find_fuser(f->name) == f);
  CHECK(find_fuser("_sequential_wrapper2") == &sequential_wrapper2);
  CHECK(find_fuser("fuse_conv") == nullptr);
}

}  // namespace
