// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "ctq/runtime/aligned_buffer.hpp"
#include "onnx_model.hpp"

// The part of ONNX Runtime's C API that is needed to run a model. The shared library of its npm
// package comes without headers: functions are called by their indices in OrtApi, which are stable.

namespace bench::onnx {

/// Indices of functions in OrtApi.
enum class slot {
  error_message = 2,
  create_env = 3,
  create_session_from_array = 8,
  create_session_options = 10,
  set_graph_optimization_level = 23,
  set_intra_op_num_threads = 24,
  set_inter_op_num_threads = 25,
  create_tensor_with_data = 49,
  create_cpu_memory_info = 69,
  release_session = 95,
  release_value = 96,
  release_session_options = 100,
  add_session_config_entry = 130,
  run_with_binding = 133,
  create_io_binding = 134,
  release_io_binding = 135,
  bind_input = 136,
  bind_output = 137,
};

using handle = void*;  // to whatever is the library's

class library {
 public:
  /// Loads the first library in a directory that this machine can load: the package contains one
  /// per platform.
  explicit library(const std::string& directory) {
    namespace fs = std::filesystem;
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(directory)) {
      if (!file.path().filename().string().starts_with("libonnxruntime.so")) continue;
      if (void* const loaded = dlopen(file.path().c_str(), RTLD_NOW)) {
        open(loaded);
        return;
      }
    }
    throw std::runtime_error("no libonnxruntime.so for this machine in " + directory);
  }

  template <class... Args>
  void call(slot which, Args... args) const {
    using function = handle (*)(Args...);
    if (const handle status = reinterpret_cast<function>(at(which))(args...)) {
      using message = const char* (*)(handle);
      throw std::runtime_error(reinterpret_cast<message>(at(slot::error_message))(status));
    }
  }
  void release(slot which, handle what) const {
    reinterpret_cast<void (*)(handle)>(at(which))(what);
  }

  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] handle env() const { return env_; }
  [[nodiscard]] handle cpu_memory() const { return cpu_memory_; }

 private:
  [[nodiscard]] void* at(slot which) const { return functions_[static_cast<int>(which)]; }

  void open(void* loaded) {
    struct api_base {
      void* const* (*api)(std::uint32_t version);
      const char* (*version)();
    };
    const auto base = reinterpret_cast<const api_base* (*)()>(dlsym(loaded, "OrtGetApiBase"))();
    version_ = base->version();
    functions_ = base->api(13);
    constexpr int errors_only = 3, device_allocator = 0, default_memory = 0;
    call(slot::create_env, errors_only, "bench", &env_);
    call(slot::create_cpu_memory_info, device_allocator, default_memory, &cpu_memory_);
  }

  void* const* functions_{};
  std::string version_;
  handle env_{};
  handle cpu_memory_{};
};

/// Whether its faster dot products are exact on this machine: without VNNI those of uint8 with int8
/// saturate, and the slower ones must be selected.
inline bool has_exact_dots() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vnni") != 0 || __builtin_cpu_supports("avxvnni") != 0;
#else
  return true;
#endif
}

/// A model with bound operands, to minimize the overhead of a run.
class session {
 public:
  session(const library& ort, model& of) : ort_(ort) {
    handle options{};
    ort.call(slot::create_session_options, &options);
    constexpr int all_optimizations = 99;
    ort.call(slot::set_graph_optimization_level, options, all_optimizations);
    ort.call(slot::set_intra_op_num_threads, options, 1);
    ort.call(slot::set_inter_op_num_threads, options, 1);
    configure(options, "session.intra_op.allow_spinning", "0");
    if (!has_exact_dots()) configure(options, "session.x64quantprecision", "1");
    const std::string bytes = of.bytes();
    ort.call(slot::create_session_from_array, ort.env(), static_cast<const void*>(bytes.data()),
             bytes.size(), options, &session_);
    ort.release(slot::release_session_options, options);
    ort.call(slot::create_io_binding, session_, &binding_);
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session() {
    if (binding_ != nullptr) ort_.release(slot::release_io_binding, binding_);
    if (session_ != nullptr) ort_.release(slot::release_session, session_);
  }

  template <class T, class Allocator>
  void input(const char* name, const extents& shape, const std::vector<T, Allocator>& from) {
    input(name, shape, std::span{from});
  }
  template <class T>
  void input(const char* name, const extents& shape, std::span<const T> from) {
    bind(slot::bind_input, name, shape, type_of<T>, const_cast<T*>(from.data()), sizeof(T));
  }
  template <class T>
  void output(const char* name, const extents& shape) {
    std::size_t bytes = sizeof(T);
    for (const std::int64_t extent : shape) bytes *= static_cast<std::size_t>(extent);
    own_out_ = ctq::aligned_buffer(bytes);
    output<T>(name, shape, own_out_.data());
  }
  template <class T>
  void output(const char* name, const extents& shape, void* to) {
    out_ = to;
    bind(slot::bind_output, name, shape, type_of<T>, to, sizeof(T));
  }

  void run() const { ort_.call(slot::run_with_binding, session_, handle{}, binding_); }
  [[nodiscard]] const void* out() const { return out_; }

 private:
  void configure(handle options, const char* key, const char* value) const {
    ort_.call(slot::add_session_config_entry, options, key, value);
  }
  void bind(slot way, const char* name, const extents& shape, type of, void* at,
            std::size_t size) const {
    for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
    handle value{};
    ort_.call(slot::create_tensor_with_data, ort_.cpu_memory(), at, size, shape.data(),
              shape.size(), static_cast<int>(of), &value);
    ort_.call(way, binding_, name, value);
    ort_.release(slot::release_value, value);  // the binding has its own reference
  }

  const library& ort_;
  handle session_{};
  handle binding_{};
  ctq::aligned_buffer own_out_{0};
  const void* out_{};
};

}  // namespace bench::onnx
