#pragma once

#include <string>

namespace waferloom::test {

/// The text of an object with the key `whole` at its end, as a folder has it (sweep/results.h).
inline std::string whole_record(std::string object) {
  object.erase(object.find_last_of('}'));
  return object + ", \"whole\": true}";
}

}  // namespace waferloom::test
