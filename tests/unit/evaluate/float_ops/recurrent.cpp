// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/recurrent.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::check_near;
using run_op::floats;
using run_op::some;

namespace {

constexpr int input = 3, hidden = 2;

using vector = std::vector<double>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// weight[row] · x + bias[row]
double product(const tensor& weight, const tensor& bias, std::size_t row, const vector& x) {
  double sum = static_cast<double>(bias.data[row]);
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += static_cast<double>(weight.data[row * x.size() + i]) * x[i];
  return sum;
}

/// What a cell has learned, with names as in state_dict.
struct cell_weights {
  tensor ih, hh, bias_ih, bias_hh;

  cell_weights(int gates, int inputs, int seed)
      : ih(some({gates * hidden, inputs}, seed)),
        hh(some({gates * hidden, hidden}, seed + 1)),
        bias_ih(some({gates * hidden}, seed + 2)),
        bias_hh(some({gates * hidden}, seed + 3)) {}

  void add_to(std::vector<named_value>& attributes, const std::string& suffix) const {
    attributes.push_back({"weight_ih" + suffix, ih});
    attributes.push_back({"weight_hh" + suffix, hh});
    attributes.push_back({"bias_ih" + suffix, bias_ih});
    attributes.push_back({"bias_hh" + suffix, bias_hh});
  }
};

/// One row of a batch through one cell, by the equations of PyTorch's documentation.
struct cell_state {
  vector h = vector(hidden), c = vector(hidden);
};

enum class cell { tanh, relu, lstm, gru };

cell_state step(cell kind, const cell_weights& w, const vector& x, const cell_state& before) {
  cell_state after = before;
  for (std::size_t j = 0; j < hidden; ++j) {
    const auto in = [&](std::size_t gate) {
      return product(w.ih, w.bias_ih, gate * hidden + j, x);
    };
    const auto past = [&](std::size_t gate) {
      return product(w.hh, w.bias_hh, gate * hidden + j, before.h);
    };
    if (kind == cell::tanh) after.h[j] = std::tanh(in(0) + past(0));
    if (kind == cell::relu) after.h[j] = std::fmax(0, in(0) + past(0));
    if (kind == cell::lstm) {
      const double i = sigmoid(in(0) + past(0)), f = sigmoid(in(1) + past(1));
      const double g = std::tanh(in(2) + past(2)), o = sigmoid(in(3) + past(3));
      after.c[j] = f * before.c[j] + i * g;
      after.h[j] = o * std::tanh(after.c[j]);
    }
    if (kind == cell::gru) {
      const double r = sigmoid(in(0) + past(0)), z = sigmoid(in(1) + past(1));
      const double n = std::tanh(in(2) + r * past(2));
      after.h[j] = (1 - z) * n + z * before.h[j];
    }
  }
  return after;
}

/// The states after each element of a sequence, the last first if it is read backwards.
std::vector<cell_state> unrolled(cell kind, const cell_weights& w,
                                 const std::vector<vector>& sequence, bool backwards,
                                 cell_state s = {}) {
  std::vector<cell_state> all(sequence.size());
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const std::size_t t = backwards ? sequence.size() - 1 - i : i;
    s = all[t] = step(kind, w, sequence[t], s);
  }
  return all;
}

/// Row n of a batch of sequences (T, N, C).
std::vector<vector> sequence_of(const tensor& x, int n) {
  std::vector<vector> all;
  for (int t = 0; t < x.shape[0]; ++t) {
    const auto begin = x.data.begin() + (t * x.shape[1] + n) * x.shape[2];
    all.emplace_back(begin, begin + x.shape[2]);
  }
  return all;
}

template <class Op>
result<value> run(const Op& op, std::vector<value> given, std::vector<named_value> attributes) {
  return run_op::run(implementation::recurrents, op,
                     {.positional = std::move(given), .attributes = std::move(attributes)});
}

/// A cell without a state begins at zero; with one, where that is.
template <class Op>
void check_cell(const Op& op, cell kind, int gates, std::vector<named_value> attributes = {}) {
  const cell_weights w(gates, input, 10);
  w.add_to(attributes, "");
  const tensor x = some({2, input}, 3);
  const tensor h = some({2, hidden}, 4), c = some({2, hidden}, 5);
  for (const bool begins : {true, false}) {
    const value state = kind == cell::lstm ? value(list{h, c}) : value(h);
    const auto y =
        run(op, begins ? std::vector<value>{x} : std::vector<value>{x, state}, attributes);
    REQUIRE(cause(y) == "");
    vector wanted_h, wanted_c;
    for (std::size_t n = 0; n < 2; ++n) {
      cell_state s;
      for (std::size_t j = 0; j < hidden && !begins; ++j) {
        s.h[j] = static_cast<double>(h.data[n * hidden + j]);
        s.c[j] = static_cast<double>(c.data[n * hidden + j]);
      }
      s = step(kind, w,
               {x.data.begin() + static_cast<int>(n) * input,
                x.data.begin() + static_cast<int>(n + 1) * input},
               s);
      wanted_h.insert(wanted_h.end(), s.h.begin(), s.h.end());
      wanted_c.insert(wanted_c.end(), s.c.begin(), s.c.end());
    }
    if (kind == cell::lstm) {
      const auto pair = run_op::float_list(y);
      REQUIRE(pair.size() == 2);
      check_near(pair[0], {2, hidden}, wanted_h);
      check_near(pair[1], {2, hidden}, wanted_c);
    } else {
      check_near(floats(y), {2, hidden}, wanted_h);
    }
  }
}

