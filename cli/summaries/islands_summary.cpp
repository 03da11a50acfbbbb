#include "cli/summaries/islands_summary.h"

#include "model/text.h"

namespace waferloom::cli {

std::string islands_text(const optimize::IslandNote& note) {
  const std::string lost =
      note.lost > 0 ? ", " + counted_text(static_cast<std::int64_t>(note.lost), "task") + " lost"
                    : "";
  return "island " + std::to_string(note.island + 1) + " of " + std::to_string(note.islands) +
         " in epoch " + std::to_string(note.epoch + 1) + " of " + std::to_string(note.epochs) +
         lost;
}

}  // namespace waferloom::cli
