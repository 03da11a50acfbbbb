#pragma once

#include <string_view>

#include "model/errors.h"

namespace waferloom::fuzz {

/// Ends the fuzzer where something does not hold.
inline void demand(bool condition) {
  if (!condition) __builtin_trap();
}

/// Reads what calls itself "fuzz": wrong input may throw an InputError of that source with
/// printable text, and nothing else.
template <class Read>
void try_to(const Read& read) {
  try {
    read();
  } catch (const InputError& error) {
    demand(error.source() == "fuzz");
    for (const char c : std::string_view(error.what())) demand(c == '\n' || (c >= ' ' && c <= '~'));
  }
}

}  // namespace waferloom::fuzz
