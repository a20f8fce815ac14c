// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <cstddef>
#include <type_traits>

#include "ctq/backends/default_qconfigs.hpp"
#include "ctq/backends/op_categories.hpp"
#include "ctq/core/diagnostic.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// The default qconfig mappings of PyTorch 2.1, for post-training quantization and for
// quantization-aware training:
//   struct mine : default_qconfig_mapping<x86>::set<module_name<"head", qconfig_none>> {};

namespace ctq {

namespace mapping_parts {

using categories::treatment;

/// A qconfig with another observer for the weight.
template <class QConfig, class Weight>
struct with_weight {
  static constexpr bool quantizes = true;
  static constexpr qconfig_record value{QConfig::value.activation, Weight::value};
};

/// The ops with separate entries in every default mapping, in PyTorch's order. Norms and PReLU have
/// kernels for these weights only; fixed ranges need no observer.
template <class Reshape, class ConvTranspose, class NormWeight, class PRelu, class From0To1,
          class FromNeg1To1>
struct treatments {
  template <class Treated>
  using entries_of = std::conditional_t<
      Treated::how == treatment::as_global, boost::mp11::mp_list<>,
      boost::mp11::mp_list<typename Treated::template mapped_to<
          boost::mp11::mp_at_c<boost::mp11::mp_list<Reshape, void, ConvTranspose, NormWeight, PRelu,
                                                    From0To1, FromNeg1To1>,
                               static_cast<std::size_t>(Treated::how)>>>>;
};

template <class Global, class... QConfig>
using table = boost::mp11::mp_apply<
    qconfig_mapping, boost::mp11::mp_push_front<
                         boost::mp11::mp_flatten<boost::mp11::mp_transform<
                             treatments<QConfig...>::template entries_of, categories::treated_ops>>,
                         global<Global>>>;

using fixed_0to1 = qconfig<default_fixed_qparams_range_0to1_observer, default_weight_observer>;
using fixed_neg1to1 =
    qconfig<default_fixed_qparams_range_neg1to1_observer, default_weight_observer>;
using qat_fixed_0to1 =
    qconfig<default_fixed_qparams_range_0to1_fake_quant, default_weight_fake_quant>;
using qat_fixed_neg1to1 =
    qconfig<default_fixed_qparams_range_neg1to1_fake_quant, default_weight_fake_quant>;

template <class Backend, class QConfig, class PerTensor>
using conv_transpose = std::conditional_t<qconfig_parts::traits<Backend>.per_tensor_conv_transpose,
                                          with_weight<QConfig, PerTensor>, QConfig>;

template <class Backend, class QConfig, class PerTensor, class From0To1, class FromNeg1To1>
using of_backend =
    table<QConfig, default_reuse_input_qconfig, conv_transpose<Backend, QConfig, PerTensor>,
          with_weight<QConfig, default_placeholder_observer>, default_quint8_weight_qconfig,
          From0To1, FromNeg1To1>;

/// One qconfig, except for fixed ranges.
template <class QConfig, class From0To1, class FromNeg1To1>
using uniform = table<QConfig, QConfig, QConfig, QConfig, QConfig, From0To1, FromNeg1To1>;

}  // namespace mapping_parts

/// get_default_qconfig_mapping(backend)
template <class Backend>
struct default_qconfig_mapping
    : mapping_parts::of_backend<Backend, default_qconfig_of<Backend>, default_weight_observer,
                                mapping_parts::fixed_0to1, mapping_parts::fixed_neg1to1> {};

/// A backend that has none: using it as a mapping is a compile error that says so.
template <class Backend>
requires(!has_engine_defaults<Backend>) struct default_qconfig_mapping<Backend> {
  static constexpr mapping_view records{};
  static constexpr diagnostic problem = diagnostic{}
                                            .line("no default QConfigMapping for")
                                            .line("backend: ", backend_v<Backend>.name)
                                            .line("PyTorch has one for fbgemm, x86,")
                                            .line("qnnpack and onednn: name a mapping,")
                                            .line("or specialize ctq::engine_defaults");
};

/// get_default_qat_qconfig_mapping(backend, version)
template <class Backend, int Version = 1>
struct default_qat_qconfig_mapping
    : mapping_parts::of_backend<Backend, default_qat_qconfig_of<Backend, Version>,
                                default_weight_fake_quant, mapping_parts::qat_fixed_0to1,
                                mapping_parts::qat_fixed_neg1to1> {};

/// For XNNPACK via the qnnpack backend: signed activations, also where the default of qnnpack
/// shares the input's observer or keeps a weight in float (_get_symmetric_qnnpack_qconfig_mapping).
struct symmetric_qnnpack_qconfig_mapping
    : mapping_parts::uniform<default_symmetric_qnnpack_qconfig, mapping_parts::fixed_0to1,
                             mapping_parts::fixed_neg1to1> {};

/// The same in training (_get_symmetric_qnnpack_qat_qconfig_mapping).
struct symmetric_qnnpack_qat_qconfig_mapping
    : mapping_parts::uniform<default_symmetric_qnnpack_qat_qconfig, mapping_parts::qat_fixed_0to1,
                             mapping_parts::qat_fixed_neg1to1> {};

}  // namespace ctq
