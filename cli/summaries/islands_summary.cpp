#include "cli/summaries/islands_summary.h"

#include <fmt/format.h>

#include "model/text.h"

namespace waferloom::cli {

std::string islands_text(const optimize::IslandNote& note) {
  const std::string lost =
      note.lost > 0 ? ", " + counted_text(static_cast<std::int64_t>(note.lost), "task") + " lost"
                    : "";
  return fmt::format("island {} of {} in epoch {} of {}{}", note.island + 1, note.islands,
                     note.epoch + 1, note.epochs, lost);
}

}  // namespace waferloom::cli
