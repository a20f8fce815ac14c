// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "quantize_fakes.hpp"
#include "quantize_values.hpp"
#include "suites.hpp"

// Quantize, dequantize and fake quantize with given or chosen parameters.

namespace golden {
namespace {

/// Integers and their real values, for the whole of x or one channel of it.
template <class Q>
struct quantized {
  std::vector<double> q, dq;

  void append(std::span<const float> x, const ctq::qparams& p) {
    std::vector<Q> ints(x.size());
    std::vector<float> reals(x.size());
    if constexpr (sizeof(Q) == 1) {
      const ctq::elementwise_shape shape{static_cast<int>(x.size())};
      ctq::kernels::reference::quantize(shape, x.data(), p, ints.data());
      ctq::kernels::reference::dequantize(shape, ints.data(), p, reals.data());
    } else {
      obs::quantize(x, p, ints);
      obs::dequantize(ints, p, reals);
    }
    q.insert(q.end(), ints.begin(), ints.end());
    dq.insert(dq.end(), reals.begin(), reals.end());
  }
};

template <class Q>
outcome compare(const suite_file& file, const json& c, const shaped_tensor& x,
                const std::vector<ctq::qparams>& channels, report& report) {
  auto q = file.numbers(c.at("q"));
  auto dq = file.numbers(c.at("dq"));
  quantized<Q> got;
  const auto one = [&](std::size_t channel, std::size_t offset, std::size_t count) {
    const auto part = std::span(x.data).subspan(offset, count);
    define(q, dq, offset, part, channels[channel], report);
    got.append(part, channels[channel]);
  };
  if (channels.size() == 1)
    one(0, 0, x.data.size());
  else
    obs::for_each_slice(x.shape, x.axis, one);
  return outcome::of(difference("q", q, got.q) + difference("dq", dq, got.dq));
}

outcome compare(const suite_file& file, const json& c, const shaped_tensor& x,
                const std::vector<ctq::qparams>& channels, ctq::dtype dtype, report& report) {
  switch (dtype) {
    case ctq::quint8: return compare<std::uint8_t>(file, c, x, channels, report);
    case ctq::qint8: return compare<std::int8_t>(file, c, x, channels, report);
    case ctq::qint32: return compare<std::int32_t>(file, c, x, channels, report);
    default: throw malformed("tensors of " + std::string(name_of(dtype)));
  }
}

outcome per_tensor(const suite_file& file, const json& c, report& report) {
  const ctq::dtype dtype = dtype_from(c.at("dtype"));
  const auto p =
      qparams_from(number(file, c.at("scale")), number(file, c.at("zero_point")), range_of(dtype));
  return compare(file, c, {file.read(c.at("x")), 0}, {p}, dtype, report);
}

outcome per_channel(const suite_file& file, const json& c, report& report) {
  const ctq::dtype dtype = dtype_from(c.at("dtype"));
  const shaped_tensor x(file.read(c.at("x")), integer<int>(c.at("axis")));
  return compare(file, c, x, channels_of(file, c, x, range_of(dtype)), dtype, report);
}

outcome dynamic(const suite_file& file, const json& c, report& report) {
  const ctq::dtype dtype = dtype_from(c.at("dtype"));
  const shaped_tensor x(file.read(c.at("x")), 0);
  const bool reduce = c.at("reduce_range").get<bool>() && c.at("engine") != "qnnpack";
  const auto seen = obs::aminmax(x.data);
  const auto chosen = obs::choose_qparams(seen.min, seen.max,
                                          reduce ? obs::reduced(range_of(dtype)) : range_of(dtype));
  const std::string why =
      difference("scale", file.numbers(c.at("scale")), {chosen.scale}) +
      difference("zero_point", file.numbers(c.at("zero_point")), {double(chosen.zero_point)});
  if (!why.empty()) return outcome::of(why);
  const auto p = qparams_from(chosen.scale, chosen.zero_point, range_of(dtype));
  return compare(file, c, x, {p}, dtype, report);
}

/// Rows of an embedding: the parameters from the observer, the integers, and these two to a byte.
outcome float_qparams(const suite_file& file, const json& c) {
  const ctq::dtype dtype = dtype_from(c.at("dtype"));
  const shaped_tensor w(file.read(c.at("w")), 0);
  obs::any_observer observer({ctq::observer_class::per_channel_min_max,
                              {.dtype = dtype,
                               .qscheme = ctq::qscheme::per_channel_affine_float_qparams,
                               .ch_axis = w.axis}});
  observer.observe(w.data, w.shape);
  const auto p = observer.calculate_per_channel_qparams();
  if (!p) return outcome::of(p.error().message());
  std::vector<std::uint8_t> q(w.data.size());
  std::vector<float> dq(w.data.size());
  obs::quantize(w.data, w.shape, *p, q);
  obs::dequantize(q, w.shape, *p, dq);
  std::string why =
      difference("scale", file.numbers(c.at("scale")), as_doubles(p->scale)) +
      difference("zero_point", file.numbers(c.at("zero_point")), as_doubles(p->float_zero_point));
  if (!c.at("q").is_null()) why += difference("q", file.numbers(c.at("q")), as_doubles(q));
  if (!c.at("packed").is_null()) {
    std::vector<std::uint8_t> packed(obs::packed_size(q.size()));
    obs::pack_quint4x2(q, packed);
    why += difference("packed", file.numbers(c.at("packed")), as_doubles(packed));
    std::vector<std::uint8_t> unpacked(q.size());
    obs::unpack_quint4x2(packed, unpacked);
    why += difference("unpacked", as_doubles(q), as_doubles(unpacked));
  }
  return outcome::of(why + difference("dq", file.numbers(c.at("dq")), as_doubles(dq)));
}

}  // namespace

void run_quantize(const suite_file& file, ctq::semantics semantics, report& report) {
  for (const auto& [kind, cases] : file.doc().items()) {
    if (!cases.is_array()) continue;
    report.run(file, kind, [&](const json& c) {
      if (kind == "per_tensor") return per_tensor(file, c, report);
      if (kind == "per_channel") return per_channel(file, c, report);
      if (kind == "dynamic") return dynamic(file, c, report);
      if (kind == "float_qparams" || kind == "quint4x2") return float_qparams(file, c);
      if (kind == "fake_per_tensor") return fake_per_tensor(file, c, range_from(c), report);
      if (kind == "fake_per_channel") return fake_per_channel(file, c, report);
      if (kind == "fixed_qparams_fq")
        return fake_per_tensor(file, c, range_of(ctq::quint8), report);
      if (kind == "learnable_per_tensor") return learnable_per_tensor(file, c, report);
      if (kind == "learnable_per_channel") return learnable_per_channel(file, c, report);
      if (kind == "fused_moving_avg") return fake_quantize_module(file, c, semantics, report);
      return outcome::not_covered(kind);
    });
  }
}

}  // namespace golden
