// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "ctq/backends/qnnpack.hpp"
#include "ctq/passes/plan.hpp"
#include "graphs.hpp"
#include "random_configs.hpp"
#include "to_static.hpp"

// The compiler keeps what a pass returns in arrays of a size that is known beforehand, and goes on
// from these; a program goes on from lists. Both come to the same plan, field by field, and the
// arrays have room: for a few models that are constants, and for random ones.

using namespace ctq;
using namespace ctq::literals;
using namespace random_configs;

namespace {

using scheduling::layers;

/// What all that a schedule decides differs in; empty if nothing does.
std::string difference(const dynamic_schedule& a, const auto& b) {
  if (a.problem.message() != b.problem.message()) return "another problem";
  if (static_cast<int>(a.steps.size()) != b.count) return "another number of steps";
  if (static_cast<int>(a.observations.size()) != b.observation_count)
    return "another number of observations";
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    const step& x = a.steps[i];
    const step& y = b.steps[i];
    if (x.signature != y.signature || x.node != y.node || !std::ranges::equal(x.in, y.in) ||
        x.out != y.out || !std::ranges::equal(x.in_observer, y.in_observer) ||
        x.out_observer != y.out_observer || x.fused_node != y.fused_node ||
        x.fused_observer != y.fused_observer || x.clamp_node != y.clamp_node)
      return "step " + std::to_string(i);
  }
  for (std::size_t i = 0; i < a.observations.size(); ++i) {
    const observation_point& x = a.observations[i];
    const observation_point& y = b.observations[i];
    if (x.after_step != y.after_step || x.observer != y.observer || x.node != y.node ||
        x.where != y.where)
      return "observation " + std::to_string(i);
  }
  bool doors = a.input_count == b.input_count && a.output_count == b.output_count;
  for (int i = 0; doors && i < a.input_count; ++i) doors = a.inputs[i] == b.inputs[i];
  for (int i = 0; doors && i < a.output_count; ++i) doors = a.outputs[i] == b.outputs[i];
  if (!doors) return "the doors";
  return a.arena_bytes == b.arena_bytes ? "" : "the size of the arena";
}

/// The dynamic way: each pass reads the list of the one before.
struct by_lists {
  by_lists(graph_view<stage::traced> g, const backend_view& backend, const mapping_view& mapping)
      : fused(fuse(g, backend)),
        prepared(prepare_graph(fused.view(), backend, mapping, unsupported::skip)),
        reference(convert_graph(prepared.view(), backend, mapping)),
        lowered(lower(reference.view())) {}

  dynamic_graph<stage::fused> fused;
  dynamic_graph<stage::prepared> prepared;
  dynamic_graph<stage::reference> reference;
  dynamic_graph<stage::lowered> lowered;
};

/// The first stage in which the plan is another; empty if there is none.
template <class Frozen>
std::string first_difference(const by_lists& lists, const Frozen& fused, const auto& prepared,
                             const auto& lowered, const auto& observed, const auto& int8) {
  const auto in = [](const char* stage, const std::string& what) {
    return what.empty() ? "" : std::string(stage) + ": " + what + "; ";
  };
  return in("fused", graphs::difference(lists.fused.view(), fused.view())) +
         in("prepared", graphs::difference(lists.prepared.view(), prepared.view())) +
         in("lowered", graphs::difference(lists.lowered.view(), lowered.view())) +
         in("observed schedule", difference(schedule(lists.prepared.view()), observed)) +
         in("int8 schedule", difference(schedule(lists.lowered.view(), layers::fused), int8));
}

// --- Constants ---------------------------------------------------------------------------------

inline constexpr auto chain =
    model("x"_n = nn::placeholder({1, 1, 12, 12}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 3}),
          "norm"_n = nn::batch_norm2d("conv"_n), "relu"_n = nn::relu("norm"_n),
          "pool"_n = nn::max_pool2d("relu"_n, {.kernel_size = 2}),
          "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
          "fc"_n = nn::linear("flat"_n, {.out_features = 4}), "out"_n = nn::output("fc"_n));

