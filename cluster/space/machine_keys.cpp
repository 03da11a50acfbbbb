#include "cluster/space/machine_keys.h"

#include "model/text.h"

namespace waferloom::cluster {

std::string machine_with_keys(const MachineText& file,
                              const std::vector<sweep::Override>& overrides,
                              const std::string& source, const FindBase& find_base) {
  MachineChanges changes;
  changes.find_base = find_base;
  for (const sweep::Override& changed : overrides) {
    changes.set.push_back({changed.key, parse_json(changed.json, source), source, changed.position,
                           "set by the sweep"});
  }
  return whole_machine_text(file, changes);
}

}  // namespace waferloom::cluster
