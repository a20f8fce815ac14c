// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares int8 kernels of ctq with those of other libraries and with the limits of the machine, in
// one process on one core. See bench --help.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "elementwise.hpp"
#include "layer.hpp"
#include "measure.hpp"
#include "op.hpp"
#include "peaks.hpp"
#include "report.hpp"
#include "shapes.hpp"

namespace bench {

namespace {

struct options {
  const char* json = nullptr;
  const char* html = nullptr;
  std::string only;    // cases whose "regime name" contains it
  std::string regime;  // that one alone; empty: all but ops
  bool alone = false;  // ctq without peers and limits
  int windows = 21;
  double seconds = 0.004;
};

void usage() {
  std::puts(
      "bench [REGIME] [--json FILE] [--html FILE] [--only TEXT] [--alone] [--windows N]\n"
      "    [--seconds S]\n"
      "  REGIME        gemm, conv, depthwise, elementwise or ops; without it all but ops\n"
      "  --only TEXT   cases whose regime and name contain TEXT\n"
      "  --alone       ctq without peers and limits, as compare.py wants it\n"
      "  --windows N   windows a subject, whose medians count (21)\n"
      "  --seconds S   length of a window (0.004)");
}

bool is_regime(const std::string& name) {
  return std::any_of(std::begin(regimes), std::end(regimes),
                     [&](regime r) { return name == name_of(r); });
}

options parse(int count, char** arguments) {
  options o;
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    if (is_regime(name)) {
      o.regime = name;
      --i;
      continue;
    }
    if (name == "--alone") {
      o.alone = true;
      --i;
      continue;
    }
    if (name == "--help" || i + 1 == count) {
      usage();
      std::exit(name == "--help" ? 0 : 1);
    }
    const char* const value = arguments[i + 1];
    if (name == "--json") {
      o.json = value;
    } else if (name == "--html") {
      o.html = value;
    } else if (name == "--only") {
      o.only = value;
    } else if (name == "--windows") {
      o.windows = std::max(1, std::atoi(value));
    } else if (name == "--seconds") {
      o.seconds = std::atof(value);
    } else {
      usage();
      std::exit(1);
    }
  }
  return o;
}

bool wanted(const options& o, regime kind, const std::string& name) {
  if (o.regime.empty() ? kind == regime::ops : o.regime != name_of(kind)) return false;
  return (std::string(name_of(kind)) + " " + name).find(o.only) != std::string::npos;
}

void add(bench_case& to, std::optional<subject> s) {
  if (s) to.subjects.push_back(std::move(*s));
}

void run_case(const options& o, bench_case& c, std::vector<result>& all) {
  all.push_back(measure(c, o.windows, o.seconds));
}

template <class Make>
void run_layer(const options& o, regime kind, const layer& of, double others, bool counted,
               Make make_ours, std::vector<result>& all) {
  bench_case c = case_of(of);
  c.kind = kind;
  c.counted = counted;
  c.others = peers_have_amx() ? others : 1.0;
  c.subjects = {make_ours()};
  if (!o.alone) {
    add(c, onednn(of));
    add(c, xnnpack(of));
    add(c, gemmlowp(of));
    add(c, onnxruntime(of));
    add(c, dot_peak(of, c));
    add(c, epilogue_loop(of, c));
    // The same pages, since cache conflicts depend on their addresses.
    add(c, read_loop(c.subjects.front().memory.first(static_cast<std::size_t>(of.bytes()))));
  }
  run_case(o, c, all);
}

void run_gemms(const options& o, std::vector<result>& all) {
  for (std::size_t i = 0; i < std::size(gemms); ++i) {
    const gemm_entry& e = gemms[i];
    if (!wanted(o, regime::gemm, name_of_gemm(ctq::as_conv2d(e.shape)))) continue;
    const layer of(e.shape);
    run_layer(
        o, regime::gemm, of, e.others, e.counted, [&] { return ctq_gemm(i, of); }, all);
  }
}

template <class Entries, class Make>
void run_convs(const options& o, regime kind, const Entries& entries, Make make,
               std::vector<result>& all) {
  for (std::size_t i = 0; i < std::size(entries); ++i) {
    if (!wanted(o, kind, name_of_conv(entries[i].shape))) continue;
    const layer of(entries[i].shape);
    run_layer(
        o, kind, of, entries[i].others, entries[i].counted, [&] { return make(i, of); }, all);
  }
}

void run_elementwise(const options& o, std::vector<result>& all) {
  using op = elementwise::op;
  for (const op what :
       {op::quantize, op::dequantize, op::requantize, op::add, op::quantize_channels,
        op::add_within_one_step, op::mul, op::fake_quantize}) {
    for (const int count : counts) {
      const std::string name = std::string(name_of(what)) + ", " +
                               (count < 1 << 20 ? std::to_string(count >> 10) + " Ki"
                                                : std::to_string(count >> 20) + " Mi");
      if (!wanted(o, regime::elementwise, name)) continue;
      const elementwise of(what, count);
      const double bytes = static_cast<double>(count) * (of.read() + of.written());
      bench_case c{.kind = regime::elementwise,
                   .name = name,
                   .counted = what < op::add_within_one_step,
                   .work = bytes,
                   .traffic = bytes,
                   .subjects = {ctq_elementwise(of)},
                   .spoil = [&of] { of.spoil(); },
                   .distance = [&of](const void* answer) { return of.distance(answer); }};
      if (!o.alone) {
        add(c, onednn(of));
        add(c, xnnpack(of));
        add(c, onnxruntime(of));
        add(c, copy_loop(of));
        add(c, memcpy_loop(static_cast<std::size_t>(bytes)));
      }
      run_case(o, c, all);
    }
  }
}

void run_ops(const options& o, std::vector<result>& all) {
  for (std::size_t i = 0; i < std::size(ops); ++i) {
    if (!wanted(o, regime::ops, ops[i].name)) continue;
    const op of(i);
    const auto bytes = static_cast<double>(of.read().size() + of.written());
    bench_case c{.kind = regime::ops,
                 .name = ops[i].name,
                 .work = bytes,
                 .traffic = bytes,
                 .wanted = ops[i].wanted,
                 .ratio = ops[i].ratio,
                 .subjects = {ctq_op(of)},
                 .spoil = [&of] { of.spoil(); },
                 .distance = [&of](const void* answer) { return of.distance(answer); }};
    if (!o.alone) {
      add(c, onednn(of));
      add(c, onnxruntime(of));
      add(c, copy_loop(of));
      add(c, memcpy_loop(static_cast<std::size_t>(bytes)));
      if (const double products = of.products(); products > 0.0) add(c, dot_peak(products, c));
    }
    run_case(o, c, all);
  }
}

void write(const char* path, void (*writer)(std::FILE*, const std::vector<result>&),
           const std::vector<result>& all) {
  if (path == nullptr) return;
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) {
    std::perror(path);
    std::exit(1);
  }
  writer(file, all);
  std::fclose(file);
}

