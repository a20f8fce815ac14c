// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "terminal.hpp"

#include <unistd.h>

#include <cstdlib>

#include "ctq/json/string.hpp"

namespace tool {

bool wants_colour() {
  const char* const no = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool plain = (no != nullptr && *no != '\0') ||
                     (terminal != nullptr && std::string_view{terminal} == "dumb");
  return !plain && ::isatty(STDOUT_FILENO) == 1;
}

std::string visible(std::string_view text) {
  std::string out;
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const int length = ctq::json::utf8_length(p, end);
    const auto first = static_cast<unsigned char>(*p);
    const bool control = first < 0x20 || first == 0x7F ||
                         (length == 2 && first == 0xC2 && static_cast<unsigned char>(p[1]) < 0xA0);
    if (length == 0 || control) {
      out += '?';
    } else {
      out.append(p, static_cast<std::size_t>(length));
    }
    p += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace tool