/// (output, h_n) or (output, (h_n, c_n)), apart.
struct layers_output {
  tensor output, h, c;
};
layers_output apart(const result<value>& y) {
  REQUIRE(cause(y) == "");
  const list& both = *y->get_if<list>();
  REQUIRE(both.size() == 2);
  layers_output all{*both[0].get_if<tensor>(), {}, {}};
  if (const auto* pair = both[1].get_if<list>()) {
    all.h = *(*pair)[0].get_if<tensor>();
    all.c = *(*pair)[1].get_if<tensor>();
  } else {
    all.h = *both[1].get_if<tensor>();
  }
  return all;
}

}  // namespace

TEST_CASE("cells compute the equations of PyTorch's documentation") {
  check_cell(nn::rnn_cell, cell::tanh, 1);
  check_cell(nn::rnn_cell, cell::relu, 1, {{"nonlinearity", "relu"}});
  check_cell(nn::lstm_cell, cell::lstm, 4);
  check_cell(nn::gru_cell, cell::gru, 3);
}

TEST_CASE("a row without a batch is a batch of one") {
  std::vector<named_value> attributes;
  cell_weights(3, input, 1).add_to(attributes, "");
  const tensor x = some({input});
  tensor batch = x;
  batch.shape = {1, input};
  const tensor h = floats(run(nn::gru_cell, {x}, attributes));
  CHECK(h.shape == extents{hidden});
  CHECK(h.data == floats(run(nn::gru_cell, {batch}, attributes)).data);
}

TEST_CASE("layers of cells in both directions read what the layer before them gives") {
  const tensor x = some({3, 2, input}, 7);  // (T, N, C)
  const tensor h0 = some({4, 2, hidden}, 8), c0 = some({4, 2, hidden}, 9);
  std::vector<named_value> attributes{{"num_layers", 2}, {"bidirectional", true}};
  std::vector<cell_weights> w;
  for (int i = 0; i < 4; ++i) {
    w.emplace_back(4, i < 2 ? input : 2 * hidden, 20 + 4 * i);
    w.back().add_to(attributes, "_l" + std::to_string(i / 2) + (i % 2 == 0 ? "" : "_reverse"));
  }
  const layers_output got = apart(run(nn::lstm, {x, list{h0, c0}}, attributes));
  vector output(3 * 2 * 2 * hidden), h(4 * 2 * hidden), c(4 * 2 * hidden);
  for (int n = 0; n < 2; ++n) {
    std::vector<vector> sequence = sequence_of(x, n);
    for (int layer = 0; layer < 2; ++layer) {
      std::vector<vector> both(3);
      for (int direction = 0; direction < 2; ++direction) {
        const int at = 2 * layer + direction;
        const auto place = static_cast<std::size_t>((at * 2 + n) * hidden);
        cell_state s;
        for (std::size_t j = 0; j < hidden; ++j) {
          s.h[j] = static_cast<double>(h0.data[place + j]);
          s.c[j] = static_cast<double>(c0.data[place + j]);
        }
        const auto states =
            unrolled(cell::lstm, w[static_cast<std::size_t>(at)], sequence, direction == 1, s);
        const cell_state& last = direction == 0 ? states.back() : states.front();
        for (std::size_t j = 0; j < hidden; ++j) {
          h[place + j] = last.h[j];
          c[place + j] = last.c[j];
        }
        for (std::size_t t = 0; t < 3; ++t)
          both[t].insert(both[t].end(), states[t].h.begin(), states[t].h.end());
      }
      sequence = both;
    }
    for (std::size_t t = 0; t < 3; ++t)
      for (std::size_t j = 0; j < 2 * hidden; ++j)
        output[(t * 2 + static_cast<std::size_t>(n)) * 2 * hidden + j] = sequence[t][j];
  }
  check_near(got.output, {3, 2, 2 * hidden}, output);
  check_near(got.h, {4, 2, hidden}, h);
  check_near(got.c, {4, 2, hidden}, c);
}