int run(const options& o) {
  print_heading();
  std::vector<result> all;
  run_gemms(o, all);
  print_table(regime::gemm, all);
  run_convs(o, regime::conv, convs, ctq_conv, all);
  print_table(regime::conv, all);
  run_convs(o, regime::depthwise, depthwises, ctq_depthwise, all);
  print_table(regime::depthwise, all);
  run_elementwise(o, all);
  print_table(regime::elementwise, all);
  run_ops(o, all);
  print_table(regime::ops, all);
  std::puts(
      "\npeers: their time divided by ours; others: of those not installed, estimated from oneDNN's"
      "\n% roof: of our time, what dot products at the peak and outputs made of sums take at least,"
      "\nor reading every byte once; binds: the longest of the three"
      "\nat the roof: the means if each shape took what its roof takes"
      "\n*: a shape of our own, not in the means");
  write(o.json, write_json, all);
  write(o.html, write_html, all);
  if (o.regime != name_of(regime::ops)) print_summary(all);
  for (const result& r : all)
    if (r.ours() == 0.0) return 1;  // a wrong result
  return 0;
}

}  // namespace

}  // namespace bench

int main(int count, char** arguments) {
  const bench::options o = bench::parse(count, arguments);
  bench::stay_on_one_core(arguments);
  return bench::run(o);
}
