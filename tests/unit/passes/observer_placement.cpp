// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/observer_placement.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/graph/model.hpp"
#include "graphs.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

// Which stage a graph is in makes no difference here.
using view_t = graph_view<stage::traced>;

constexpr observer_record wide{observer_class::min_max, {}};
constexpr observer_record narrow{observer_class::min_max, {.reduce_range = true}};
constexpr observer_record of_int8{observer_class::min_max, {.dtype = qint8}};
constexpr observer_record histogram{observer_class::histogram, {}};

/// Observers are added to a graph by the names of its nodes.
template <class Model>
class placed {
 public:
  explicit placed(const Model& m, semantics s = {}) : g_(m.view()), placement_(g_, s) {}

  placed& behind(const char* node, const observer_record& r = wide, int qconfig = 0) {
    placement_.add_after(find(g_, node), &r, qconfig);
    return *this;
  }
  placed& before(const char* node, int arg, const observer_record& r = wide, int qconfig = 0) {
    placement_.add_before(edge(node, arg), &r, qconfig);
    return *this;
  }
  placed& own(const char* node, int arg, const observer_record& r = wide) {
    placement_.add_own(edge(node, arg), &r, 0);
    return *this;
  }
  placed& share(const char* node) {
    placement_.share(find(g_, node));
    return *this;
  }
  [[nodiscard]] bool bare(const char* node, int arg) const {
    return placement_.is_bare(edge(node, arg));
  }
  [[nodiscard]] dynamic_graph<stage::prepared> write() const {
    dtype_plan<view_t> in_float;
    resize(in_float.dtypes, g_.count);
    return write(in_float);
  }
  [[nodiscard]] dynamic_graph<stage::prepared> write(const dtype_plan<view_t>& plan) const {
    list<choice> choices(g_.count);
    for (int i = 0; i < g_.count; ++i) choices[i].qconfig = 100 + i;
    dynamic_graph<stage::prepared> out;
    placement_.write(choices, plan, out);
    return out;
  }
  [[nodiscard]] std::string print() const { return graphs::print(write().view()); }

 private:
  [[nodiscard]] int edge(const char* node, int arg) const {
    return g_[find(g_, node)].first_arg + arg;
  }

  view_t g_;
  preparing::observer_placement<view_t> placement_;
};

constexpr auto diamond =
    model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::relu("x"_n), "b"_n = nn::relu("x"_n),
          "sum"_n = op::add("a"_n, "b"_n), "out"_n = nn::output("sum"_n));

constexpr auto chain =
    model("x"_n = nn::placeholder({1, 2, 4}), "y"_n = nn::placeholder({1, 2, 4}),
          "flat"_n = fn::flatten("x"_n, {.start_dim = 1}), "again"_n = fn::flatten("flat"_n),
          "other"_n = fn::flatten("y"_n), "cat"_n = fn::cat({"again"_n, "other"_n}, {.dim = 0}),
          "out"_n = nn::output("cat"_n));

}  // namespace

TEST_CASE("without observers the graph is written as it is") {
  CHECK(placed(diamond).print() == graphs::print(diamond.view()));
  CHECK(placed(diamond).write().observers == 0);
}

TEST_CASE("all readers of a node read the observer that follows it") {
  CHECK(placed(diamond).behind("x").print() ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "a = torch.nn.ReLU(activation_post_process_0)\n"
        "b = torch.nn.ReLU(activation_post_process_0)\n"
        "sum = _operator.add(a, b)\n"
        "out = output(sum)\n");
}

TEST_CASE("an observer before one argument is seen by that argument alone") {
  CHECK(placed(diamond).before("b", 0).print() ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "a = torch.nn.ReLU(x)\n"
        "b = torch.nn.ReLU(activation_post_process_0)\n"
        "sum = _operator.add(a, b)\n"
        "out = output(sum)\n");
}

