// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/pack.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;
using simd::unpacked;

namespace {

/// Registers of any size, which no machine has to have: a lane of the first vec of a block stands
/// for channel 0, of the second for channel 1, and so on.
template <int Lanes, int Group, int Offset = 0>
struct sized_dot {
  using element = std::int32_t;
  using weight = std::int8_t;
  static constexpr int lanes = Lanes;
  static constexpr int k_group = Group;
  template <class In>
  static constexpr int offset = Offset;
  static constexpr int column(int vectors, int vector, int lane) { return lane * vectors + vector; }
};

/// What a kernel reads of a block: by channel its bias, its multiplier, its weights in order.
struct read_block {
  struct channel {
    std::int32_t bias;
    float multiplier;
    std::vector<int> weights;  // step * k_group + j
  };
  std::map<int, channel> channels{};  // by the column in the block
  const std::byte* end{};
};

template <class T>
T number_at(const std::byte* p, int index) {
  T x;
  std::memcpy(&x, p + static_cast<std::size_t>(index) * sizeof(T), sizeof x);
  return x;
}

/// As the kernels read it: vecs of biases, vecs of multipliers, then `vectors` registers a step.
template <class Dot>
read_block read(const std::byte* p, int vectors, int steps) {
  read_block block;
  const int vec = Dot::lanes;
  const std::byte* const weights = p + 2 * vectors * vec * 4;
  for (int v = 0; v < vectors; ++v)
    for (int lane = 0; lane < vec; ++lane) {
      read_block::channel c{number_at<std::int32_t>(p, v * vec + lane),
                            number_at<float>(p + vectors * vec * 4, v * vec + lane),
                            {}};
      for (int step = 0; step < steps; ++step)
        for (int j = 0; j < Dot::k_group; ++j)
          c.weights.push_back(number_at<std::int8_t>(
              weights, ((step * vectors + v) * vec + lane) * Dot::k_group + j));
      block.channels[Dot::column(vectors, v, lane)] = c;
    }
  block.end = weights + vectors * vec * Dot::k_group * steps;
  return block;
}

/// Operands whose weights are never 0.
struct operands {
  std::vector<std::int8_t> weight;
  std::vector<std::int32_t> bias;
  std::vector<float> multiplier;

  operands(const conv2d_shape& s, unsigned seed) {
    samples::generator random(seed);
    for (int o = 0; o < s.out_channels; ++o) {
      bias.push_back(static_cast<std::int32_t>(random()));
      multiplier.push_back(static_cast<float>(1 + random() % 1000));
      for (int i = 0; i < s.kernel_h * s.kernel_w * s.in_group(); ++i)
        weight.push_back(
            static_cast<std::int8_t>(random.between(1, 127) * (1 - 2 * random.between(0, 1))));
    }
  }
  [[nodiscard]] unpacked<std::int8_t, std::int32_t> view(int offset = 0) const {
    return {weight.data(), bias.data(), multiplier.data(), offset};
  }
};

/// Packed weights may not be written past what the header says they take.
class packed_bytes {
 public:
  explicit packed_bytes(std::size_t n) : bytes_(n) {}
  [[nodiscard]] std::byte* data() const { return bytes_.data(); }

