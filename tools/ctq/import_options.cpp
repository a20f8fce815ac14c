// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "import_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

#include "cpp_writer.hpp"
#include "ctq/json/number.hpp"
#include "ctq/ops/builtin_ops.hpp"

namespace tool {

namespace {

using ctq::argument;
using kind = ctq::argument::kind;

// ---- the options of each op: names are PyTorch's

/// An option: where it lies, and its place among the arguments of the function.
template <class Options, class T>
struct field {
  std::string_view name;
  T Options::*member;
  int position = -1;      // -1: behind the one before
  bool is_found = false;  // taken from the input, so that nobody has to write it
};

template <class Options>
inline constexpr auto fields_of = std::tuple<>{};

template <>
inline constexpr auto fields_of<ctq::conv2d_options> = [] {
  using o = ctq::conv2d_options;
  return std::tuple{field{"in_channels", &o::in_channels, -1, true},
                    field{"out_channels", &o::out_channels},
                    field{"kernel_size", &o::kernel_size},
                    field{"stride", &o::stride},
                    field{"padding", &o::padding},
                    field{"dilation", &o::dilation},
                    field{"groups", &o::groups},
                    field{"bias", &o::bias}};
}();

template <>
inline constexpr auto fields_of<ctq::linear_options> = [] {
  using o = ctq::linear_options;
  return std::tuple{field{"in_features", &o::in_features, -1, true},
                    field{"out_features", &o::out_features}, field{"bias", &o::bias}};
}();

template <>
inline constexpr auto fields_of<ctq::batch_norm2d_options> = [] {
  using o = ctq::batch_norm2d_options;
  return std::tuple{field{"num_features", &o::num_features, -1, true}, field{"eps", &o::eps}};
}();

template <>
inline constexpr auto fields_of<ctq::max_pool2d_options> = [] {
  using o = ctq::max_pool2d_options;
  return std::tuple{field{"kernel_size", &o::kernel_size}, field{"stride", &o::stride},
                    field{"padding", &o::padding}, field{"dilation", &o::dilation},
                    field{"ceil_mode", &o::ceil_mode}};
}();

template <>
inline constexpr auto fields_of<ctq::avg_pool2d_options> = [] {
  using o = ctq::avg_pool2d_options;
  return std::tuple{field{"kernel_size", &o::kernel_size}, field{"stride", &o::stride},
                    field{"padding", &o::padding}, field{"ceil_mode", &o::ceil_mode},
                    field{"count_include_pad", &o::count_include_pad}};
}();

template <>
inline constexpr auto fields_of<ctq::adaptive_avg_pool2d_options> =
    std::tuple{field{"output_size", &ctq::adaptive_avg_pool2d_options::output_size}};

template <>
inline constexpr auto fields_of<ctq::flatten_options> =
    std::tuple{field{"start_dim", &ctq::flatten_options::start_dim},
               field{"end_dim", &ctq::flatten_options::end_dim}};

template <>
inline constexpr auto fields_of<ctq::nn_flatten_options> =
    std::tuple{field{"start_dim", &ctq::nn_flatten_options::start_dim},
               field{"end_dim", &ctq::nn_flatten_options::end_dim}};

template <>
inline constexpr auto fields_of<ctq::cat_options> =
    std::tuple{field{"dim", &ctq::cat_options::dim}};

template <>
inline constexpr auto fields_of<ctq::leaky_relu_options> =
    std::tuple{field{"negative_slope", &ctq::leaky_relu_options::negative_slope}};

template <>
inline constexpr auto fields_of<ctq::elu_options> =
    std::tuple{field{"alpha", &ctq::elu_options::alpha}};

template <>
inline constexpr auto fields_of<ctq::hardtanh_options> =
    std::tuple{field{"min_val", &ctq::hardtanh_options::min_val},
               field{"max_val", &ctq::hardtanh_options::max_val}};

template <>
inline constexpr auto fields_of<ctq::clamp_options> =
    std::tuple{field{"min", &ctq::clamp_options::min}, field{"max", &ctq::clamp_options::max}};

// ---- what has no field

/// Arguments without an option in ctq: the one value that ctq's op has, or any.
bool means_nothing(std::string_view name, const argument& a) {
  if (name == "inplace" || name == "momentum" || name == "p" || name == "device" || name == "dtype")
    return true;
  if (name == "padding_mode") return a.is == kind::text && a.text == "zeros";
  if (name == "affine" || name == "track_running_stats")
    return a.is == kind::boolean && a.integer == 1;
  if (name == "return_indices" || name == "training")
    return a.is == kind::boolean && a.integer == 0;
  if (name == "divisor_override" || name == "out") return a.is == kind::none;
  if (name == "alpha") return a.is == kind::integer && a.integer == 1;
  return false;
}

// ---- one value

bool read(const argument* a, int& out) {
  if (a->is != kind::integer) return false;
  out = static_cast<int>(a->integer);
  return out == a->integer;
}
bool read(const argument* a, ctq::flag& out) {
  out = a->integer != 0;
  return a->is == kind::boolean;
}
/// A finite number. Real numbers are rounded as PyTorch rounds them, but not to infinity or zero;
/// integers beyond those that floats hold exactly are refused.
bool read(const argument* a, float& out) {
  constexpr std::int64_t exact = std::int64_t{1} << 24;
  if (a->is == kind::integer) {
    out = static_cast<float>(a->real);
    return -exact <= a->integer && a->integer <= exact;
  }
  if (a->is != kind::real || std::abs(a->real) > std::numeric_limits<float>::max()) return false;
  out = static_cast<float>(a->real);
  return (out != 0) == (a->real != 0);
}
bool read(const argument* a, ctq::extent2d& out) {
  if (a->is != kind::list) {
    const bool number = read(a, out.h);
    out.w = out.h;
    return number;
  }
  if (a->integer == 1) return read(a + 1, out);
  return a->integer == 2 && read(a + 1, out.h) && read(a + 2, out.w);
}

std::string code_of(int x) { return cpp_number(x); }
std::string code_of(ctq::flag x) { return x ? "true" : "false"; }
std::string code_of(ctq::extent2d x) {
  return x.h == x.w ? cpp_number(x.h) : fmt::format("{{{}, {}}}", cpp_number(x.h), cpp_number(x.w));
}
std::string code_of(float x) { return cpp_number(x); }

bool same(int a, int b) { return a == b; }
bool same(ctq::flag a, ctq::flag b) { return a.value == b.value; }
bool same(float a, float b) { return a == b; }
bool same(ctq::extent2d a, ctq::extent2d b) { return a == b; }

// ---- all of a call

/// An argument, and where the next one stands.
struct placed {
  const argument* value;
  std::string_view name;
  int position;
  bool used = false;
};

std::vector<placed> placed_arguments(ctq::view<argument> arguments, int first) {
  std::vector<placed> all;
  for (int at = 0; at < arguments.size();) {
    const argument& a = arguments[at];
    all.push_back({&a, a.keyword, a.keyword.empty() ? first++ : -1});
    int rest = 1;  // this one, and the elements of lists, which may be lists
    while (rest > 0) {
      const argument& e = arguments[at++];
      rest += e.is == kind::list ? static_cast<int>(e.integer) - 1 : -1;
    }
  }
  return all;
}

std::string shown(const argument& a) {
  switch (a.is) {
    case kind::none: return "None";
    case kind::boolean: return a.integer != 0 ? "True" : "False";
    case kind::integer: return fmt::to_string(a.integer);
    case kind::real: return fmt::to_string(a.real);
    case kind::text: return fmt::format("\"{}\"", a.text);
    case kind::list: return "a list";
    case kind::node: return "a tensor";
  }
  return {};
}

/// PyTorch has no stride of 0; among ctq's options it means a default.
template <class T>
bool is_zero_stride(std::string_view name, const T& value) {
  if constexpr (std::is_same_v<T, ctq::extent2d>)
    return name == "stride" && (value.h == 0 || value.w == 0);
  else
    return false;
}

/// A stride that is the window itself says nothing, however it is written.
void forget_default_stride(auto& options) {
  if constexpr (requires { options.stride, options.kernel_size, options.ceil_mode; })
    if (options.stride == options.kernel_size) options.stride = 0;
}

template <class Options>
imported_options import_fields(std::vector<placed> arguments) {
  imported_options out;
  Options options;
  int position = 0;
  const auto take = [&](const auto& f) {
    position = f.position >= 0 ? f.position : position + 1;
    for (placed& a : arguments) {
      if (a.used || (a.name.empty() ? a.position != position : a.name != f.name)) continue;
      a.used = true;
      if (a.value->is != kind::none &&
          (!read(a.value, options.*f.member) || is_zero_stride(f.name, options.*f.member)))
        out.problem = fmt::format("cannot have {} = {}", f.name, shown(*a.value));
    }
  };
  std::apply([&](const auto&... f) { (take(f), ...); }, fields_of<Options>);
  for (const placed& a : arguments) {
    if (a.used || (!a.name.empty() && means_nothing(a.name, *a.value))) continue;
    if (a.name.empty() && a.value->is == kind::boolean) continue;  // inplace, or training
    out.problem = a.name.empty() ? fmt::format("reads {}, which is no tensor", shown(*a.value))
                                 : fmt::format("cannot have {} = {}", a.name, shown(*a.value));
  }
  out.attrs = ctq::attributes{options};
  forget_default_stride(options);
  const Options defaults;
  const auto write = [&](const auto& f) {
    if (f.is_found || same(options.*f.member, defaults.*f.member)) return;
    out.code += fmt::format("{}.{} = {}", out.code.empty() ? "{" : ", ", f.name,
                            code_of(options.*f.member));
  };
  std::apply([&](const auto&... f) { (write(f), ...); }, fields_of<Options>);
  if (!out.code.empty()) out.code += "}";
  return out;
}

struct op_entry {
  ctq::op_id op;
  std::string_view builder;
  imported_options (*read)(std::vector<placed>);
};

namespace nn = ctq::nn;
namespace nni = ctq::nni;
namespace nnqat = ctq::nnqat;
namespace nniqat = ctq::nniqat;
namespace nnqr = ctq::nnqr;
namespace fn = ctq::fn;
namespace op = ctq::op;
namespace method = ctq::method;

constexpr op_entry entries[] = {
#define TOOL_ENTRY(space, base, identifier, ...)    \
  {space::identifier.id(), #space "::" #identifier, \
   import_fields<decltype(space::identifier)::options>},
    CTQ_NAMED_OPS(TOOL_ENTRY)
#undef TOOL_ENTRY
};

const op_entry* find(ctq::op_id op) {
  for (const op_entry& e : entries)
    if (e.op == op) return &e;
  return nullptr;
}

}  // namespace

std::string_view builder_of(ctq::op_id op) {
  const op_entry* const e = find(op);
  return e == nullptr ? std::string_view{} : e->builder;
}

imported_options import_options(ctq::op_id op, ctq::view<argument> arguments, int first) {
  const op_entry* const e = find(op);
  const auto read_fields = e == nullptr ? import_fields<ctq::no_options> : e->read;
  return read_fields(placed_arguments(arguments, first));
}

}  // namespace tool
