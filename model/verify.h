#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/placement.h"
#include "model/problem.h"
#include "model/report.h"
#include "model/score.h"
#include "model/solution.h"

namespace waferloom {

/// The rules a solution can break.
enum class ViolationKind {
  missing_kernel,         ///< a kernel of the problem has no parameters
  missing_place,          ///< … or no place
  duplicate_kernel,       ///< parameters given twice
  duplicate_place,        ///< place given twice
  unknown_kernel,         ///< a name that the problem does not have
  wrong_type,             ///< conv where the problem says dblock, …
  wrong_formal,           ///< formal parameters differ from the problem's
  nonpositive_parameter,  ///< an execution parameter below 1
  oversized_parameter,    ///< an execution parameter larger than what it splits
  memory,                 ///< a tile needs more words than the limit
  out_of_bounds,          ///< not wholly on the wafer
  overlap,                ///< two kernels share tiles
  dead_tiles,             ///< it covers tiles of a dead rectangle
  fixed,                  ///< it is not where, or not cut as, the constraints fix it
  inside,                 ///< not wholly inside a region that it has to lie in
  outside,                ///< it shares tiles with a region that it has to avoid
};

/// Snake-case name of a kind, as in reports.
std::string_view kind_name(ViolationKind kind);

/// One broken rule. `kernels` names those concerned (two for overlap).
struct Violation {
  ViolationKind kind{};
  std::vector<std::string> kernels;
  std::string message;    ///< one line with names and numbers
  Rectangle tiles;        ///< the shared or offending rectangle of the rules about tiles
  TextPosition position;  ///< line in the solution's file, where there is one
};

/// At most so many violations of each rule about shared tiles are listed, always the same ones.
inline constexpr std::size_t kMaxListedOverlaps = 100'000;

/// Lists every violation of the contest's rules, the wafer's dead tiles and the constraints by a
/// solution. Violations come in the order of the enum, then of the kernels in the problem. Shares
/// no code with the placer, trusts nothing it is given and recomputes everything. O((n + d) log (n
/// + d) + r + overlaps·log n) for d dead rectangles and regions of r kernels together, overlaps up
/// to kMaxListedOverlaps.
std::vector<Violation> verify(const Problem& problem, const Solution& solution);

/// The placement, if no kernel is missing in it and verify finds nothing.
std::optional<Placement> whole_legal_placement(const Problem& problem,
                                               const PartialPlacement& partial);

/// What the rules say of a solution.
struct Judgement {
  std::vector<Violation> violations;
  /// There if every kernel of the problem has exactly one definition with the right type, formals
  /// and execution parameters within limits, and one place, whatever else is wrong.
  std::optional<Placement> placement;
  /// There if the placement is (and its distance within range).
  std::optional<Score> score;
  bool legal() const { return violations.empty(); }
  /// Whether nothing else is wrong than that kernels cover dead tiles.
  bool only_needs_dead_tiles() const;
};

Judgement judge(const Problem& problem, const Solution& solution);

/// A placement whose written form has been read back, verified and scored.
struct VerifiedPlacement {
  Placement placement;
  std::string text;  ///< the solution file
  Score score;
};

/// Holds a placement of our own against the rules and its claimed score; a difference is our bug:
/// std::logic_error with what is wrong.
VerifiedPlacement verified(const Problem& problem, const Placement& placement,
                           const Score& claimed);

/// A score's parts as decimal texts in the contest's units. The total is empty where there is none.
struct ScoreTexts {
  std::string time;
  std::string distance;
  std::string adapter;
  std::string preference;
  std::string total;
};
ScoreTexts score_texts(const Problem& problem, const Score& score);
/// The same without the total, which only legal placements are sure to have within 128 bits.
ScoreTexts part_texts(const Problem& problem, const Score& score);

/// {legal, violations, time, distance, adapter, preference, total}; total null if illegal, the
/// others if they cannot be computed.
Json score_json(const Problem& problem, const Judgement& judgement);

/// A report of schema waferloom/score/1.
Json score_report(const Problem& problem, const Judgement& judgement,
                  const std::vector<std::string>& warnings);

/// score_json of a verified placement.
Json legal_score_json(const Problem& problem, const Score& score);

}  // namespace waferloom
