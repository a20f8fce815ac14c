// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "ctq/json/element.hpp"
#include "ctq/json/nearest.hpp"
#include "ctq/ops/op_table.hpp"
#include "ctq/spec/finding.hpp"
#include "ctq/spec/reflect.hpp"

// Reads values of a JSON text into the fields of a record. The keys of an object are the names of
// the record's fields. Each error is a finding with its position; invalid fields keep their
// defaults.

namespace ctq::json {

[[nodiscard]] constexpr std::string_view with_article(kind k) {
  constexpr std::string_view names[] = {"null",     "true or false", "a number",
                                        "a string", "an array",      "an object"};
  return names[static_cast<std::size_t>(k)];
}

/// "torch.quint8" is quint8, "torch.ao.quantization.HistogramObserver" is HistogramObserver.
[[nodiscard]] constexpr std::string_view without_module(std::string_view name) {
  std::size_t at = name.size();
  while (at > 0 && name.data()[at - 1] != '.') --at;
  return name.substr(at);
}

template <class Reader, class Record, std::size_t I>
constexpr void read_field(Reader& r, element e, Record& record) {
  r.read(e, field_of<Record, I>(record));
}

/// Functions that read a value into a field, by field index. Calls through a table are what
/// compilers evaluate fastest.
template <class Reader, reflected Record>
inline constexpr auto field_readers = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array{&read_field<Reader, Record, I>...};
}
(std::make_index_sequence<field_names<Record>.size()>{});

class reader {
 public:
  constexpr reader(const op_table& ops, findings& out) : ops_(ops), out_(out) {}

  template <class... Part>
  constexpr void error(rule r, element at, Part... part) {
    out_.add(r, severity::error, {}, static_cast<int>(at.at()), {word(part)...});
  }

  /// Reports an unknown name and the nearest known one.
  constexpr void unknown(rule r, element at, std::string_view what, const nearest& near) {
    if (near.found().empty()) {
      error(r, at, at.text().substr(0, 80), " is not a known ", what);
    } else {
      error(r, at, at.text().substr(0, 80), " is not a known ", what, ", did you mean ",
            near.found(), "?");
    }
  }

  constexpr bool expect(element e, kind wanted) {
    if (e.type() == wanted) return true;
    error(rule::wrong_type, e, "expected ", with_article(wanted), ", not ", with_article(e.type()));
    return false;
  }

  // The templates come first: clang instantiates a constexpr function at its use only if it is
  // already defined, else too late for a constant expression.

