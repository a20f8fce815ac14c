// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plain_loops.hpp"

namespace ctq::kernels::reference {

template image_sum<std::uint8_t> sum_of_products<std::uint8_t>;
template image_sum<std::int8_t> sum_of_products<std::int8_t>;

}  // namespace ctq::kernels::reference

namespace emulation {

template tile_product multiply_tiles<std::uint8_t>;
template tile_product multiply_tiles<std::int8_t>;

}  // namespace emulation
