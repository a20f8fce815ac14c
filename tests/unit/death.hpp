// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

// Runs code that terminates the program, in a child process.

struct death {
  int exit_code = -1;  // -1: by a signal
  int signal = 0;
  std::string said;  // on the standard error, without what an emulator adds
};

/// How f ends; exit code 0 if it returns.
template <class F>
death death_of(F f) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return {};
  std::fflush(nullptr);  // else what is buffered is written twice
  const ::pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    ::dup2(ends[1], STDERR_FILENO);
    f();
    ::_exit(0);
  }
  ::close(ends[1]);
  death d;
  std::array<char, 512> part{};
  for (::ssize_t n = 0; (n = ::read(ends[0], part.data(), part.size())) > 0;)
    d.said.append(part.data(), static_cast<std::size_t>(n));
  ::close(ends[0]);
  // qemu reports a signal that ends the program.
  if (const std::size_t at = d.said.find("qemu: uncaught target signal"); at != std::string::npos)
    d.said.erase(at, d.said.find('\n', at) - at + 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status)) d.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) d.signal = WTERMSIG(status);
  return d;
}
