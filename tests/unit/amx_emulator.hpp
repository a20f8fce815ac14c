// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Lets programs with AMX instructions run on a processor without: each is an illegal instruction,
/// whose signal is answered by doing what it would have done. A few microseconds an instruction.
/// One thread only.
void emulate_amx();
