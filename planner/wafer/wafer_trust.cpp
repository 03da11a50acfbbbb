#include "planner/wafer_trust.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "planner/tile_operators.h"

namespace waferloom::planner {
namespace {

/// Where a figure of a hardware file comes from; empty if the file does not say.
std::string source_of(const Hardware& hardware, std::string_view key) {
  const auto found = std::find_if(hardware.sources.begin(), hardware.sources.end(),
                                  [&](const FigureSource& source) { return source.key == key; });
  return found == hardware.sources.end() ? "" : found->text;
}

TrustRow figure_row(const Hardware& hardware, const std::string& part, std::string_view key) {
  const std::string source = source_of(hardware, key);
  if (source.empty() || source.starts_with("assumed")) {
    return {part, "assumed", source.empty() ? "no source in the hardware file" : source};
  }
  return {part, "calibrated", source};
}

}  // namespace

std::string upper_bound_note(const Hardware& hardware) {
  if (knows_programs(hardware)) return "";
  return hardware.name + " has no tile_cycles: the steps of its programs cost nothing";
}

std::vector<TrustRow> trust_card(const Hardware& hardware, std::string_view data_type,
                                 const std::vector<TrustPart>& parts) {
  std::vector<TrustRow> rows;
  const std::string step = "tile_cycles." + std::string(data_type) + ".start";
  for (const TrustPart& part : parts) {
    const MeasuredBacking* backing = find_backing(hardware, part.what, part.algorithm, data_type);
    if (backing != nullptr) {
      rows.push_back({part.part, "measured", backing->source, *backing});
    } else if (part.key.empty() && !knows_programs(hardware)) {
      rows.push_back({part.part, "upper bound", upper_bound_note(hardware)});
    } else {
      rows.push_back(figure_row(hardware, part.part, part.key.empty() ? step : part.key));
    }
  }
  rows.push_back(figure_row(hardware, "clock", "clock_hz"));
  return rows;
}

Json trust_json(const std::vector<TrustRow>& rows) {
  Json list = Json::array();
  for (const TrustRow& row : rows) {
    list.push_back({{"part", row.part},
                    {"kind", row.kind},
                    {"note", row.note},
                    {"measured", row.backing ? backing_json(*row.backing) : Json()}});
  }
  return list;
}

}  // namespace waferloom::planner
