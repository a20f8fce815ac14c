// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include "ctq/core/attributes.hpp"
#include "ctq/core/dtype.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/ops/describe.hpp"
#include "ctq/ops/op_descriptor.hpp"

// The identity of an op: specs name it in patterns, pattern<nn::conv2d, nn::relu>, and models call
// it, "conv1"_n = nn::conv2d("x"_n, {.out_channels = 6, .kernel_size = 5}).
//
// PyTorch's specs distinguish modules, functions and operators, so they are different identities
// here too. The address of an op_info is the identity at run time and in constant expressions. The
// set is open: a user op is a type like those of ctq, described in ops/describe.hpp.

namespace ctq {

enum class op_kind : unsigned char {
  placeholder,
  output,
  get_attr,
  module,
  function,
  method,
  pass
};

/// The descriptor of an op that is known only by its name.
inline constexpr op_descriptor no_description{};

struct op_info {
  op_kind kind{};
  std::string_view name{};  // PyTorch's qualified name
  const op_descriptor* descriptor = &no_description;
  bool builtin{};  // not a user op
  unsigned hash = hash_of(name);

  /// A hash of the end of a name, where names differ, for hash tables of ops.
  static constexpr unsigned hash_of(std::string_view name) {
    unsigned h = 0;
    const char* const text = name.data();  // an element of a string_view is a function call
    for (std::size_t i = name.size() > 6 ? name.size() - 6 : 0; i < name.size(); ++i)
      h = h * 31 + static_cast<unsigned char>(text[i]);
    return h;
  }
};

/// The descriptor of a user op.
template <class Op>
inline constexpr op_descriptor description_of = describing::describe<Op>();
template <class Op>
inline constexpr op_info info_of{Op::kind, Op::name, &description_of<Op>};

/// One of ctq's own ops, which are described in the header of their family.
template <const op_info& Info>
struct named_by;

template <class Op>
inline constexpr op_id identity_of = &info_of<Op>;
template <const op_info& Info>
inline constexpr op_id identity_of<named_by<Info>> = &Info;

/// An op with its arguments, not yet a node: it has no name.
template <std::size_t Arity>
struct call {
  op_id op{};
  attributes attrs{};  // its options; the shape of a placeholder or get_attr
  std::string_view args[Arity > 0 ? Arity : 1]{};  // std::array takes the compiler more memory
};

/// A node as written. It refers to its parts, so it must not outlive the call of model(…).
template <std::size_t Arity>
struct named_call {
  std::string_view name;
  const call<Arity>& value;
};

/// "conv1"_n: the name of a node. Assigning a call to it makes the node.
struct node_name {
  std::string_view text;

  template <std::size_t Arity>
  constexpr named_call<Arity> operator=(const call<Arity>& c) const {  // NOLINT
    return {text, c};
  }
};

inline namespace literals {
constexpr node_name operator""_n(const char* text, std::size_t size) { return {{text, size}}; }
}  // namespace literals

/// The base of all ops: their identity, and how a model calls them.
template <class Self, op_kind Kind, class Options>
struct op_base {
  using options = Options;
  static constexpr op_kind kind = Kind;

  /// The identity: an address, so that it can be compared in constant expressions.
  static constexpr op_id id() { return identity_of<Self>; }

  /// Without an input: an element of a sequential.
  constexpr call<0> operator()(const Options& o = {}) const { return {id(), attributes{o}, {}}; }

