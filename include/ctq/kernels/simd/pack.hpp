// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/simd/convolution/column_blocking.hpp"
#include "ctq/kernels/simd/convolution/row_bands.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/matrix/blocking.hpp"

// Packs weights, biases and multipliers in the order in which the kernels read them, padded with
// zeros to full registers. Done once, when a model is converted or loaded.

namespace ctq::kernels::simd {

/// The parameters of a layer; null if there are none.
template <class Weight, class Bias>
struct unpacked {
  const Weight* weight;  // [O,kh,kw,I/g]
  const Bias* bias;
  const float* multiplier;
  int offset = 0;  // what the kernel adds to each activation: offset<In> of its dot_arch
};

template <class T>
inline void put(std::byte* at, std::size_t index, T value) {
  std::memcpy(at + index * sizeof value, &value, sizeof value);
}

/// The bias of a channel, minus the contribution of the offset.
template <class Weight, class Bias>
[[nodiscard]] Bias packed_bias(const unpacked<Weight, Bias>& from, int channel, int weights) {
  const Bias bias = from.bias == nullptr ? Bias{} : from.bias[channel];
  if (from.offset == 0) return bias;
  const Weight* weight = from.weight + std::ptrdiff_t{channel} * weights;
  auto sum = static_cast<std::uint32_t>(bias);
  for (int i = 0; i < weights; ++i) {
    sum -= static_cast<std::uint32_t>(from.offset * static_cast<int>(weight[i]));
  }
  return static_cast<Bias>(sum);
}

/// Where the weights of a channel are in a packed block: k_group of them every `distance` bytes,
/// one group a step.
template <class Dot>
struct packed_channel {
  std::byte* at;
  std::size_t distance;

