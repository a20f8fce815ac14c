// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "ctq/graph/model.hpp"

// Builds a model at run time, row by row, with the same linking as a constant model.

class graph_builder {
 public:
  /// Returns the name, for the rows that read it.
  std::string_view add(std::string name, ctq::op_id op, const ctq::attributes& attrs,
                       const std::vector<std::string_view>& args) {
    names_.push_back(std::move(name));
    rows_.push_back({names_.back(), op, attrs, args});
    return names_.back();
  }

  template <class Op, class Options = typename Op::options>
  std::string_view add(std::string name, const Op&, const std::vector<std::string_view>& args,
                       const Options& o = {}) {
    return add(std::move(name), Op::id(), ctq::attributes{o}, args);
  }

  std::string_view placeholder(const ctq::shape& s, std::string name = "x") {
    return add(std::move(name), ctq::nn::placeholder.id(), ctq::attributes{s}, {});
  }

  std::string_view output(std::string_view from) { return add("out", ctq::nn::output, {from}); }

  [[nodiscard]] ctq::dynamic_graph<ctq::stage::traced> link() const {
    std::vector<ctq::linking::pending> rows;
    for (const row& r : rows_)
      rows.push_back({r.name, r.op, &r.attrs, r.args.data(), static_cast<int>(r.args.size())});
    return ctq::linking::link(rows.data(), rows.size());
  }

 private:
  struct row {
    std::string_view name;
    ctq::op_id op{};
    ctq::attributes attrs;
    std::vector<std::string_view> args;
  };

  std::deque<std::string> names_;  // a deque: names are looked at while others are added
  std::vector<row> rows_;
};