inline constexpr auto residual =
    model("x"_n = nn::placeholder({2, 4, 6, 6}),
          "a"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3, .padding = 1}),
          "b"_n = nn::batch_norm2d("a"_n), "sum"_n = op::add("b"_n, "x"_n),
          "relu"_n = fn::relu("sum"_n), "cat"_n = fn::cat({"relu"_n, "x"_n, "sum"_n}, {.dim = 1}),
          "mean"_n = nn::adaptive_avg_pool2d("cat"_n, {.output_size = 2}),
          "out"_n = nn::output("mean"_n));

inline constexpr auto dead_end = model(
    "x"_n = nn::placeholder({1, 2, 4, 4}), "relu"_n = fn::torch_relu("x"_n),
    "dead"_n = nn::conv2d("relu"_n, {.out_channels = 2, .kernel_size = 1}),
    "norm"_n = nn::batch_norm2d("relu"_n), "act"_n = nn::relu("norm"_n),
    "wide"_n = nn::linear("act"_n, {.out_features = 3}), "twice"_n = fn::add("wide"_n, "wide"_n),
    "swish"_n = own::swish("twice"_n), "out"_n = nn::output("swish"_n));

struct everywhere : qconfig_mapping<global<random_mapping::usual>> {};
struct but_sums
    : everywhere::set<object_type<op::add, random_mapping::narrow>, allow_float<"norm">> {};

template <const auto& Model, class Backend, class Mapping>
std::string difference_of_constant() {
  constexpr auto skip = unsupported::skip;
  const by_lists lists(Model.view(), backend_v<Backend>, mapping_v<Mapping>);
  const std::string reference =
      graphs::difference(lists.reference.view(), reference_v<Model, Backend, Mapping, skip>.view());
  if (!reference.empty()) return "reference: " + reference;
  return first_difference(lists, fused_v<Model, Backend>, prepared_v<Model, Backend, Mapping, skip>,
                          lowered_v<Model, Backend, Mapping, skip>,
                          prepared_schedule_v<Model, Backend, Mapping, skip>,
                          lowered_schedule_v<Model, Backend, Mapping, skip>);
}

TEST_CASE("the compiler and a program make the same plan of a constant") {
  CHECK(difference_of_constant<chain, x86, everywhere>() == "");
  CHECK(difference_of_constant<residual, x86, everywhere>() == "");
  CHECK(difference_of_constant<residual, no_fusion, but_sums>() == "");
  CHECK(difference_of_constant<dead_end, with_trees, but_sums>() == "");
}

// --- Options -------------------------------------------------------------------------------------

constexpr int first[] = {0};
constexpr op_info seen{op_kind::module, "my.Seen"};
constexpr op_info integers{op_kind::module, "my.Integers"};
constexpr mapping_view inside = mapping_v<everywhere>;
constexpr backend_view other_backend = backend_v<qnnpack>;

struct training : plan_options {
  static constexpr bool is_qat = true;
};
struct quantized_ends : plan_options {
  static constexpr prepare_custom_config prepare{.input_quantized_indexes = {first, 1},
                                                 .output_quantized_indexes = {first, 1}};
};
struct old_quantized_ends : quantized_ends {
  static constexpr auto semantics = ctq::semantics::torch_1_13;
};
struct as_1_13 : plan_options {
  static constexpr auto semantics = ctq::semantics::torch_1_13;
};
struct standalone : plan_options {
  static constexpr standalone_module modules[] = {
      {.name = "pool", .custom = {.output_quantized_indexes = {first, 1}}},
      {.type = nn::linear.id(),
       .mapping = &inside,
       .backend = &other_backend,
       .custom = {.input_quantized_indexes = {first, 1}}}};
  static constexpr prepare_custom_config prepare{.standalone = {modules, 2}};
};
struct custom : plan_options {
  static constexpr custom_module observed[] = {{.float_class = nn::linear.id(), .observed = &seen}};
  static constexpr custom_module quantized[] = {{.observed = &seen, .quantized = &integers}};
  static constexpr prepare_custom_config prepare{.custom_modules = {observed, 1}};
  static constexpr convert_custom_config convert{.custom_modules = {quantized, 1}};
};
struct but_fc : everywhere::set<module_name<"fc", random_mapping::usual>> {};
struct convert_but_fc : everywhere::set<module_name<"fc", qconfig_none>> {};
struct convert_without_fc : plan_options {
  using convert_mapping = convert_but_fc;
};
struct convert_with_less : plan_options {
  using convert_mapping = everywhere;
};

