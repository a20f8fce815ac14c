// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

// A suite of golden data on disk: NAME.json, and NAME.bin with the tensors it refers to.

namespace golden {

using json = nlohmann::json;

/// The case is not what data/README.md describes; it counts as failed.
struct malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An integer of [min, max]; anything else is malformed.
template <class Int>
Int integer(const json& j, Int min = std::numeric_limits<Int>::min(),
            Int max = std::numeric_limits<Int>::max()) {
  if (!j.is_number_integer()) throw malformed("not an integer: " + j.dump());
  const bool beyond = j.is_number_unsigned() && j.get<std::uint64_t>() > INT64_MAX;
  const auto value = j.get<std::int64_t>();
  if (beyond || value < min || value > max) throw malformed("out of range: " + j.dump());
  return static_cast<Int>(value);
}

/// Every element type fits in double, int64 up to 2⁵³.
struct tensor {
  std::string dtype;
  std::vector<int> shape;
  std::vector<double> values;

  [[nodiscard]] std::vector<float> floats() const {
    std::vector<float> f;
    f.reserve(values.size());
    for (const double v : values) f.push_back(static_cast<float>(v));
    return f;
  }
};

/// The largest absolute value, for tolerances.
inline double magnitude(const std::vector<float>& numbers) {
  double largest = 0;
  for (const float x : numbers) largest = std::max(largest, std::abs(static_cast<double>(x)));
  return largest;
}

/// Elements of type T, which lie unaligned.
template <class T>
void append(std::vector<double>& to, const char* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    T x;
    std::memcpy(&x, from + i * sizeof(T), sizeof(T));
    to.push_back(static_cast<double>(x));
  }
}

class suite_file {
 public:
  /// Nothing if the folder has no such suite. Throws malformed if it is no JSON.
  static std::optional<suite_file> open(const std::filesystem::path& folder,
                                        const std::string& name) {
    const auto path = folder / (name + ".json");
    if (!std::filesystem::exists(path)) return {};
    suite_file file;
    std::ifstream text(path);
    file.doc_ = json::parse(text, nullptr, false);
    if (!file.doc_.is_object()) throw malformed(path.string() + " is no JSON object");
    std::ifstream raw(folder / (name + ".bin"), std::ios::binary);
    file.bytes_.assign(std::istreambuf_iterator<char>(raw), {});
    return file;
  }

  [[nodiscard]] const json& doc() const { return doc_; }

  /// The list of that name; empty if there is none.
  [[nodiscard]] const json& list(const std::string& name) const {
    static const json none = json::array();
    const auto found = doc_.find(name);
    return found == doc_.end() || !found->is_array() ? none : *found;
  }

  /// {"t": [dtype, shape, byte offset]}
  [[nodiscard]] tensor read(const json& reference) const {
    const json& t = reference.at("t");
    tensor out{t.at(0).get<std::string>(), {}, {}};
    for (const json& extent : t.at(1)) out.shape.push_back(integer<int>(extent, 0));
    const auto offset = static_cast<std::size_t>(integer<std::int64_t>(t.at(2), 0));
    if (offset > bytes_.size()) throw malformed("a tensor begins outside the .bin");
    const std::size_t room = bytes_.size() - offset;
    std::size_t count = 1;
    for (const int extent : out.shape) {
      count *= static_cast<std::size_t>(extent);
      if (count > room) throw malformed("a tensor is larger than the .bin");
    }
    const char* at = bytes_.data() + offset;
    const auto fill = [&]<class T>(T) {
      if (count > room / sizeof(T)) throw malformed("a tensor ends outside the .bin");
      append<T>(out.values, at, count);
    };
    if (out.dtype == "f32")
      fill(float{});
    else if (out.dtype == "f64")
      fill(double{});
    else if (out.dtype == "u8")
      fill(std::uint8_t{});
    else if (out.dtype == "i8")
      fill(std::int8_t{});
    else if (out.dtype == "i32")
      fill(std::int32_t{});
    else if (out.dtype == "i64")
      fill(std::int64_t{});
    else
      throw malformed("a tensor of dtype " + out.dtype);
    return out;
  }

  /// A number, "inf", "-inf", "nan", a list of these, or a tensor.
  [[nodiscard]] std::vector<double> numbers(const json& j) const {
    if (j.is_number()) return {j.get<double>()};
    if (j.is_object()) return read(j).values;
    if (j.is_string()) {
      constexpr double inf = std::numeric_limits<double>::infinity();
      static const std::map<std::string, double> names{
          {"inf", inf}, {"-inf", -inf}, {"nan", std::numeric_limits<double>::quiet_NaN()}};
      return {names.at(j.get<std::string>())};
    }
    if (!j.is_array()) throw malformed("not a number: " + j.dump());
    std::vector<double> all;
    for (const json& element : j)
      for (const double x : numbers(element)) all.push_back(x);
    return all;
  }

 private:
  json doc_;
  std::vector<char> bytes_;
};

}  // namespace golden
