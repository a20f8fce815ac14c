// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amx_emulator.hpp"

#if defined(__x86_64__) && defined(__linux__)

#include <csignal>
#include <cstdint>
#include <cstring>

#include <ucontext.h>

// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, and its chapter
// of volume 1 on AMX. All of these are VEX.128.0F38.W0; only those that ctq uses are implemented.

namespace {

constexpr int rows_of_a_tile = 16;
constexpr int bytes_of_a_row = 64;

struct machine {
  bool configured;
  struct {
    std::uint8_t rows;
    std::uint16_t row_bytes;
    std::uint8_t bytes[rows_of_a_tile][bytes_of_a_row];
  } tiles[8];
} amx;

/// Bytes of an instruction, decoded.
struct instruction {
  int prefix;  // 0: none, 1: 66, 2: F3, 3: F2
  int opcode;
  int mode, reg, rm;
  int third;  // the register in VEX.vvvv
  std::uint64_t address;
  std::uint64_t stride;
  int length;
};

std::uint64_t register_of(const ucontext_t& context, int number) {
  constexpr int names[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                           REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[names[number]]);
}

bool decode(const ucontext_t& context, instruction& x) {
  const auto start = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  const auto* p = reinterpret_cast<const std::uint8_t*>(start);
  if (p[0] != 0xC4 || (p[1] & 0x1F) != 2 || (p[2] & 0x84) != 0) return false;  // 0F38, W0, 128 bits
  const int high_reg = p[1] & 0x80 ? 0 : 8;
  const int high_index = p[1] & 0x40 ? 0 : 8;
  const int high_base = p[1] & 0x20 ? 0 : 8;
  x = {};
  x.prefix = p[2] & 3;
  x.third = ~(p[2] >> 3) & 15;
  x.opcode = p[3];
  x.mode = p[4] >> 6;
  x.reg = (p[4] >> 3 & 7) + high_reg;
  x.rm = p[4] & 7;
  p += 5;
  if (x.mode != 3) {
    int base = x.rm;
    bool no_base = x.mode == 0 && x.rm == 5;
    if (no_base && x.rm == 5 && x.mode == 0) {
      std::int32_t displacement;  // from the end of the instruction
      std::memcpy(&displacement, p, 4);
      p += 4;
      x.address = reinterpret_cast<std::uint64_t>(p) +
                  static_cast<std::uint64_t>(std::int64_t{displacement});
    } else {
      if (x.rm == 4) {
        base = *p & 7;
        const int index = (*p >> 3 & 7) + high_index;
        if (index != 4) x.stride = register_of(context, index) << (*p >> 6);
        no_base = base == 5 && x.mode == 0;
        ++p;
      }
      if (!no_base) x.address = register_of(context, base + high_base);
      if (x.mode == 1) {
        x.address += static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(*p++)});
      } else if (x.mode == 2 || no_base) {
        std::int32_t displacement;
        std::memcpy(&displacement, p, 4);
        p += 4;
        x.address += static_cast<std::uint64_t>(std::int64_t{displacement});
      }
    }
  }
  x.length = static_cast<int>(reinterpret_cast<std::uintptr_t>(p) - start);
  return true;
}

bool configure(const void* from) {
  struct {
    std::uint8_t palette, start_row, reserved[14];
    std::uint16_t row_bytes[16];
    std::uint8_t rows[16];
  } config;
  static_assert(sizeof config == 64);
  std::memcpy(&config, from, sizeof config);
  if (config.palette != 1 || config.start_row != 0) return false;
  amx = {};
  for (int t = 0; t < 16; ++t) {
    if (config.row_bytes[t] > bytes_of_a_row || config.rows[t] > rows_of_a_tile) return false;
    if (t >= 8 && (config.row_bytes[t] != 0 || config.rows[t] != 0)) return false;
    if (t < 8) {
      amx.tiles[t].rows = config.rows[t];
      amx.tiles[t].row_bytes = config.row_bytes[t];
    }
  }
  amx.configured = true;
  return true;
}

/// C += A · B. The bytes of A are signed or unsigned, those of B signed.
bool dot(int c, int a, int b, bool is_signed) {
  auto& sums = amx.tiles[c];
  const auto& left = amx.tiles[a];
  const auto& right = amx.tiles[b];
  if (c == a || c == b || a == b || sums.rows != left.rows || sums.row_bytes != right.row_bytes ||
      left.row_bytes != 4 * right.rows || sums.row_bytes % 4 != 0) {
    return false;
  }
  for (int row = 0; row < sums.rows; ++row) {
    for (int column = 0; column < sums.row_bytes; column += 4) {
      std::uint32_t sum;
      std::memcpy(&sum, sums.bytes[row] + column, 4);
      for (int k = 0; k < left.row_bytes; ++k) {
        const int x = is_signed ? static_cast<std::int8_t>(left.bytes[row][k]) : left.bytes[row][k];
        sum += static_cast<std::uint32_t>(
            x * static_cast<std::int8_t>(right.bytes[k / 4][column + k % 4]));
      }
      std::memcpy(sums.bytes[row] + column, &sum, 4);
    }
  }
  return true;
}

/// Whether it was a valid AMX instruction.
bool execute(const instruction& x) {
  if (x.opcode == 0x49 && x.prefix == 0 && x.mode != 3 && x.reg == 0) {  // ldtilecfg
    return configure(reinterpret_cast<const void*>(x.address));
  }
  if (x.opcode == 0x49 && x.prefix == 0 && x.mode == 3) {  // tilerelease
    amx = {};
    return true;
  }
  if (!amx.configured || x.reg > 7) return false;
  auto& tile = amx.tiles[x.reg];
  if (x.opcode == 0x49 && x.prefix == 3 && x.mode == 3) {  // tilezero
    std::memset(tile.bytes, 0, sizeof tile.bytes);
    return true;
  }
  if (x.opcode == 0x4B && x.prefix != 0 && x.mode != 3 && x.rm == 4) {
    if (x.prefix != 2) std::memset(tile.bytes, 0, sizeof tile.bytes);
    for (int row = 0; row < tile.rows; ++row) {
      auto* const at =
          reinterpret_cast<std::uint8_t*>(x.address + static_cast<std::uint64_t>(row) * x.stride);
      if (x.prefix == 2) {  // tilestored
        std::memcpy(at, tile.bytes[row], tile.row_bytes);
      } else {  // tileloadd, tileloaddt1
        std::memcpy(tile.bytes[row], at, tile.row_bytes);
      }
    }
    return true;
  }
  if (x.opcode == 0x5E && (x.prefix == 1 || x.prefix == 3) && x.mode == 3 && x.third < 8) {
    return dot(x.reg, x.rm, x.third, x.prefix == 3);  // tdpbusd, tdpbssd
  }
  return false;
}

void answer(int signal, siginfo_t*, void* context) {
  auto& at = *static_cast<ucontext_t*>(context);
  instruction x;
  if (decode(at, x) && execute(x)) {
    at.uc_mcontext.gregs[REG_RIP] += x.length;
  } else {
    std::signal(signal, SIG_DFL);  // it happens again, and ends the program
  }
}

}  // namespace

void emulate_amx() {
  struct sigaction action {};
  action.sa_sigaction = answer;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, nullptr);
}

#else

void emulate_amx() {}

#endif