/// A program and the compiler, told the same.
template <const auto& Model, class Backend, class Mapping, class Options>
std::string difference_with() {
  constexpr auto skip = unsupported::skip;
  const mapping_view mapping = mapping_v<Mapping>;
  const backend_view backend = backend_v<Backend>;
  const prepare_options told{.semantics = Options::semantics,
                             .policy = skip,
                             .is_qat = Options::is_qat,
                             .custom = Options::prepare};
  convert_options told_convert{.semantics = Options::semantics, .prepared = told};
  told_convert.custom = Options::convert;
  if constexpr (!std::is_void_v<typename Options::convert_mapping>)
    told_convert.mapping = &mapping_v<typename Options::convert_mapping>;
  const auto fused = fuse(Model.view(), backend, {Options::semantics, Options::is_qat});
  const auto prepared = prepare_graph(fused.view(), backend, mapping, told);
  const auto reference = convert_graph(prepared.view(), backend, mapping, told_convert);
  const auto lowered = lower(reference.view(), {.semantics = Options::semantics});

  using check = graph_plan_check<Model, Backend, Mapping, skip, Options>;
  const diagnostic& problem = prepared.problem.any() ? prepared.problem : reference.problem;
  if (problem.message() != check::found.message()) return "another problem";
  const auto in = [](const char* stage, const std::string& what) {
    return what.empty() ? "" : std::string(stage) + ": " + what + "; ";
  };
  return in("fused", graphs::difference(fused.view(), fused_v<Model, Backend, Options>.view())) +
         in("prepared",
            graphs::difference(prepared.view(),
                               prepared_v<Model, Backend, Mapping, skip, Options>.view())) +
         in("reference",
            graphs::difference(reference.view(),
                               reference_v<Model, Backend, Mapping, skip, Options>.view())) +
         in("lowered",
            graphs::difference(lowered.view(),
                               lowered_v<Model, Backend, Mapping, skip, Options>.view()));
}

TEST_CASE("the compiler and a program make the same plan with the same options") {
  CHECK(difference_with<chain, x86, everywhere, plan_options>() == "");
  CHECK(difference_with<chain, x86, everywhere, training>() == "");
  CHECK(difference_with<residual, x86, everywhere, training>() == "");
  CHECK(difference_with<chain, x86, everywhere, quantized_ends>() == "");
  CHECK(difference_with<residual, x86, everywhere, old_quantized_ends>() == "");
  CHECK(difference_with<chain, x86, everywhere, as_1_13>() == "");
  CHECK(difference_with<dead_end, with_trees, but_sums, as_1_13>() == "");
  CHECK(difference_with<chain, x86, everywhere, standalone>() == "");
  CHECK(difference_with<chain, x86, everywhere, custom>() == "");
  CHECK(difference_with<chain, x86, but_fc, convert_without_fc>() == "");
  CHECK(difference_with<chain, x86, but_fc, convert_with_less>() == "");
}

// The options have their effects.
template <class Options, class Mapping = everywhere>
using told = graph_plan<chain, x86, Mapping, unsupported::error, Options>;
template <class Graph>
constexpr op_id op_at(const Graph& g, std::string_view name) {
  return g.nodes[find(g.view(), name)].op;
}
static_assert(op_at(told<training>::fused, "conv") == nni::conv_bn_relu2d.id());
static_assert(op_at(told<training>::prepared, "conv") == nniqat::conv_bn_relu2d.id());
static_assert(told<quantized_ends>::prepared.nodes[0].dtype == quint8);
static_assert(told<quantized_ends>::lowered.nodes[0].dtype == quint8);
static_assert(op_at(told<custom>::prepared, "fc") == &seen);
static_assert(op_at(told<custom>::reference, "fc") == &integers);
static_assert(op_at(told<standalone>::lowered, "pool") == nn::max_pool2d.id());
static_assert(told<convert_without_fc, but_fc>::lowered
                  .nodes[find(told<convert_without_fc, but_fc>::lowered.view(), "fc")]
                  .dtype == f32);
template <class Options, class Mapping = everywhere>
constexpr std::string_view refused =
    plan_check<chain, x86, Mapping, unsupported::error, Options>::found.message();
