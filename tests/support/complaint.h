#pragma once

#include <string>

#include "model/errors.h"

namespace waferloom::test {

/// What an `Error` says that `act` throws; empty if it throws none.
template <typename Error = InputError, typename Act>
std::string complaint_of(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace waferloom::test