  template <class Enum>
  static constexpr bool find_name(std::string_view name, Enum& out, Enum first, Enum last) {
    for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
      if (!same_text(name, name_of(static_cast<Enum>(i)))) continue;
      out = static_cast<Enum>(i);
      return true;
    }
    return false;
  }

  /// A value of an enumeration by PyTorch's name, with or without the module prefix. Names in
  /// PyTorch's format are tried first, since searching the last dot costs a constexpr step per
  /// character.
  template <class Enum>
  constexpr void named(element e, Enum& out, std::string_view what, Enum first, Enum last) {
    if (!expect(e, kind::string)) return;
    const std::string_view text = e.name();
    const bool torch = text.size() > 6 && same_text({text.data(), 6}, "torch.");
    if (find_name(torch ? std::string_view{text.data() + 6, text.size() - 6} : text, out, first,
                  last) ||
        find_name(without_module(text), out, first, last))
      return;
    nearest near{without_module(text)};
    for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i)
      near.offer(name_of(static_cast<Enum>(i)));
    unknown(rule::unknown_value, e, what, near);
  }

  /// Reads the members of an object into the fields of the same names, with self.read(value,
  /// field). Skips unknown keys for which other(key) is true. Returns a bit for each field, set if
  /// the object has it, that of the first field lowest.
  ///   what  what a key is called in messages
  template <class Self, reflected Record, class Other>
  constexpr std::uint64_t read_fields_with(Self& self, element object, Record& record,
                                           std::string_view what, Other other) {
    std::uint64_t seen = 0;
    constexpr std::size_t count = field_names<Record>.size();
    const std::string_view* const names = field_names<Record>.data();  // cheaper than array's []
    const auto* const readers = field_readers<Self, Record>.data();
    for (const auto [key, value] : object.members()) {
      const std::string_view name = key.name();
      std::size_t at = 0;
      while (at < count && !same_text(name, names[at])) ++at;
      if (at == count) {
        if (other(key)) continue;
        nearest near{name};
        for (const std::string_view known : field_names<Record>) near.offer(known);
        unknown(rule::unknown_key, key, what, near);
      } else if ((seen >> at & 1U) != 0) {
        error(rule::duplicate_key, key, name, " is duplicated");
      } else {
        seen |= std::uint64_t{1} << at;
        readers[at](self, value, record);
      }
    }
    return seen;
  }

  template <reflected Record>
  constexpr void read_fields(element object, Record& record) {
    read_fields_with(*this, object, record, "key here", [](element) { return false; });
  }

  /// An optional number; null for none.
  template <class Optional>
  constexpr void read_given(element e, Optional& out) {
    if (e.type() == kind::null) return;
    const int before = out_.total();
    Optional read_one;
    read(e, read_one.value);
    if (out_.total() != before) return;
    read_one.given = true;
    out = read_one;
  }

  constexpr void read(element e, bool& out) {
    if (e.type() == kind::null) return;  // Python's None is False
    if (expect(e, kind::boolean)) out = e.boolean();
  }

  template <std::integral Int>
  constexpr void read(element e, Int& out) {
    if (!expect(e, kind::number)) return;
    const double x = e.number();
    constexpr double most = sizeof(Int) > 4 ? 9007199254740991.0 : 2147483647.0;  // exact in double
    if (!(x >= -most && x <= most) || static_cast<double>(static_cast<Int>(x)) != x) {
      error(rule::wrong_type, e, "expected a whole number, not ", e.text().substr(0, 40));
      return;
    }
    out = static_cast<Int>(x);
  }

  constexpr void read(element e, double& out) {
    if (expect(e, kind::number)) out = e.number();
  }
  constexpr void read(element e, float& out) {
    if (!expect(e, kind::number)) return;
    const double x = e.number();
    if (x > 3.4028234663852886e38 || x < -3.4028234663852886e38) {
      error(rule::wrong_type, e, "expected a float32, not ", e.text().substr(0, 40));
      return;
    }
    out = static_cast<float>(x);
  }

  constexpr void read(element e, optional_int& out) { read_given(e, out); }
  constexpr void read(element e, optional_real& out) { read_given(e, out); }

  constexpr void read(element e, dtype& out) {
    if (e.type() == kind::null) return;
    if (e.is("torch.float") || e.is("torch.half")) {  // PyTorch's other names
      out = e.is("torch.half") ? dtype::float16 : dtype::float32;
    } else {
      named(e, out, "dtype", dtype::float32, dtype::quint4x2);
    }
  }
  constexpr void read(element e, qscheme& out) {
    named(e, out, "qscheme", qscheme::per_tensor_affine, qscheme::per_channel_affine_float_qparams);
  }
  constexpr void read(element e, observation_type& out) {
    named(e, out, "observation type", observation_type::output_use_different_observer_as_input,
          observation_type::input_output_not_observed);
  }

  /// A dtype, with or without constraints.
  constexpr void read(element e, dtype_with_constraints_record& out) {
    if (e.type() == kind::string || e.type() == kind::null) return read(e, out.dtype);
    if (e.type() == kind::object) return read_fields(e, out);
    error(rule::wrong_type, e, "expected a dtype or an object, not ", with_article(e.type()));
  }

  constexpr void read(element e, dtype_config_record& out) {
    if (expect(e, kind::object)) read_fields(e, out);
  }

  /// A module, function or method.
  constexpr void read(element e, op_id& out) {
    if (e.type() == kind::null || !expect(e, kind::string)) return;
    out = ops_.find(e.name());
    if (out == nullptr) unknown_op(e);
  }

  constexpr void unknown_op(element e) {
    if (out_.full()) return;  // searching the nearest name is slow
    const op_name wrong = qualified(e.name());
    static_text<80> spelled;
    append_all(spelled, wrong.prefix, wrong.rest);
    nearest near{spelled.view()};
    for (int i = 0; i < ops_.size(); ++i) near.offer(ops_[i]->name);
    unknown(rule::unknown_op, e, "op", near);
  }

 private:
  op_table ops_;
  findings& out_;
};

}  // namespace ctq::json
