#pragma once
#include <ctq/ctq.hpp>

inline constexpr auto net =
    ctq::sequential({2, 4}, ctq::nn::linear({.out_features = 3}), ctq::nn::relu());

struct int8
    : ctq::qconfig_mapping<
          ctq::global<ctq::qconfig<ctq::min_max_observer<>, ctq::per_channel_min_max_observer<>>>> {
};