TEST_CASE("readers that ask for equal observers of one value get the same one") {
  const std::string once =
      "x = placeholder()\n"
      "activation_post_process_0 = activation_post_process(x) #0\n"
      "a = torch.nn.ReLU(activation_post_process_0)\n"
      "b = torch.nn.ReLU(activation_post_process_0)\n"
      "sum = _operator.add(a, b)\n"
      "out = output(sum)\n";
  CHECK(placed(diamond).before("a", 0).before("b", 0).print() == once);
  const observer_record equal = wide;  // at another address
  CHECK(placed(diamond).before("a", 0).before("b", 0, equal).print() == once);
  // Different ones stand side by side, the one added last first, as torch.fx inserts them.
  CHECK(placed(diamond).before("a", 0).before("b", 0, narrow).print() ==
        "x = placeholder()\n"
        "activation_post_process_1 = activation_post_process(x) #0\n"
        "activation_post_process_0 = activation_post_process(x) #1\n"
        "a = torch.nn.ReLU(activation_post_process_0)\n"
        "b = torch.nn.ReLU(activation_post_process_1)\n"
        "sum = _operator.add(a, b)\n"
        "out = output(sum)\n");
}

TEST_CASE("an argument gets an observer of its own even where there is an equal one") {
  CHECK(placed(diamond).own("a", 0).own("b", 0).print() ==
        "x = placeholder()\n"
        "activation_post_process_1 = activation_post_process(x) #0\n"
        "activation_post_process_0 = activation_post_process(x) #1\n"
        "a = torch.nn.ReLU(activation_post_process_0)\n"
        "b = torch.nn.ReLU(activation_post_process_1)\n"
        "sum = _operator.add(a, b)\n"
        "out = output(sum)\n");
  CHECK(placed(diamond).before("a", 0).own("b", 0).write().observers == 2);
}

TEST_CASE("to PyTorch 1.13 observers of one class and dtype are equal, whatever their range") {
  const auto count = [](const observer_record& a, const observer_record& b, semantics s) {
    return placed(diamond, s).before("a", 0, a).before("b", 0, b).write().observers;
  };
  CHECK(count(wide, narrow, semantics::torch_1_13) == 1);
  CHECK(count(wide, narrow, semantics::torch_2_1) == 2);
  for (const semantics s : {semantics::torch_1_13, semantics::torch_2_1}) {
    CHECK(count(wide, of_int8, s) == 2);
    CHECK(count(wide, histogram, s) == 2);
    CHECK(count(wide, wide, s) == 1);
  }
  // A fake quantize is asked no further: what it observes with may be another class.
  observer_record fake = wide, other = histogram;
  fake.fake_quantize = other.fake_quantize = fake_quantize_class::fake_quantize;
  CHECK(preparing::is_same_class(fake, other));
  CHECK_FALSE(preparing::is_same_class(fake, wide));
  CHECK(count(fake, other, semantics::torch_1_13) == 1);
  CHECK(count(fake, other, semantics::torch_2_1) == 2);
}

TEST_CASE("a reader's own observer follows the one that all readers read") {
  const auto g = placed(diamond).behind("x").before("b", 0, of_int8, 7).write();
  CHECK(graphs::print(g.view()) ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "activation_post_process_1 = activation_post_process(activation_post_process_0) #1\n"
        "a = torch.nn.ReLU(activation_post_process_0)\n"
        "b = torch.nn.ReLU(activation_post_process_1)\n"
        "sum = _operator.add(a, b)\n"
        "out = output(sum)\n");
  CHECK(g.view()[1].observer_config == &wide);
  CHECK(g.view()[2].observer_config == &of_int8);
  CHECK(g.view()[1].choice.qconfig == 0);
  CHECK(g.view()[2].choice.qconfig == 7);
  CHECK(g.view()[3].choice.qconfig == 101);  // what was decided about a
  CHECK(g.view()[2].shape == diamond.view()[0].shape);
}

