// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/mergeable.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "ctq/observers/observer.hpp"

using namespace ctq;
using namespace ctq::observers;

namespace {

static_assert(mergeable_observer<min_max>);
static_assert(mergeable_observer<per_channel_min_max>);
static_assert(mergeable_observer<power_of_two_histogram>);
static_assert(mergeable_observer<recording>);
static_assert(mergeable_observer<observers::fixed_qparams>);
static_assert(mergeable_observer<placeholder> && mergeable_observer<noop> &&
              mergeable_observer<reuse_input> && mergeable_observer<nothing>);
static_assert(!mergeable_observer<histogram>);
static_assert(!mergeable_observer<moving_average_min_max>);
static_assert(!mergeable_observer<moving_average_per_channel_min_max>);

using batches = std::vector<std::vector<float>>;

/// Batches of very different ranges, some empty, some with values in no bin.
batches random_batches(std::mt19937& random, bool with_strange_values) {
  batches all(1 + random() % 8U);
  for (auto& batch : all) {
    batch.resize(random() % 3U == 0 ? random() % 3U * 3U : 3U * (random() % 200U));
    const float width = std::ldexp(1.0F, static_cast<int>(random() % 40U) - 20);
    const float offset = random() % 2U == 0 ? 0.0F : width * 100.0F;
    for (float& x : batch)
      x = (static_cast<float>(random() >> 8U) * 0x1p-24F - 0.5F) * width + offset;
    if (with_strange_values && !batch.empty()) {
      constexpr float inf = std::numeric_limits<float>::infinity();
      constexpr float strange[] = {0.0F, -0.0F, 1e-45F, -1e-45F, inf, -inf, 3e38F, -3e38F};
      batch[random() % batch.size()] = strange[random() % 8U];
    }
  }
  return all;
}

template <class Observer>
void show(Observer& o, std::span<const float> data) {
  if constexpr (requires { o.observe(data, shape(1)); })
    o.observe(data, shape(3, static_cast<int>(data.size() / 3)));
  else
    o.observe(data);
}

/// Splits the batches randomly among some observers and merges these in random order, or in the
/// original order.
template <class Observer>
Observer merged(std::mt19937& random, const batches& all, const observer_args& args,
                bool shuffled) {
  std::vector<Observer> parts(1 + random() % 4U, Observer(args));
  std::size_t part = 0;
  for (const auto& batch : all) {
    if (shuffled)
      part = random() % parts.size();
    else if (part + 1 < parts.size())
      part += random() % 2U;
    show(parts[part], batch);
  }
  while (parts.size() > 1) {  // of two neighbours, or of any two
    const std::size_t to = random() % (parts.size() - 1);
    std::size_t from = to + 1;
    if (shuffled) from = to + 1 + random() % (parts.size() - 1 - to);
    if (shuffled && random() % 2U == 0) std::swap(parts[to], parts[from]);
    parts[to].merge(parts[from]);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(from));
  }
  return parts[0];
}

template <class Observer>
void merging_is_as_seeing_all(const observer_args& args, bool in_any_order) {
  std::mt19937 random(11);
  for (int run = 0; run < 300; ++run) {
    CAPTURE(run);
    const batches all = random_batches(random, run % 2 == 1);
    Observer sequential(args);
    for (const auto& batch : all) show(sequential, batch);
    REQUIRE(merged<Observer>(random, all, args, false) == sequential);
    if (in_any_order) {
      REQUIRE(merged<Observer>(random, all, args, true) == sequential);
    }
  }
}

TEST_CASE("min_max: merged observers of a partition equal one observer of all data") {
  merging_is_as_seeing_all<min_max>({}, true);
}

TEST_CASE("per_channel_min_max: merged observers of a partition equal one observer of all data") {
  merging_is_as_seeing_all<per_channel_min_max>(per_channel_observer_args{}, true);
}

TEST_CASE(
    "power_of_two_histogram: merged observers of a partition equal one observer of all data") {
  merging_is_as_seeing_all<power_of_two_histogram>({.bins = 64}, true);
  merging_is_as_seeing_all<power_of_two_histogram>({.bins = 2}, true);
}

TEST_CASE("recording: observers of a partition merged in order equal one observer of all data") {
  merging_is_as_seeing_all<recording>({}, false);
}

TEST_CASE("NaN and mismatched tensors remain errors after merging") {
  min_max a({}), b({});
  b.observe(std::vector{std::numeric_limits<float>::quiet_NaN()});
  a.merge(b);
  CHECK(!a.calculate_qparams());
  const observer_args args = per_channel_observer_args{};
  per_channel_min_max two(args), three(args), none(args);
  two.observe(std::vector{1.0F, 2.0F}, shape(2));
  three.observe(std::vector{1.0F, 2.0F, 3.0F}, shape(3));
  two.merge(three);
  CHECK(!two.calculate_qparams());
  none.merge(two);
  CHECK(none == two);
}

}  // namespace
