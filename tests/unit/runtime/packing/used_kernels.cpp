// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/packing/used_kernels.hpp"

#include <type_traits>

using namespace ctq;

namespace {

constexpr used_kernels used_by(kernel_signature signature) {
  const step steps[] = {{.signature = signature}};
  return used_kernels_of(steps);
}

constexpr used_kernels convolution =
    used_by(signature_of(kernel::conv2d, quint8, quint8, conv2d_shape{}));
constexpr used_kernels rnn =
    used_by(signature_of(kernel::rnn_dynamic, f32, f32, recurrent_shape{}));

/// -1 of a kernel that the set does not have.
template <used_kernels Used>
constexpr int weights_of(kernel_id k) {
  struct answer {
    int value = -1;
  };
  return with_used<Used, answer>(k,
                                 []<class Descriptor>(std::type_identity<Descriptor>) {
                                   return answer{Descriptor::facts.has_weights ? 1 : 0};
                                 })
      .value;
}

}  // namespace

static_assert(convolution.has(kernel::conv2d, quint8) && convolution.has(kernel::conv2d));
static_assert(!convolution.has(kernel::conv2d, f32) && !convolution.has(kernel::conv2d, qint8));
static_assert(!convolution.has(kernel::linear));
static_assert(used_kernels_of({}) == used_kernels{});

// The products of a recurrent layer are packed as linear layers are.
static_assert(rnn.has(kernel::rnn_dynamic, f32) && rnn.has(kernel::linear_dynamic, f32));
static_assert(!rnn.has(kernel::linear));
static_assert(
    used_by(signature_of(kernel::rnn, f32, f32, recurrent_shape{})).has(kernel::linear, f32));

static_assert(used_by(signature_of(kernel::lstm_static, quint8, quint8, recurrent_shape{}))
                  .has(kernel::linear, quint8));

static_assert(convolution.any(&kernels::kernel_facts::has_weights));
static_assert(!convolution.any(&kernels::kernel_facts::has_cells));
static_assert(rnn.any(&kernels::kernel_facts::has_cells));
static_assert(!used_kernels{}.any(&kernels::kernel_facts::has_weights));
static_assert(all_kernels.any(&kernels::kernel_facts::has_table));

// What is fused into a layer, or narrows its output.
static_assert(!convolution.tables && !convolution.clamps);
static_assert(all_kernels.tables && all_kernels.clamps);
static_assert([] {
  step steps[] = {{.signature = signature_of(kernel::conv2d, quint8, quint8, conv2d_shape{})}};
  steps[0].signature.then = fused_op::table;
  steps[0].clamp_node = 0;
  const used_kernels used = used_kernels_of(steps);
  return used.tables && used.clamps;
}());

// Whether a layer is a depthwise convolution, which is packed as no other is.
constexpr conv2d_shape depthwise{
    .in_channels = 8, .out_channels = 8, .kernel_h = 3, .kernel_w = 3, .groups = 8};
static_assert(used_by(signature_of(kernel::conv2d, quint8, quint8, depthwise)).depthwise);
static_assert(!used_by(signature_of(kernel::conv2d, quint8, quint8,
                                    conv2d_shape{.in_channels = 8, .out_channels = 8}))
                   .depthwise);
static_assert(used_by(signature_of(kernel::conv3d, quint8, quint8, conv3d_shape{})).depthwise);
static_assert(used_by(signature_of(kernel::conv_transpose3d, quint8, quint8,
                                   conv_transpose3d_shape{}))
                  .depthwise);
static_assert(!rnn.depthwise && all_kernels.depthwise);
template <used_kernels Used>
constexpr bool packs_depthwise =
    kernels::has_depthwise<packing_kernels<simd_kernels<isa::native>, Used>>;
static_assert(packs_depthwise<all_kernels> && !packs_depthwise<rnn>);

static_assert(weights_of<convolution>(kernel::conv2d) == 1);
static_assert(weights_of<convolution>(kernel::linear) == -1);
static_assert(weights_of<all_kernels>(kernel::linear) == 1);
static_assert(weights_of<all_kernels>(kernel::relu) == 0);
