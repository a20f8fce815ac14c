// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemmlowp on one thread: uint8 times uint8, one fixed-point multiplier for all channels (the
// per-channel output stage does not compile on x86), so its bytes differ and only the time is
// compared. It packs both operands in each call.

#include "layer.hpp"

#if __has_include(<gemmlowp/public/gemmlowp.h>)

#include <gemmlowp/public/gemmlowp.h>
#include <gemmlowp/public/output_stages.h>

#include <memory>

namespace bench {

namespace {

template <gemmlowp::MapOrder Order>
using bytes_in = gemmlowp::MatrixMap<const std::uint8_t, Order>;
using columns_out = gemmlowp::MatrixMap<std::uint8_t, gemmlowp::MapOrder::ColMajor>;
using column = gemmlowp::VectorMap<const std::int32_t, gemmlowp::VectorShape::Col>;

struct call {
  gemmlowp::GemmContext context;
  int m, n, k;
  operand<std::uint8_t> in, weight, out;
  std::vector<std::int32_t> bias;

  void run() {
    const bytes_in<gemmlowp::MapOrder::RowMajor> left(weight.data(), n, k);
    const bytes_in<gemmlowp::MapOrder::ColMajor> right(in.data(), k, m);
    columns_out result(out.data(), n, m);
    gemmlowp::OutputStageBiasAddition<column> add;
    add.bias_vector = column(bias.data(), n);
    gemmlowp::OutputStageScaleInt32ByFixedPointAndExponent scale;
    scale.result_fixedpoint_multiplier = 1518500250;
    scale.result_exponent = -9;
    scale.result_offset_after_shift = layer::zero_point_out;
    const auto stages = std::make_tuple(add, scale, gemmlowp::OutputStageSaturatingCastToUint8{});
    gemmlowp::GemmWithOutputPipeline<std::uint8_t, std::uint8_t,
                                     gemmlowp::L8R8WithLhsNonzeroBitDepthParams>(
        &context, left, right, &result, -128, -layer::zero_point_in, stages);
  }
};

}  // namespace

std::optional<subject> gemmlowp(const layer& of) {
  if (!of.linear || of.operations() > 3e9) return std::nullopt;
  auto c = std::make_shared<call>();
  c->context.set_max_num_threads(1);
  c->m = of.shape.in_w;
  c->n = of.shape.out_channels;
  c->k = of.shape.in_channels;
  c->in = of.in;
  for (const std::int8_t w : of.weight) c->weight.push_back(static_cast<std::uint8_t>(w + 128));
  c->bias = of.bias;
  c->out.resize(of.outputs());
  return subject{"gemmlowp", [c] { c->run(); }, {}};
}

}  // namespace bench

#else

std::optional<bench::subject> bench::gemmlowp(const layer&) { return std::nullopt; }

#endif
