// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <initializer_list>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

// Writes an ONNX model to memory: the part of the format for a few quantized ops. The numbers are
// field numbers of onnx.proto.

namespace bench::onnx {

/// TensorProto.DataType
enum class type : std::int32_t { f32 = 1, u8 = 2, s8 = 3, s32 = 6 };

template <class T>
constexpr type type_of{};
template <>
constexpr type type_of<float> = type::f32;
template <>
constexpr type type_of<std::uint8_t> = type::u8;
template <>
constexpr type type_of<std::int8_t> = type::s8;
template <>
constexpr type type_of<std::int32_t> = type::s32;

using extents = std::vector<std::int64_t>;
using names = std::initializer_list<const char*>;

/// An attribute of a node: one integer, or several.
struct attribute {
  const char* name;
  extents values;
  bool list = true;
};

inline constexpr const char* microsoft = "com.microsoft";

/// Values are identified by name; a node's domain is empty (ONNX) or `microsoft`.
class model {
 public:
  /// A value that the caller provides (input) or receives (output).
  void input(const char* name, type of, const extents& shape) { value(11, name, of, shape); }
  void output(const char* name, type of, const extents& shape) { value(12, name, of, shape); }

  template <class T>
  void constant(const char* name, const extents& shape, const std::vector<T>& content) {
    protozero::pbf_writer tensor(graph_, 5);
    tensor.add_packed_int64(1, shape.begin(), shape.end());
    tensor.add_int32(2, static_cast<std::int32_t>(type_of<T>));
    tensor.add_string(8, name);
    tensor.add_bytes(9, reinterpret_cast<const char*>(content.data()), content.size() * sizeof(T));
  }
  template <class T>
  void scalar(const char* name, T content) {
    constant(name, {}, std::vector<T>{content});
  }

  void node(const char* op, names in, names out, const std::vector<attribute>& attributes = {},
            const char* domain = "") {
    protozero::pbf_writer node(graph_, 1);
    for (const char* name : in) node.add_string(1, name);
    for (const char* name : out) node.add_string(2, name);
    node.add_string(4, op);
    for (const attribute& a : attributes) {
      protozero::pbf_writer one(node, 5);
      one.add_string(1, a.name);
      if (a.list) {
        one.add_packed_int64(8, a.values.begin(), a.values.end());
      } else {
        one.add_int64(3, a.values.front());
      }
      one.add_int32(20, a.list ? 7 : 2);  // AttributeType: INTS, INT
    }
    node.add_string(7, domain);
  }

  /// The file, with version 13 of ONNX's ops.
  [[nodiscard]] std::string bytes() {
    graph_.add_string(2, "bench");
    std::string out;
    protozero::pbf_writer file(out);
    file.add_int64(1, 8);
    opset(file, "", 13);
    opset(file, microsoft, 1);
    file.add_message(7, content_);
    return out;
  }

 private:
  static void opset(protozero::pbf_writer& file, const char* domain, std::int64_t version) {
    protozero::pbf_writer set(file, 8);
    set.add_string(1, domain);
    set.add_int64(2, version);
  }

  void value(std::uint32_t field, const char* name, type of, const extents& shape) {
    protozero::pbf_writer info(graph_, field);
    info.add_string(1, name);
    protozero::pbf_writer type_proto(info, 2);
    protozero::pbf_writer tensor(type_proto, 1);
    tensor.add_int32(1, static_cast<std::int32_t>(of));
    protozero::pbf_writer dimensions(tensor, 2);
    for (const std::int64_t extent : shape) {
      protozero::pbf_writer(dimensions, 1).add_int64(1, extent);
    }
  }

  std::string content_;
  protozero::pbf_writer graph_{content_};
};

}  // namespace bench::onnx