 private:
  samples::guarded<std::byte> bytes_;
};

conv2d_shape random_shape(samples::generator& random) {
  const auto from = [&](int lo, int hi) { return random.between(lo, hi); };
  conv2d_shape s{.batch = 1, .kernel_h = from(1, 3), .kernel_w = from(1, 3)};
  s.dilation_w = from(1, 2);
  s.in_h = s.kernel_h;
  s.in_w = 1 + from(0, 9) + s.dilation_w * (s.kernel_w - 1);
  s.groups = from(0, 1) == 0 ? 1 : from(2, 3);
  s.in_channels = s.groups * from(1, 6);
  s.out_channels = s.groups * from(1, 21);
  return s;
}

/// What multiplies the elements of a run, which are read k_group by k_group: a weight each, and
/// zeros past the run's end.
template <class Dot>
std::vector<int> weights_of_runs(const conv2d_shape& s, const operands& from, int channel) {
  const simd::k_runs runs = simd::runs_of<Dot>(s);
  std::vector<int> all;
  std::size_t next = static_cast<std::size_t>(channel * s.kernel_h * s.kernel_w * s.in_group());
  for (int run = 0; run < runs.rows * runs.taps; ++run) {
    for (int k = 0; k < runs.steps * Dot::k_group; ++k)
      all.push_back(k < runs.length ? from.weight[next++] : 0);
  }
  return all;
}

template <class Dot>
void check_dense(const conv2d_shape& s, unsigned seed) {
  const operands from(s, seed);
  const packed_bytes packed(simd::dense_packed_bytes<Dot>(s));
  simd::pack_dense<Dot>(s, from.view(Dot::template offset<std::uint8_t>), packed.data());
  const std::byte* p = packed.data();
  const simd::panels<Dot> of(s);
  const int steps = simd::runs_of<Dot>(s).total_steps();
  bool right = true;
  for (int group = 0; group < s.groups; ++group)
    for (int panel = 0; panel < of.count(); ++panel) {
      const read_block block = read<Dot>(p, of.vectors(panel), steps);
      for (const auto& [column, c] : block.channels) {
        if (column >= of.used(panel)) {
          right = right && c.bias == 0 && c.multiplier == 0.0F &&
                  c.weights == std::vector<int>(c.weights.size());
          continue;
        }
        const int channel = group * s.out_group() + of.first(panel) + column;
        const auto o = static_cast<std::size_t>(channel);
        right = right && c.bias == from.bias[o] && c.multiplier == from.multiplier[o] &&
                c.weights == weights_of_runs<Dot>(s, from, channel);
      }
      p = block.end;
    }
  CHECK(right);
  CHECK(static_cast<std::size_t>(p - packed.data()) <= simd::dense_packed_bytes<Dot>(s));
}

}  // namespace

TEST_CASE("dense weights meet the elements of their runs, and zeros what is read past an end") {
  samples::for_each_seed(100, [](samples::generator& random, unsigned seed) {
    const conv2d_shape s = random_shape(random);
    check_dense<sized_dot<1, 1>>(s, seed);
    check_dense<sized_dot<4, 4>>(s, seed);
    check_dense<sized_dot<8, 2>>(s, seed);
  });
}

TEST_CASE("a bias takes back what an offset adds to each activation, modulo 2^32") {
  const std::int8_t weight[] = {3, -5, 127, -128, 1, 1};
  const std::int32_t bias[] = {100, -2147483647};
  const unpacked<std::int8_t, std::int32_t> from{weight, bias, nullptr, 128};
  CHECK(simd::packed_bias(from, 0, 3) == 100 - 128 * (3 - 5 + 127));
  // -2147483647 - 128 * -126 is fine, but for weights that are ones the sum wraps.
  CHECK(simd::packed_bias(from, 1, 3) == -2147483647 + 128 * 126);
  const std::int8_t ones[] = {1, 1, 1, 1};
  const std::int32_t lowest[] = {0, -2147483647 - 1};
  const unpacked<std::int8_t, std::int32_t> wraps{ones, lowest, nullptr, 128};
  CHECK(simd::packed_bias(wraps, 1, 2) == 2147483647 - 255);
  const unpacked<std::int8_t, std::int32_t> none{weight, nullptr, nullptr, 128};
  CHECK(simd::packed_bias(none, 0, 1) == -128 * 3);
  const unpacked<std::int8_t, std::int32_t> no_offset{weight, bias, nullptr};
  CHECK(simd::packed_bias(no_offset, 0, 3) == 100);
}

TEST_CASE("without a bias and multipliers a block has zeros for them") {
  const conv2d_shape s{1, 1, 1, 5, 3, 1, 1};
  const operands from(s, 4);
  using dot = sized_dot<4, 4>;
  const packed_bytes packed(simd::dense_packed_bytes<dot>(s));
  simd::pack_dense<dot>(
      s, unpacked<std::int8_t, std::int32_t>{from.weight.data(), nullptr, nullptr}, packed.data());
  const read_block block = read<dot>(packed.data(), 1, 2);
  for (const auto& [column, c] : block.channels) {
    CHECK(c.bias == 0);
    CHECK(c.multiplier == 0.0F);
  }
}