TEST_CASE("an argument is not observed until an observer is inserted before it") {
  placed p(diamond);
  CHECK(p.bare("sum", 0));
  p.before("sum", 1);
  CHECK(p.bare("sum", 0));
  CHECK_FALSE(p.bare("sum", 1));
  p.behind("a");
  CHECK_FALSE(p.bare("sum", 0));
}

TEST_CASE("an op that shares has its first input's observer, past nodes that have none") {
  CHECK(placed(chain).behind("x").behind("again", histogram).share("again").print() ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "y = placeholder()\n"
        "flat = torch.flatten(activation_post_process_0)\n"
        "again = torch.flatten(flat)\n"
        "activation_post_process_1 = activation_post_process(again) #0\n"
        "other = torch.flatten(y)\n"
        "cat = torch.cat(activation_post_process_1, other)\n"
        "out = output(cat)\n");
}

TEST_CASE("the record of a shared observer is the input's, not what the op asked for") {
  const auto g = placed(chain).behind("x").behind("again", histogram, 3).share("again").write();
  const node& shared = g.view()[find(g.view(), "again") + 1];
  CHECK(shared.observer_config == &wide);
  CHECK(shared.choice.qconfig == 0);
}

TEST_CASE("an op that shares loses its observer if its input has none") {
  CHECK(placed(chain).behind("again").share("again").print() == graphs::print(chain.view()));
}

TEST_CASE("an observer that was removed is no one's: a reader that wants it gets a new one") {
  CHECK(placed(chain).behind("again").share("again").before("cat", 0).print() ==
        "x = placeholder()\n"
        "y = placeholder()\n"
        "flat = torch.flatten(x)\n"
        "again = torch.flatten(flat)\n"
        "activation_post_process_1 = activation_post_process(again) #0\n"
        "other = torch.flatten(y)\n"
        "cat = torch.cat(activation_post_process_1, other)\n"
        "out = output(cat)\n");
}

TEST_CASE("all elements of a cat's list get the observer of the first") {
  const auto g =
      placed(chain).behind("x").behind("y", histogram).behind("cat", of_int8).share("cat").write();
  CHECK(graphs::print(g.view()) ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "y = placeholder()\n"
        "activation_post_process_1 = activation_post_process(y) #0\n"
        "flat = torch.flatten(activation_post_process_0)\n"
        "again = torch.flatten(flat)\n"
        "other = torch.flatten(activation_post_process_1)\n"
        "cat = torch.cat(again, other)\n"
        "activation_post_process_2 = activation_post_process(cat) #0\n"
        "out = output(activation_post_process_2)\n");
  CHECK(g.observers == 1);
}

TEST_CASE("a cat one of whose elements has no observer has none to share") {
  for (const char* observed : {"x", "y"}) {
    const auto g = placed(chain).behind(observed).behind("cat").share("cat").write();
    CHECK(g.observers == 1);  // that of the element
    CHECK(g.view()[find(g.view(), "cat") + 1].name == "out");
  }
}

TEST_CASE("sharing renames what is seen now: a later share does not move an earlier one's others") {
  // again shares x's observer, then cat gives again and other one of their own.
  placed p(chain);
  p.behind("x").behind("y", histogram).behind("other", histogram).share("other");
  p.behind("again").share("again").behind("cat").share("cat");
  const auto g = p.write();
  const auto observer_of = [&](const char* node) {
    return g.view()[find(g.view(), node) + 1].observer;
  };
  CHECK(observer_of("other") == observer_of("x"));
  CHECK(observer_of("cat") == observer_of("x"));
  CHECK(observer_of("y") != observer_of("x"));  // left behind
  CHECK(g.observers == 2);
}

TEST_CASE("a placeholder that is quantized already says so") {
  dtype_plan<view_t> plan;
  resize(plan.dtypes, diamond.view().size());
  plan.dtypes[0].output = quint8;
  plan.dtypes[1].output = qint8;
  const auto g = placed(diamond).write(plan);
  CHECK(g.view()[0].dtype == quint8);
  CHECK(g.view()[1].dtype == f32);
}