static_assert(refused<convert_with_less, but_fc>.starts_with("the qconfig_mapping of convert"));
static_assert(refused<convert_without_fc, but_fc>.empty());
static_assert(refused<as_1_13>.empty());
static_assert(refused<quantized_ends>.empty());
static_assert(refused<training>.empty());

// Compiled code does not take all of them.
static_assert(refused<standalone>.find("standalone module\nnode: pool") != std::string_view::npos);
static_assert(refused<custom> == "no kernel for node fc:\nmy.Seen");

// --- Random models -----------------------------------------------------------------------------

/// Room for every random model, and for all that stages of plan.hpp allow a pass to add.
constexpr std::size_t most_nodes = 100;
constexpr std::size_t most_args = 2 * most_nodes;
constexpr std::size_t most_observed = 2 * most_nodes + most_args;

/// Is there room for what a pass made, by the bounds of plan.hpp?
template <stage Stage>
bool fits(const dynamic_graph<Stage>& g, std::size_t nodes, std::size_t args) {
  return g.nodes.size() <= nodes && g.args.size() <= args;
}

/// The static way at run time, as in plan.hpp: each pass reads the array of the one before.
struct by_arrays {
  by_arrays(const dynamic_graph<stage::traced>& g, const backend_view& backend,
            const mapping_view& mapping) {
    traced = to_static<most_nodes, most_args>(g);
    const dynamic_graph<stage::fused> f = fuse(traced.view(), backend);
    has_room = fits(f, g.nodes.size(), g.args.size());
    fused = to_static<most_nodes, most_args>(f);

    std::array<int, most_nodes> qconfigs{};
    const list<int> found = resolve_qconfigs(fused.view(), mapping);
    for (std::size_t i = 0; i < found.size(); ++i) qconfigs[i] = found[i];
    const dynamic_graph<stage::prepared> p =
        prepare_graph(fused.view(), backend, mapping, list<int>(qconfigs.data(), found.size()),
                      {.policy = unsupported::skip});
    const std::size_t observers = f.nodes.size() + f.args.size();
    has_room = has_room && fits(p, f.nodes.size() + observers, f.args.size() + observers);
    prepared = to_static<most_observed, most_observed>(p);

    const dynamic_graph<stage::reference> r = convert_graph(prepared.view(), backend, mapping);
    has_room = has_room && fits(r, 2 * p.nodes.size(), 2 * p.args.size());
    const dynamic_graph<stage::lowered> l = lower(r.view());
    has_room = has_room && fits(l, p.nodes.size() + 2 * p.args.size(), 2 * p.args.size());
    lowered = to_static<3 * most_observed, 2 * most_observed>(l);

    const dynamic_schedule o = schedule(prepared.view());
    const dynamic_schedule i = schedule(lowered.view(), layers::fused);
    has_room = has_room && o.steps.size() <= p.nodes.size() + 2 * p.args.size() &&
               o.observations.size() <= p.nodes.size() &&
               i.steps.size() <= l.nodes.size() + 2 * l.args.size();
    observed = to_static<3 * most_observed, most_observed>(o);
    int8 = to_static<7 * most_observed, most_observed>(i);
  }

  static_graph<stage::traced, most_nodes, most_args> traced;
  static_graph<stage::fused, most_nodes, most_args> fused;
  static_graph<stage::prepared, most_observed, most_observed> prepared;
  static_graph<stage::lowered, 3 * most_observed, 2 * most_observed> lowered;
  static_schedule<3 * most_observed, most_observed> observed;
  static_schedule<7 * most_observed, most_observed> int8;
  bool has_room = false;
};

TEST_CASE("static and dynamic graphs give the same plan of a thousand random models") {
  check_random_models(1000, [](random_model& m) -> std::string {
    const random_mapping mapping(m);
    const backend_view backend = random_backend(m);
    if (!fits(m.graph(), most_nodes, most_args)) return "a larger model than the test has room for";
    const auto arrays = std::make_unique<by_arrays>(m.graph(), backend, mapping.view());
    if (!arrays->has_room) return "a pass adds more than plan.hpp has room for";
    const by_lists lists(m.graph().view(), backend, mapping.view());
    return first_difference(lists, arrays->fused, arrays->prepared, arrays->lowered,
                            arrays->observed, arrays->int8);
  });
}

}  // namespace
