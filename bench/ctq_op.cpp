// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops as a compiled model runs them: each kernel with run-time extents, which steps share.

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "ctq/core/packing.hpp"
#include "ctq/kernels/reference/called_op.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "op.hpp"

namespace bench {

namespace {

namespace kernel = ctq::kernel;
using ctq::packing::padded;

/// The parameters of the first kernel in the order of a set. `data`: where layer_norm finds them.
template <class Set, ctq::kernel_signature Signature>
void pack(const op& of, ctq::step_data& data, std::byte* to) {
  using descriptor = ctq::kernels::descriptor_of<Signature.kernel>;
  using code = ctq::kernels::kernel_code<descriptor>;
  constexpr auto shape = Signature.template as<typename descriptor::shape>();
  if constexpr (Signature.kernel == kernel::elementwise) {
    if (ctq::packed_bytes<Set>(Signature) > 0)
      ctq::kernels::reference::make_table(*ctq::called_functions(Signature), {}, data.in[0],
                                          data.out, reinterpret_cast<std::uint8_t*>(to));
  } else if constexpr (Signature.kernel == kernel::layer_norm) {
    const std::size_t bytes = of.scale.size() * sizeof(float);
    data.parameters.parameters.count = 2;
    data.parameters.floats[1] = padded(bytes);
    std::memcpy(to, of.scale.data(), bytes);
    std::memcpy(to + padded(bytes), of.bias.data(), bytes);
  } else if constexpr (Signature.kernel == kernel::embedding) {
    std::memcpy(to, of.table.data(), of.table.size());
    std::memcpy(to + code::row_bytes(shape), of.scale.data(), of.scale.size() * sizeof(float));
    std::memcpy(to + code::row_bytes(shape) + ctq::packing::vector_bytes(shape.rows),
                of.bias.data(), of.bias.size() * sizeof(float));
  } else if constexpr (Signature.kernel == kernel::conv_transpose2d ||
                       Signature.kernel == kernel::conv_transpose3d) {
    code::template pack<Set, std::uint8_t>(shape, of.weight.data(), of.folded.data(),
                                           of.scale.data(), op::a.zero_point, to);
  } else if constexpr (Signature.kernel == kernel::linear_dynamic) {
    code::template pack<Set>(shape, of.weight.data(), of.scale.data(), of.bias.data(), to);
  } else if constexpr (Signature.kernel == kernel::rnn_dynamic) {
    using product = ctq::kernels::kernel_code<ctq::kernels::descriptors::linear_dynamic>;
    std::size_t weights = 0, rows = 0;
    for (const ctq::linear_shape& s : {ctq::input_product(shape, 0), ctq::state_product(shape)}) {
      product::template pack<Set>(s, of.weight.data() + weights, of.scale.data() + rows,
                                  of.bias.data() + rows, to);
      weights += static_cast<std::size_t>(s.out_features) * static_cast<std::size_t>(s.in_features);
      rows += static_cast<std::size_t>(s.out_features);
      to += padded(product::template packed_bytes<Set>(
          ctq::recurrent_product_signature(kernel::rnn_dynamic, s)));
    }
  }
}

/// An op with the memory of its kernels.
template <std::size_t Index, class Set>
class prepared_op {
  static constexpr const op_entry& entry = ops[Index];
  static constexpr auto count = static_cast<std::size_t>(entry.count);
  static constexpr std::size_t workspace_bytes() {
    std::size_t most = 0;
    for (std::size_t i = 0; i < count; ++i)
      most = std::max(most, ctq::workspace_bytes<Set>(entry.steps[i].signature));
    return most;
  }

 public:
  prepared_op(const op& of, std::byte* out)
      : packed_(ctq::packed_bytes<Set>(entry.steps[0].signature)),
        workspace_(workspace_bytes()),
        between_(static_cast<std::size_t>(entry.outputs)) {
    for (std::size_t i = 0; i < count; ++i) {
      const op_step& step = entry.steps[i];
      data_[i].in[0] = step.in[0] == place::second ? op::b : op::a;
      data_[i].in[1] = op::b;
      data_[i].out = of.out();
      data_[i].out_range = {of.out().zero_point, 0, 255};
      const auto at = [&](place p) -> std::byte* {
        if (p == place::between) return between_.data();
        return p == place::result ? out : const_cast<std::byte*>(of.input(p == place::second));
      };
      operands_[i] = {.in = {at(step.in[0]), at(step.in[1])},
                      .out = at(step.out),
                      .packed = packed_.data(),
                      .workspace = workspace_.data(),
                      .data = &data_[i]};
    }
    pack<Set, entry.steps[0].signature>(of, data_[0], packed_.data());
  }
  prepared_op(const prepared_op&) = delete;
  prepared_op& operator=(const prepared_op&) = delete;

  void run() const {
    [this]<std::size_t... I>(std::index_sequence<I...>) {
      (ctq::run_kernel<entry.steps[I].signature, Set, ctq::kernel_code_kind::shared>(operands_[I]),
       ...);
    }
    (std::make_index_sequence<count>{});
  }

 private:
  ctq::aligned_buffer packed_, workspace_, between_;
  std::array<ctq::step_data, count> data_{};
  std::array<ctq::operands, count> operands_{};
};

/// call(integral_constant<index>)
template <class Call>
auto with_index(std::size_t index, Call call) {
  return boost::mp11::mp_with_index<std::size(ops)>(index, call);
}

}  // namespace

void run_reference(const op& of, std::byte* out) {
  with_index(of.index,
             [&](auto index) { prepared_op<index, ctq::reference_kernels>(of, out).run(); });
}

subject ctq_op(const op& of) {
  return with_index(of.index, [&](auto index) -> subject {
    auto p = std::make_shared<prepared_op<index, ctq::fast_kernels>>(of, of.result());
    return {"ctq", [p] { p->run(); }, [&of] { return of.result(); }};
  });
}

}  // namespace bench
