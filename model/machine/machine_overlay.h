#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/describe.h"
#include "model/hardware.h"
#include "model/text.h"

namespace waferloom {

/// A machine's file without its overlays, and what these and the caller set.
struct LayeredMachine {
  JsonValue base{};      ///< of a file that has no base itself
  std::string source{};  ///< of that file
  std::string name{};    ///< that the outermost overlay gives, if any does
  /// In the order in which they apply: the innermost overlay's first.
  std::vector<MachineChange> changes{};
};

/// What a file says that has a base.
const TypeRows& overlay_rows();

/// Follows the bases. Throws InputError: of bases in a circle, of one that does not exist, of two
/// overlays that set one key differently, all with both places.
LayeredMachine layers_of(const MachineText& file, const FindBase& find_base);

/// Sets a key of a machine's file, made where it is not there; null takes it out. Throws InputError
/// with the change's place where the key leads into what is no object, or to an item that is not
/// there.
void set_key(JsonValue& file, const std::string& key, const MachineChange& change);

/// Takes out what `sources` of an object say of a key and of its parts.
void forget_sources(JsonValue& file, std::string_view key);

}  // namespace waferloom