TEST_CASE("batch_first swaps the axes of the sequences, not of the states") {
  std::vector<named_value> attributes;
  cell_weights(3, input, 2).add_to(attributes, "_l0");
  const tensor x = some({3, 2, input});
  const tensor swapped = recurring::swapped(x);
  const layers_output first = apart(run(nn::gru, {x}, attributes));
  attributes.push_back({"batch_first", true});
  const layers_output second = apart(run(nn::gru, {swapped}, attributes));
  CHECK(first.output.shape == extents{3, 2, hidden});
  CHECK(second.output.shape == extents{2, 3, hidden});
  CHECK(recurring::swapped(second.output).data == first.output.data);
  CHECK(second.h.shape == extents{1, 2, hidden});
  CHECK(second.h.data == first.h.data);
}

TEST_CASE("a sequence without a batch gives outputs and states without one") {
  std::vector<named_value> attributes;
  cell_weights(1, input, 3).add_to(attributes, "_l0");
  attributes.push_back({"batch_first", true});  // which then means nothing
  const tensor x = some({4, input});
  const layers_output got = apart(run(nn::rnn, {x}, attributes));
  CHECK(got.output.shape == extents{4, hidden});
  CHECK(got.h.shape == extents{1, hidden});
  CHECK(std::vector<float>(got.output.data.end() - hidden, got.output.data.end()) == got.h.data);
}

TEST_CASE("weights and states that do not fit are errors") {
  const tensor x = some({3, 2, input});
  std::vector<named_value> attributes;
  cell_weights(4, input, 1).add_to(attributes, "_l0");
  const auto cause_of = [&](std::vector<value> given, std::vector<named_value> more = {}) {
    std::vector<named_value> all = attributes;
    all.insert(all.end(), more.begin(), more.end());
    return cause(run(nn::lstm, std::move(given), all));
  };
  CHECK(cause_of({x}) == "");
  CHECK(cause_of({x, filled({1, 2, hidden})}) == "the state is not a pair of tensors");
  CHECK(cause_of({x, list{filled({1, 3, hidden}), filled({1, 2, hidden})}}) ==
        "the state has another shape");
  CHECK(cause_of({x, list{filled({1, hidden}), filled({1, 2, hidden})}}) ==
        "the state has another shape");
  CHECK(cause_of({filled({3, input}), list{filled({1, hidden}), filled({1, 1, hidden})}}) ==
        "the state has another shape");
  CHECK(cause_of({x, list{some({1, 2, hidden}), value()}}) == "");
  CHECK(cause_of({x, list{x, value()}}) == "the state has another shape");
  CHECK(cause_of({x, list{value(2.0), value()}}) == "the state is not a tensor");
  CHECK(cause_of({x}, {{"num_layers", 2}}) == "has no weights for num_layers = 2");
  CHECK(cause_of({x}, {{"num_layers", 1000000}, {"bidirectional", true}}) ==
        "has no weights for num_layers = 1000000");
  CHECK(cause_of({x}, {{"bidirectional", true}}) == "has no weights for num_layers = 1");
  CHECK(cause_of({x}, {{"bias_hh_l0", filled({3})}}) == "the biases do not fit the hidden size");
  CHECK(cause_of({x}, {{"proj_size", 1}}) == "cannot have proj_size = 1 in ctq");
  CHECK(cause_of({filled({input})}) == "the input needs two or three axes");
  CHECK(cause(run(nn::gru, {x}, attributes)) == "the weights do not fit the hidden size");
}

TEST_CASE("states of single cells that do not fit are errors") {
  const tensor x = some({2, input});
  std::vector<named_value> attributes;
  cell_weights(3, input, 1).add_to(attributes, "");
  const auto cause_of = [&](const tensor& in, value state) {
    return cause(run(nn::gru_cell, {in, std::move(state)}, attributes));
  };
  CHECK(cause_of(x, some({2, hidden})) == "");
  CHECK(cause_of(some({input}), some({hidden})) == "");
  CHECK(cause_of(x, some({hidden, 2, 1})) == "the state has another shape");
  CHECK(cause_of(x, some({2 * hidden})) == "the state has another shape");
  CHECK(cause_of(some({input}), some({1, hidden})) == "the state has another shape");
  CHECK(cause_of(x, value(1.0)) == "the state is not a tensor");
  CHECK(cause_of(x, list{some({2, hidden}), value()}) == "the state is not a tensor");
}

TEST_CASE("a nonlinearity that PyTorch does not have is an error") {
  std::vector<named_value> attributes{{"nonlinearity", "gelu"}};
  cell_weights(1, input, 1).add_to(attributes, "");
  CHECK(cause(run(nn::rnn_cell, {some({2, input})}, attributes)) ==
        "nonlinearity = 'gelu' is neither 'tanh' nor 'relu'");
}
