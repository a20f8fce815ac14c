// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/onednn_fusers.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace ctq;

namespace {

constexpr fuser_arguments after_training{nn::conv2d.id(), nni::conv_add2d.id(), false};
constexpr fuser_arguments in_training{nn::conv2d.id(), nni::conv_add2d.id(), true};

static_assert(fuse_conv_add_left.fuse(after_training) == nni::conv_add2d.id());
static_assert(fuse_conv_bn_add_right.fuse(after_training) == nni::conv_add2d.id());

constexpr fuser_id onednn_fusers[] = {
    fuse_conv_add_left.id(),         fuse_conv_add_right.id(),
    fuse_conv_bn_add_left.id(),      fuse_conv_bn_add_right.id(),
    fuse_conv_add_relu_left.id(),    fuse_conv_add_relu_right.id(),
    fuse_conv_bn_add_relu_left.id(), fuse_conv_bn_add_relu_right.id(),
    fuse_linear_bn_leaky_relu.id()};

TEST_CASE("only what folds no batch norm can be fused to be trained") {
  for (const fuser_id f : onednn_fusers) {
    CHECK(f->fuse(after_training) == nni::conv_add2d.id());
    const bool folds = f->name.find("_bn_") != std::string_view::npos;
    CHECK(f->fuse(in_training) == (folds ? nullptr : nni::conv_add2d.id()));
  }
}

TEST_CASE("their names are PyTorch's") {
  CHECK(fuse_conv_bn_add_relu_left.id()->name == "_fuse_conv_bn_add_relu_left");
  for (const fuser_id f : onednn_fusers) CHECK(f->name.starts_with("_fuse_"));
}

}  // namespace
