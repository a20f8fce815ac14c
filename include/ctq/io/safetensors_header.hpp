// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/io/message.hpp"
#include "ctq/io/safetensors.hpp"
#include "ctq/json/string.hpp"

// Reads the JSON header of a safetensors file. Accepts only the structure of the format, two levels
// of objects and lists of integers, without recursion or unknown members.

namespace ctq {

/// A tensor as described by the header, not yet checked against the data.
struct header_entry {
  std::string name;
  stored_dtype dtype = stored_dtype::f32;
  std::vector<std::int64_t> shape;
  std::int64_t begin = 0;  // data_offsets
  std::int64_t end = 0;
};

/// The content of a header.
struct safetensors_header {
  std::vector<header_entry> entries;  // in file order
  metadata_map metadata;
};

/// A cursor in JSON text that consumes one token at a time. A function that fails returns false and
/// sets failure(); callers return false immediately.
template <int = 0>
class basic_json_cursor {
 public:
  basic_json_cursor(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  [[nodiscard]] const error& failure() const { return failure_; }

  /// Sets the subject of the next tokens for messages: "tensor fc.weight"; empty for the whole
  /// header.
  void describe(std::string what) { subject_ = std::move(what); }

  /// Fails at the start of the last token.
  [[gnu::cold]] bool reject(std::string cause) {
    failure_.place =
        sentence(file_, ": ", subject_, subject_.empty() ? "" : ", ", "header byte ", token_);
    failure_.cause = std::move(cause);
    return false;
  }

  /// Consumes the character if it is next.
  bool accept(char c) {
    begin_token();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool expect(char c) { return accept(c) || reject_next(std::string{'\'', c, '\''}); }

  /// The format requires the object to start at the first byte, followed by spaces only.
  bool expect_at_start(char c) {
    return (!text_.empty() && text_.front() == c) || reject_next(std::string{'\'', c, '\''});
  }
  bool expect_spaces_to_end() {
    at_ = std::min(text_.find_first_not_of(' ', at_), text_.size());
    token_ = at_;
    return at_ == text_.size() || reject_next("only spaces after the object");
  }

  /// {"key": member, ...}; member(key) consumes the value.
  template <class Member>
  bool object(Member member) {
    if (!expect('{')) return false;
    if (accept('}')) return true;
    do {
      std::string key;
      if (!string(key)) return false;
      const std::size_t key_at = token_;
      if (!expect(':')) return false;
      token_ = key_at;
      if (!member(std::move(key))) return false;
    } while (accept(','));
    return accept('}') || reject_next("',' or '}'");
  }

  /// [element, ...]; element() consumes one element.
  template <class Element>
  bool list(Element element) {
    if (!expect('[')) return false;
    if (accept(']')) return true;
    do {
      if (!element()) return false;
    } while (accept(','));
    return accept(']') || reject_next("',' or ']'");
  }

  [[gnu::cold]] bool string(std::string& out) {
    begin_token();
    const std::size_t quote = at_;
    if (!accept('"')) return reject_next("a string");
    while (at_ < text_.size()) {
      token_ = at_;
      if (text_[at_] == '"') {
        ++at_;
        token_ = quote;
        return true;
      }
      if (!(text_[at_] == '\\' ? escape(out) : character(out))) return false;
    }
    token_ = quote;
    return reject("the string has no end");
  }

  /// A size or an offset: 0 to 2^63 - 1.
  [[gnu::cold]] bool whole_number(std::int64_t& out) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    begin_token();
    if (next_is("-")) return reject("sizes and offsets are not negative");
    if (!next_is("0123456789")) return reject_next("a whole number");
    out = 0;
    for (; next_is("0123456789"); ++at_) {
      const int digit = text_[at_] - '0';
      if (out > (most - digit) / 10) return reject("the number does not fit into 63 bits");
      out = out * 10 + digit;
    }
    if (next_is(".eE")) return reject("sizes and offsets are whole numbers");
    if (text_[token_] == '0' && at_ - token_ > 1) return reject("a number does not start with 0");
    return true;
  }

 private:
  void begin_token() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    token_ = at_;
  }

  [[nodiscard]] bool next_is(std::string_view any_of) const {
    return at_ < text_.size() && any_of.find(text_[at_]) != any_of.npos;
  }

  [[gnu::cold]] bool reject_next(std::string expected) {
    std::string found = "the end of the header";
    if (token_ < text_.size()) {
      const auto code = static_cast<unsigned char>(text_[token_]);
      const bool printable = code > 0x20 && code < 0x7F;
      found = printable ? std::string{'\'', text_[token_], '\''} : sentence("byte value ", code);
    }
    return reject(sentence("expected ", expected, ", found ", found));
  }