  /// The first `count` weights of a step.
  template <class Weight>
  [[gnu::always_inline]] void put(int step, const Weight* weight, int count) const {
    std::byte* const to = at + static_cast<std::size_t>(step) * distance;
    for (int j = 0; j < count; ++j)
      simd::put(to, static_cast<std::size_t>(j), static_cast<typename Dot::weight>(weight[j]));
  }
};

/// Puts at(step, j), the weight of product j of each step.
template <class Dot, class At>
void pack_each(int steps, packed_channel<Dot> to, At at) {
  for (int step = 0; step < steps; ++step) {
    typename Dot::weight group[Dot::k_group];
    for (int j = 0; j < Dot::k_group; ++j)
      group[j] = static_cast<typename Dot::weight>(at(step, j));
    to.put(step, group, Dot::k_group);
  }
}

/// Packs a block: `used` channels from `first` on in `vectors` vecs. pack_weights(channel, to) puts
/// the weights of a channel into a packed_channel; those that it does not put are 0.
template <class Dot, class Weight, class Bias, class PackWeights>
std::byte* pack_block(const unpacked<Weight, Bias>& from, int weights, int first, int used,
                      int vectors, int steps, std::byte* packed, PackWeights pack_weights) {
  const block_layout<Dot> layout{static_cast<std::size_t>(vectors),
                                 static_cast<std::size_t>(steps)};
  std::memset(packed, 0, layout.bytes());
  for (int v = 0; v < vectors; ++v) {
    for (int lane = 0; lane < Dot::lanes; ++lane) {
      const int column = Dot::column(vectors, v, lane);
      if (column >= used) continue;
      const int channel = first + column;
      const auto index = static_cast<std::size_t>(v * Dot::lanes + lane);
      put(packed, index, packed_bias(from, channel, weights));
      if (from.multiplier != nullptr) {
        put(packed + layout.multipliers(), index, from.multiplier[channel]);
      }
      constexpr std::size_t group_bytes = layout.weight_bytes / Dot::lanes;
      pack_weights(channel,
                   packed_channel<Dot>{packed + layout.weights() + index * group_bytes,
                                       static_cast<std::size_t>(vectors) * layout.weight_bytes});
    }
  }
  return packed + layout.bytes();
}

/// Registers of weights of a block of a depthwise kernel, per vec.
template <class Dot>
[[nodiscard]] constexpr int depthwise_steps(const conv2d_shape& s) {
  if (by_columns<Dot>(s)) return column_blocking<Dot>{s.kernel_h, s.stride_h}.steps();
  return s.kernel_h * ceil_div(s.kernel_w, Dot::k_group);
}

/// Packs runs one after another, each in groups of k_group, the last of which may be shorter
/// (ResNet-50 on AVX2: 19 ms for all that is packed; 59 ms with an index that is computed for each
/// weight). gnu::hot, since it would be compiled for size otherwise: its callers are cold.
template <class Dot, class Weight>
[[gnu::hot, gnu::noinline]] void pack_runs(const k_runs& runs, const Weight* weight,
                                           packed_channel<Dot> to) {
  constexpr int k_group = Dot::k_group;
  const int whole = runs.length / k_group;
  const int rest = runs.length % k_group;
  int step = 0;
  for (int run = 0; run < runs.rows * runs.taps; ++run) {
    for (int i = 0; i < whole; ++i, weight += k_group) to.put(step++, weight, k_group);
    if (rest > 0) to.put(step++, weight, rest);
    weight += rest;
  }
}

template <class Dot, class Weight, class Bias>
void pack_dense(const conv2d_shape& s, const unpacked<Weight, Bias>& from, std::byte* packed) {
  const k_runs runs = runs_of<Dot>(s);
  const panels<Dot> of(s);
  const int weights = s.kernel_h * s.kernel_w * s.in_group();
  const auto pack_weights = [&](int channel, packed_channel<Dot> to) {
    pack_runs(runs, from.weight + std::ptrdiff_t{channel} * weights, to);
  };
  for (int group = 0; group < s.groups; ++group) {
    for (int panel = 0; panel < of.count(); ++panel) {
      packed =
          pack_block<Dot>(from, weights, group * s.out_group() + of.first(panel), of.used(panel),
                          of.vectors(panel), runs.total_steps(), packed, pack_weights);
    }
  }
}

/// Packs one weight for each element of `sources`, its index; a negative one stands for no weight.
template <class Dot, class Weight>
[[gnu::hot, gnu::noinline]] void pack_gathered(span<const int> sources, const Weight* weight,
                                               packed_channel<Dot> to) {
  pack_each(static_cast<int>(sources.size()) / Dot::k_group, to, [&](int step, int j) {
    const int source = sources[static_cast<std::size_t>(step * Dot::k_group + j)];
    return source < 0 ? Weight{} : weight[source];
  });
}

/// Packs the panels of a layer on tiles. Elements that two steps of a run read have their weight in
/// the first and zero in the second.
template <class Weight, class Bias>
void pack_tiles(const conv2d_shape& s, const tile_blocking& p, const unpacked<Weight, Bias>& from,
                std::byte* packed) {
  constexpr int k_group = tile_format::k_group;
  const int weights = s.kernel_h * s.kernel_w * s.in_group();
  // Which of its weights a channel has there; -1: none. The same for all channels.
  const auto source_of = [&](int packed_step, int j) {
    const int step = packed_step * k_group / p.width;
    const int run = step / p.runs.steps;
    const int i = step % p.runs.steps;
    const int k = p.start(i) + packed_step * k_group % p.width + j;
    if (k < i * p.width || k >= p.runs.length) return -1;
    const int index = run * p.runs.length + k;
    return p.bands.any() ? unbanded_weight(s, p.bands, index) : index;
  };
  std::vector<int> sources;
  sources.reserve(static_cast<std::size_t>(p.packed_steps() * k_group));
  for (int step = 0; step < p.packed_steps(); ++step)
    for (int j = 0; j < k_group; ++j) sources.push_back(source_of(step, j));
  const auto pack_weights = [&](int channel, packed_channel<tile_format> to) {
    pack_gathered(sources, from.weight + std::ptrdiff_t{channel} * weights, to);
  };
  for (int group = 0; group < s.groups; ++group) {
    for (int panel = 0; panel < p.panels; ++panel) {
      const int first = panel * p.channels();
      const int used = std::min(p.channels(), s.out_group() - first);
      packed = pack_block<tile_format>(from, weights, group * s.out_group() + first, used,
                                       p.block.channels, p.packed_steps(), packed, pack_weights);
    }
  }
}

/// Packs blocks of channels: kernel rows in groups of k_group taps or, by columns, in the order of
/// column_blocking.
template <class Dot, class Weight, class Bias>
void pack_depthwise(const conv2d_shape& s, const unpacked<Weight, Bias>& from, std::byte* packed) {
  const int steps = depthwise_steps<Dot>(s);
  const auto weight = [&](int channel, int row, int tap) {
    const std::ptrdiff_t index = (std::ptrdiff_t{channel} * s.kernel_h + row) * s.kernel_w + tap;
    const bool inside = row >= 0 && tap < s.kernel_w;
    return inside ? from.weight[index] : Weight{};
  };
  const auto pack_blocks = [&]<class D>(std::type_identity<D>, int blocks, auto first, auto at) {
    constexpr int width = column_blocking<D>::width;
    for (int i = 0; i < blocks; ++i) {
      const int begin = first(i);
      packed = pack_block<D>(
          from, s.kernel_h * s.kernel_w, begin, std::min(width, s.out_channels - begin), D::k_group,
          steps, packed, [&](int channel, packed_channel<D> to) {
            pack_each(steps, to,
                      [&](int step, int j) { return at(channel, step, j, channel - begin); });
          });
    }
  };
  if (by_columns<Dot>(s)) {
    const column_blocking<Dot> blocking{s.kernel_h, s.stride_h};
    const auto at = [&](int channel, int step, int j, int place) {
      const kernel_tap tap = blocking.tap_of(step, j, place);
      return weight(channel, tap.row, tap.column);
    };
    const column_blocks<Dot> of{s.out_channels};
    pack_blocks(
        std::type_identity<wide_dot_of<Dot>>{}, of.wide(), [&](int i) { return of.wide_start(i); },
        at);
    pack_blocks(
        std::type_identity<Dot>{}, of.narrow(), [&](int i) { return of.narrow_start(i); }, at);
  } else {
    const int groups = ceil_div(s.kernel_w, Dot::k_group);
    constexpr int width = Dot::lanes * Dot::k_group;
    pack_blocks(
        std::type_identity<Dot>{}, ceil_div(s.out_channels, width), [](int i) { return i * width; },
        [&](int channel, int step, int j, int) {
          return weight(channel, step / groups, step % groups * Dot::k_group + j);
        });
  }
}

template <class Dot>
[[nodiscard]] constexpr std::size_t dense_packed_bytes(const conv2d_shape& s) {
  const panels<Dot> of(s);
  const auto steps = static_cast<std::size_t>(runs_of<Dot>(s).total_steps());
  std::size_t bytes = 0;
  for (int panel = 0; panel < of.count(); ++panel) {
    bytes += block_layout<Dot>{static_cast<std::size_t>(of.vectors(panel)), steps}.bytes();
  }
  return packing::padded(static_cast<std::size_t>(s.groups) * bytes);
}

[[nodiscard]] constexpr std::size_t tiles_packed_bytes(const conv2d_shape& s,
                                                       const tile_blocking& p) {
  const block_layout<tile_format> layout{static_cast<std::size_t>(p.block.channels),
                                         static_cast<std::size_t>(p.packed_steps())};
  return static_cast<std::size_t>(s.groups) * static_cast<std::size_t>(p.panels) * layout.bytes();
}

template <class Dot>
[[nodiscard]] constexpr std::size_t depthwise_packed_bytes(const conv2d_shape& s) {
  const auto steps = static_cast<std::size_t>(depthwise_steps<Dot>(s));
  const auto bytes = [&]<class D>(std::type_identity<D>, int blocks) {
    return static_cast<std::size_t>(blocks) * block_layout<D>{D::k_group, steps}.bytes();
  };
  constexpr std::type_identity<Dot> narrow;
  if (by_columns<Dot>(s)) {
    const column_blocks<Dot> of{s.out_channels};
    constexpr std::type_identity<wide_dot_of<Dot>> wide;
    return packing::padded(bytes(wide, of.wide()) + bytes(narrow, of.narrow()));
  }
  return packing::padded(bytes(narrow, ceil_div(s.out_channels, Dot::lanes * Dot::k_group)));
}

}  // namespace ctq::kernels::simd