TEST_CASE("tiles have each weight once, zeros else, whatever the steps read twice") {
  for (const conv2d_shape& s :
       {conv2d_shape{1, 1, 40, 64, 70, 1, 1}, conv2d_shape{1, 1, 40, 65, 16, 1, 1},
        conv2d_shape{1, 1, 40, 100, 33, 1, 1}, conv2d_shape{1, 1, 40, 3, 5, 1, 1},
        conv2d_shape{1, 12, 12, 24, 20, 3, 3},
        conv2d_shape{1, 12, 12, 66, 40, 3, 3, 1, 1, 1, 1, 1, 1, 2},
        conv2d_shape{1, 20, 20, 3, 32, 7, 7, 2, 2, 3, 3},
        conv2d_shape{1, 9, 9, 130, 20, 1, 1, 2, 2}}) {
    const simd::tile_blocking p = simd::tile_blocking_of(s);
    const operands from(s, 11);
    const packed_bytes packed(simd::tiles_packed_bytes(s, p));
    simd::pack_tiles(s, p, from.view(), packed.data());
    const std::byte* at = packed.data();
    const int terms = s.kernel_h * s.kernel_w * s.in_group();
    for (int group = 0; group < s.groups; ++group)
      for (int panel = 0; panel < p.panels; ++panel) {
        const read_block block = read<simd::tile_format>(at, p.block.channels, p.packed_steps());
        for (const auto& [column, c] : block.channels) {
          std::map<int, int> wanted, got;
          const int in_group = panel * p.channels() + column;
          const auto channel = static_cast<std::size_t>(group * s.out_group() + in_group);
          for (int i = 0; i < terms && in_group < s.out_group(); ++i)
            ++wanted[from.weight[channel * static_cast<std::size_t>(terms) +
                                 static_cast<std::size_t>(i)]];
          for (const int w : c.weights)
            if (w != 0) ++got[w];
          CHECK(got == wanted);
          CHECK(c.bias == (in_group < s.out_group() ? from.bias[channel] : 0));
        }
        at = block.end;
      }
    CHECK(static_cast<std::size_t>(at - packed.data()) == simd::tiles_packed_bytes(s, p));
  }
}

TEST_CASE(
    "depthwise weights come row by row in groups of taps, each channel in a lane of its own") {
  using dot = sized_dot<2, 4>;
  for (const int channels : {1, 7, 8, 9, 20}) {
    // 2x5 taps: two groups a row, the second of one tap.
    const conv2d_shape s{1, 4, 9, channels, channels, 2, 5, 1, 1, 0, 0, 1, 1, channels};
    REQUIRE((channels == 1 || !simd::by_columns<dot>(s)));
    const operands from(s, 7);
    const packed_bytes packed(simd::depthwise_packed_bytes<dot>(s));
    simd::pack_depthwise<dot>(s, from.view(), packed.data());
    const std::byte* p = packed.data();
    for (int first = 0; first < channels; first += 8) {
      const read_block block = read<dot>(p, dot::k_group, 4);
      for (const auto& [column, c] : block.channels) {
        const bool exists = first + column < channels;
        const auto channel = static_cast<std::size_t>(first + column);
        std::vector<int> wanted;
        for (int row = 0; row < 2; ++row)
          for (int tap = 0; tap < 8; ++tap)
            wanted.push_back(
                exists && tap < 5
                    ? from.weight[channel * 10 + static_cast<std::size_t>(row * 5 + tap)]
                    : 0);
        CHECK(c.weights == wanted);
        CHECK(c.multiplier == (exists ? from.multiplier[channel] : 0.0F));
      }
      p = block.end;
    }
  }
}

TEST_CASE("by columns each weight serves as many output rows as a group of input rows has") {
  using dot = sized_dot<2, 4>;
  static_assert(simd::column_blocking<dot>::width == 8);
  for (const auto& [kernel, stride] : {std::pair{3, 1}, {3, 2}, {5, 1}, {5, 2}, {7, 1}, {7, 2}}) {
    const conv2d_shape s{1, 9, 9, 11, 11, kernel, kernel, stride, stride, 0, 0, 1, 1, 11};
    REQUIRE(simd::by_columns<dot>(s));
    const operands from(s, 5);
    const packed_bytes packed(simd::depthwise_packed_bytes<dot>(s));
    simd::pack_depthwise<dot>(s, from.view(), packed.data());
    const simd::column_blocking<dot> plan{kernel, stride};
    const std::byte* p = packed.data();
    for (const int first : {0, 3}) {  // the last block moves back to end with the pixel
      const read_block block = read<dot>(p, dot::k_group, plan.steps());
      for (const auto& [column, c] : block.channels) {
        const auto channel = static_cast<std::size_t>(first + column);
        std::map<int, int> wanted, got;
        for (int i = 0; i < kernel * kernel; ++i)
          wanted[from.weight[channel * static_cast<std::size_t>(kernel * kernel) +
                             static_cast<std::size_t>(i)]] += plan.rows();
        for (const int w : c.weights)
          if (w != 0) ++got[w];
        CHECK(got == wanted);
        CHECK(c.bias == from.bias[channel]);
      }
      p = block.end;
    }
  }
}
