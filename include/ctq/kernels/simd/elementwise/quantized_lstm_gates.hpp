// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/kernels/reference/recurrent/quantized_lstm_gates.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/tables/table_lookup.hpp"
#include "ctq/kernels/simd/elementwise/binary_add.hpp"
#include "ctq/kernels/simd/elementwise/binary_mul.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// Whether no value in a cell, divided by the scale that it is quantized with, leaves int32.
[[nodiscard]] inline bool lstm_fits_int32(const quantized_lstm_cell& cell, const qparams& last_c) {
  const auto sum = [](const qparams& a, const qparams& b, const qparams& to) {
    return scaled_fits_int32(a.scale, quantizer_of(to)) &&
           scaled_fits_int32(b.scale, quantizer_of(to));
  };
  const auto product = [](const qparams& a, const qparams& b, const qparams& to) {
    return product_fits_int32(a, b, quantizer_of(to));
  };
  return sum(cell.igates, cell.hgates, cell.gates) &&
         product(sigmoid_qparams, last_c, cell.fgate_cx) &&
         product(sigmoid_qparams, tanh_qparams, cell.igate_cgate) &&
         sum(cell.fgate_cx, cell.igate_cgate, cell.c) &&
         product(sigmoid_qparams, tanh_qparams, cell.h);
}

/// op of two registers of bytes: dequantized, computed, quantized.
template <vectorized Isa, class Op>
class two_byte_op {
 public:
  using bytes = batch<Isa, std::uint8_t>;

  [[gnu::always_inline]] two_byte_op(const qparams& a, const qparams& b, const qparams& to) noexcept
      : a_(a, std::type_identity<std::uint8_t>{}),
        b_(b, std::type_identity<std::uint8_t>{}),
        inverse_(quantizer_of(to).inverse),
        narrower_(output_range_of(quantizer_of(to))) {}

  [[nodiscard, gnu::always_inline]] bytes operator()(const bytes& a,
                                                     const bytes& b) const noexcept {
    return narrower_.template bytes<std::uint8_t>([&](auto k) __attribute__((always_inline)) {
      return Op{}(a_.template part<k>(a), b_.template part<k>(b)) * inverse_;
    });
  }

 private:
  byte_dequantizer<Isa> a_, b_;
  batch<Isa, float> inverse_;
  float_narrower<Isa> narrower_;
};

/// A register of elements, as reference::quantized_lstm_element.
/// Requires  lstm_fits_int32
template <vectorized Isa>
class quantized_lstm_lanes {
 public:
  using bytes = batch<Isa, std::uint8_t>;

  [[gnu::always_inline]] quantized_lstm_lanes(const quantized_lstm_cell& cell,
                                              const qparams& last_c) noexcept
      : gates_(cell.igates, cell.hgates, cell.gates),
        fgate_cx_(sigmoid_qparams, last_c, cell.fgate_cx),
        igate_cgate_(sigmoid_qparams, tanh_qparams, cell.igate_cgate),
        c_(cell.fgate_cx, cell.igate_cgate, cell.c),
        h_(sigmoid_qparams, tanh_qparams, cell.h),
        sigmoid_(cell.sigmoid),
        tanh_(cell.tanh),
        tanh_of_c_(cell.tanh_of_c) {}

  /// The next h; the next c is stored.
  ///   x, past  of the first gate; those of the others follow, `hidden` apart
  [[nodiscard, gnu::always_inline]] bytes operator()(const std::uint8_t* x,
                                                     const std::uint8_t* past,
                                                     std::ptrdiff_t hidden,
                                                     std::uint8_t* c) const noexcept {
    const auto gate = [&](int k) __attribute__((always_inline)) {
      return gates_(bytes::load_unaligned(x + k * hidden),
                    bytes::load_unaligned(past + k * hidden));
    };
    const bytes igate_cgate = igate_cgate_(sigmoid_[gate(0)], tanh_[gate(2)]);
    const bytes fgate_cx = fgate_cx_(sigmoid_[gate(1)], bytes::load_unaligned(c));
    const bytes next = c_(fgate_cx, igate_cgate);
    next.store_unaligned(c);
    return h_(sigmoid_[gate(3)], tanh_of_c_[next]);
  }

 private:
  two_byte_op<Isa, real_sum<Isa>> gates_;
  two_byte_op<Isa, real_product> fgate_cx_, igate_cgate_;
  two_byte_op<Isa, real_sum<Isa>> c_;
  two_byte_op<Isa, real_product> h_;
  lookup_registers<Isa, std::uint8_t> sigmoid_, tanh_, tanh_of_c_;
};

/// Computes the elements at the end of a row, fewer than a register has, in buffers of the size of
/// a register.
template <vectorized Isa>
[[gnu::always_inline]] inline void quantized_lstm_end(const quantized_lstm_lanes<Isa>& lanes,
                                                      std::size_t count, const std::uint8_t* x,
                                                      const std::uint8_t* past,
                                                      std::ptrdiff_t hidden, std::uint8_t* h,
                                                      std::uint8_t* c) noexcept {
  constexpr std::size_t width = batch<Isa, std::uint8_t>::size;
  std::uint8_t of_x[4 * width]{}, of_past[4 * width]{}, of_c[width]{}, of_h[width];
  for (int k = 0; k < 4; ++k) {
    std::memcpy(of_x + static_cast<std::size_t>(k) * width, x + k * hidden, count);
    std::memcpy(of_past + static_cast<std::size_t>(k) * width, past + k * hidden, count);
  }
  std::memcpy(of_c, c, count);
  lanes(of_x, of_past, width, of_c).store_unaligned(of_h);
  std::memcpy(c, of_c, count);
  std::memcpy(h, of_h, count);
}

/// As reference::quantized_lstm_gates, byte for byte.
template <class Isa>
[[gnu::noinline]] void quantized_lstm_gates(const quantized_lstm_step& s,
                                            const quantized_lstm_cell& cell, const std::uint8_t* x,
                                            const std::uint8_t* past, std::uint8_t* h,
                                            std::uint8_t* c, std::uint8_t* to,
                                            const std::uint8_t* output_table) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::quantized_lstm_gates(s, cell, x, past, h, c, to, output_table);
  } else {
    if (!lstm_fits_int32(cell, s.last_c))
      return reference::quantized_lstm_gates(s, cell, x, past, h, c, to, output_table);
    constexpr int width = static_cast<int>(batch<Isa, std::uint8_t>::size);
    const quantized_lstm_lanes<Isa> lanes(cell, s.last_c);
    for (int row = 0; row < s.rows; ++row) {
      int i = 0;
      for (; i + width <= s.hidden; i += width)
        lanes(x + i, past + i, s.hidden, c + i).store_unaligned(h + i);
      if (i < s.hidden)
        quantized_lstm_end<Isa>(lanes, static_cast<std::size_t>(s.hidden - i), x + i, past + i,
                                s.hidden, h + i, c + i);
      if (output_table == nullptr) {
        std::memcpy(to, h, static_cast<std::size_t>(s.hidden));
      } else {
        for (int k = 0; k < s.hidden; ++k) to[k] = output_table[h[k]];
      }
      x += s.x_stride;
      past += s.past_stride;
      h += s.hidden;
      c += s.hidden;
      to += s.to_stride;
    }
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
