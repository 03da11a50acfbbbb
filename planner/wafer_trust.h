#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"
#include "model/report.h"

namespace waferloom::planner {

/// A part of a plan, and the model that gives its time: the words of MeasuredBacking.
struct TrustPart {
  std::string part;       ///< "decode"
  std::string what;       ///< of the backing that would hold for it
  std::string algorithm;  ///< likewise; empty: any
  /// The figure of the hardware file that counts where nothing was measured; empty: tile_cycles.
  std::string key{};
};

/// A part of a report and what backs it.
struct TrustRow {
  std::string part;
  /// "measured": the machine was measured on this; "calibrated": its figures come from measurements
  /// of other programs; "assumed"; "upper bound": what programs take is not known, and left out.
  std::string kind;
  std::string note;
  std::optional<MeasuredBacking> backing{};
};

/// Why what is planned on a machine is an upper bound; empty where it is none.
std::string upper_bound_note(const Hardware& hardware);

/// What backs the parts of a plan on a machine: measurements of the same program if the hardware
/// tells any (its `backing`), else the sources of its `tile_cycles` of that data type. The clock
/// and the ports follow, by their sources.
std::vector<TrustRow> trust_card(const Hardware& hardware, std::string_view data_type,
                                 const std::vector<TrustPart>& parts);

/// [{part, kind, note, measured}], measured as in reports of schema waferloom/tile/1, or null.
Json trust_json(const std::vector<TrustRow>& rows);

}  // namespace waferloom::planner