  constexpr call<1> operator()(node_name x, const Options& o = {}) const {
    return {id(), attributes{o}, {x.text}};
  }
};

template <class Self, class Options = no_options>
using module_op = op_base<Self, op_kind::module, Options>;

template <class Self, class Options = no_options>
using function_op = op_base<Self, op_kind::function, Options>;

/// A method of tensors, which PyTorch's specs call by its bare name.
template <class Self, class Options = no_options>
using method_op = op_base<Self, op_kind::method, Options>;

/// Inserted into graphs by passes.
template <class Self, class Options = no_options>
using pass_op = op_base<Self, op_kind::pass, Options>;

/// "out"_n = nn::output("boxes"_n, "scores"_n): what the model returns; a tuple, if several.
template <class Self, class Options = no_options>
struct output_op : op_base<Self, op_kind::output, Options> {
  template <std::same_as<node_name>... Name>
  constexpr call<sizeof...(Name)> operator()(Name... x) const {
    return {this->id(), {}, {x.text...}};
  }
};

/// The options of a placeholder and of a parameter.
struct given_tensor {
  ctq::shape shape{};
  int type = static_cast<int>(dtype::float32);  // a dtype
};

/// "pos"_n = nn::get_attr({1, 197, 192}): a parameter or buffer that is an operand, by its shape;
/// nn::get_attr({}) is a scalar. The node has the same name. With nn::get_attr({3}, ctq::i64) its
/// elements, which are stored as float32, are integers.
template <class Self, class Options = no_options>
struct get_attr_op : op_base<Self, op_kind::get_attr, Options> {
  constexpr call<0> operator()(ctq::shape s) const { return {this->id(), attributes{s}, {}}; }
  constexpr call<0> operator()(ctq::shape s, dtype type) const {
    return {this->id(), attributes{given_tensor{s, static_cast<int>(type)}}, {}};
  }
};

/// "x"_n = nn::placeholder({1, 3, 224, 224}): an input of the model, by its shape.
/// "words"_n = nn::placeholder({1, 64}, ctq::i64): an input of indices, which embeddings read.
template <class Self, class Options = no_options>
struct placeholder_op : op_base<Self, op_kind::placeholder, Options> {
  constexpr call<0> operator()(ctq::shape s) const { return {this->id(), attributes{s}, {}}; }
  constexpr call<0> operator()(ctq::shape s, dtype type) const {
    return {this->id(), attributes{given_tensor{s, static_cast<int>(type)}}, {}};
  }
};

/// Whether x is finite and has no fraction; numbers from 2^23 on have none.
[[nodiscard]] constexpr bool is_integer(float x) {
  const float size = x < 0.0F ? -x : x;
  if (size >= 0x1p23F) return size < __builtin_huge_valf();
  return x == x && x == static_cast<float>(static_cast<int>(x));
}

/// The number in a call such as x + 0.5, of a function of two tensors. It takes the place of the
/// options.
struct scalar_operand {
  float value{};
  int position{};  // 1: before the tensor, 2: after it; 0: there is no number
};

/// Functions of two tensors, or of a tensor and a number.
template <class Self, class Options = no_options>
struct binary_op : function_op<Self, Options> {
  constexpr call<2> operator()(node_name a, node_name b, const Options& o = {}) const {
    return {this->id(), attributes{o}, {a.text, b.text}};
  }
  constexpr call<1> operator()(node_name a,
                               float b) const requires std::same_as<Options, no_options> {
    return {this->id(), attributes{scalar_operand{b, 2}}, {a.text}};
  }
  constexpr call<1> operator()(float a,
                               node_name b) const requires std::same_as<Options, no_options> {
    return {this->id(), attributes{scalar_operand{a, 1}}, {b.text}};
  }
};

/// Modules of one or two tensors.
template <class Self, class Options = no_options>
struct one_or_two_inputs : module_op<Self, Options> {
  using module_op<Self, Options>::operator();
  constexpr call<2> operator()(node_name a, node_name b, const Options& o = {}) const {
    return {this->id(), attributes{o}, {a.text, b.text}};
  }
};

/// Modules of one, two or three tensors.
template <class Self, class Options = no_options>
struct up_to_three_inputs : one_or_two_inputs<Self, Options> {
  using one_or_two_inputs<Self, Options>::operator();
  constexpr call<3> operator()(node_name a, node_name b, node_name c, const Options& o = {}) const {
    return {this->id(), attributes{o}, {a.text, b.text, c.text}};
  }
};

/// Functions whose parameters are arguments: F.linear(x, weight, bias). Without a bias they have
/// two tensors, norms without parameters have one.
template <class Self, class Options = no_options>
struct weighted_function {
  using options = Options;
  static constexpr op_kind kind = op_kind::function;
  static constexpr op_id id() { return identity_of<Self>; }

  constexpr call<1> operator()(node_name x, const Options& o = {}) const {
    return {id(), attributes{o}, {x.text}};
  }
  constexpr call<2> operator()(node_name x, node_name weight, const Options& o = {}) const {
    return {id(), attributes{o}, {x.text, weight.text}};
  }
  constexpr call<3> operator()(node_name x, node_name weight, node_name bias,
                               const Options& o = {}) const {
    return {id(), attributes{o}, {x.text, weight.text, bias.text}};
  }
};

/// Functions of any number of tensors: fn::cat({"a"_n, "b"_n}, {.dim = 1}).
template <class Self, class Options = no_options>
struct list_op : function_op<Self, Options> {
  template <std::size_t Arity>
  constexpr call<Arity> operator()(const node_name (&x)[Arity], const Options& o = {}) const {
    call<Arity> c{this->id(), attributes{o}, {}};
    for (std::size_t i = 0; i < Arity; ++i) c.args[i] = x[i].text;
    return c;
  }
};

/// The op's identity; null if it is not an op.
template <class Op>
constexpr op_id id_or_null(const Op&) {
  if constexpr (requires { op_id{Op::id()}; })
    return Op::id();
  else
    return nullptr;
}

}  // namespace ctq