  /// A character of a string that is not an escape.
  bool character(std::string& out) {
    if (static_cast<unsigned char>(text_[at_]) < 0x20)
      return reject("a control character in a string must be escaped");
    const int length = json::utf8_length(text_.data() + at_, text_.data() + text_.size());
    if (length == 0) return reject("the string is not UTF-8");
    out.append(text_.substr(at_, static_cast<std::size_t>(length)));
    at_ += static_cast<std::size_t>(length);
    return true;
  }

  [[gnu::cold]] bool escape(std::string& out) {
    ++at_;
    if (next_is("u")) return unicode_escape(out);
    const char meant = at_ < text_.size() ? json::escape_meaning(text_[at_]) : '\0';
    if (meant == '\0') return reject("no such escape");
    out += meant;
    ++at_;
    return true;
  }

  /// u and four digits, or two of these that form a surrogate pair.
  [[gnu::cold]] bool unicode_escape(std::string& out) {
    std::uint32_t unit = 0;
    if (!code_unit(unit)) return reject("\\u needs four hexadecimal digits");
    if (unit < 0xD800 || unit > 0xDFFF) return json::append_utf8(out, unit), true;
    std::uint32_t low = 0;
    const bool paired = unit < 0xDC00 && next_is("\\") && (++at_, next_is("u")) && code_unit(low);
    if (!paired || low < 0xDC00 || low > 0xDFFF)
      return reject("a surrogate without its other half");
    json::append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
    return true;
  }

  /// Consumes u and four hexadecimal digits.
  bool code_unit(std::uint32_t& unit) {
    ++at_;
    for (int i = 0; i < 4; ++i, ++at_) {
      const int digit = at_ == text_.size() ? -1 : json::hex_digit(text_[at_]);
      if (digit < 0) return false;
      unit = unit * 16 + static_cast<std::uint32_t>(digit);
    }
    return true;
  }

  std::string_view text_;
  std::string_view file_;
  std::string subject_;
  std::size_t at_ = 0;
  std::size_t token_ = 0;
  error failure_;
};
using json_cursor = basic_json_cursor<>;

/// {"dtype": "F32", "shape": [10, 64], "data_offsets": [0, 2560]}, the keys in any order.
template <int = 0>
[[gnu::cold]] bool scan_entry(json_cursor& in, header_entry& entry) {
  constexpr std::string_view keys[] = {"dtype", "shape", "data_offsets"};
  bool given[3] = {};

  const auto dtype = [&] {
    std::string name;
    if (!in.string(name)) return false;
    const std::optional<stored_dtype> known = stored_dtype_named(name);
    if (!known) return in.reject("unknown dtype \"" + shown(name) + "\"");
    entry.dtype = *known;
    return true;
  };
  const auto shape = [&] {
    return in.list([&] { return in.whole_number(entry.shape.emplace_back()); });
  };
  const auto offsets = [&] {
    return in.expect('[') && in.whole_number(entry.begin) && in.expect(',') &&
           in.whole_number(entry.end) && in.expect(']');
  };
  const auto member = [&](const std::string& key) {
    std::size_t i = 0;
    while (i < std::size(keys) && keys[i] != key) ++i;
    if (i == std::size(keys))
      return in.reject("key \"" + shown(key) + "\" is none of dtype, shape, data_offsets");
    if (std::exchange(given[i], true)) return in.reject("duplicate key \"" + key + "\"");
    return i == 0 ? dtype() : i == 1 ? shape() : offsets();
  };

  if (!in.object(member)) return false;
  for (std::size_t i = 0; i < std::size(keys); ++i)
    if (!given[i]) return in.reject(sentence("key \"", keys[i], "\" is missing"));
  return true;
}

template <int = 0>
[[gnu::cold]] bool scan_metadata(json_cursor& in, metadata_map& metadata) {
  return in.object([&](std::string key) {
    const auto [at, added] = metadata.try_emplace(std::move(key));
    if (!added) return in.reject("duplicate key \"" + shown(at->first) + "\"");
    return in.string(at->second);
  });
}

/// Parses the whole header. Duplicate tensor names are detected by the caller, who sorts them.
/// Errors  place "weights.safetensors: tensor fc.weight, header byte 37" (counted from 0)
template <int = 0>
[[nodiscard, gnu::cold]] result<safetensors_header> scan_header(std::string_view text,
                                                                std::string_view file) {
  json_cursor in{text, file};
  safetensors_header header;
  bool has_metadata = false;
  const auto member = [&](std::string key) {
    const bool is_metadata = key == "__metadata__";
    if (is_metadata && std::exchange(has_metadata, true))
      return in.reject("duplicate key \"__metadata__\"");
    in.describe(is_metadata ? "metadata" : "tensor " + shown(key));
    if (!is_metadata) header.entries.emplace_back().name = std::move(key);
    if (!(is_metadata ? scan_metadata(in, header.metadata) : scan_entry(in, header.entries.back())))
      return false;
    in.describe({});
    return true;
  };
  if (!in.expect_at_start('{') || !in.object(member) || !in.expect_spaces_to_end())
    return unexpected{in.failure()};
  return header;
}

}  // namespace ctq
