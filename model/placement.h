#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/formal.h"
#include "kernels/int128.h"
#include "kernels/kernel.h"
#include "model/errors.h"
#include "model/problem.h"
#include "model/report.h"
#include "model/wafer.h"

namespace waferloom {

struct Hardware;

/// Where and how one kernel lies. rotated is R90, which exchanges the extents.
struct PlacedKernel {
  Execution execution;
  std::int64_t x = 0;
  std::int64_t y = 0;
  bool rotated = false;
  bool operator==(const PlacedKernel&) const = default;
};

/// A placement: one entry a kernel of the problem, in the problem's order. A value.
struct Placement {
  std::vector<PlacedKernel> kernels;
  bool operator==(const Placement&) const = default;
};

/// A placement in which kernels may be missing, in the problem's order.
struct PartialPlacement {
  std::vector<std::optional<PlacedKernel>> kernels;
  bool operator==(const PartialPlacement&) const = default;
};

/// The tiles that a placed kernel covers; its execution must be within_limits.
Rectangle rectangle(const Kernel& kernel, const PlacedKernel& placed);

/// Those of all kernels of the problem, in its order.
std::vector<Rectangle> rectangles(const Problem& problem, const Placement& placement);

/// Whether the tiles of all kernels have the room for buffers that the problem asks for
/// (with_buffers).
bool has_buffer_room(const Problem& problem, const Placement& placement);

/// What buffers take of a placement's memory.
struct BufferUse {
  std::int64_t words = 0;         ///< of all samples that wait
  std::int64_t most_of_tile = 0;  ///< words, with those of the kernel, where they are most
  KernelIndex fullest = 0;        ///< the kernel of such a tile, the first of equals
  std::int64_t limit = 0;         ///< words that a tile holds
};
BufferUse buffer_use(const Problem& problem, const Placement& placement);

// On hardware of which not everything lives (mesh.h).

/// Throws InfeasibleError as LivingCheck, unless all kernels of a placement, whose rectangles lie
/// on the hardware's mesh, live there, and each connection joins two of one part. Kernels that span
/// dead tiles, and their connections, are not looked at. O(tiles).
void demand_living(const Problem& problem, const std::vector<Rectangle>& tiles,
                   const Hardware& hardware);

/// The problem on the tiles of a hardware that are joined: its wafer has as dead ones, besides its
/// own, those of the hardware, and, if kernels are connected, those that are cut off from the
/// largest part, or from the first kernel that constraints fix. O(tiles) where something is dead.
/// Throws RequestError where that is more dead rectangles than a wafer may have.
Problem joined_problem(const Problem& problem, const Hardware& hardware);

/// The quantities that a placement is judged by, exact.
struct Score {
  std::int64_t time = 0;  ///< slowest kernel, in units of 1/Problem::time_denominator()
  /// Σ edges weight · L1 distance between centres, in units of half tiles and
  /// 1/Problem::distance_denominator(): half tiles where all weights are whole.
  std::int64_t half_distance = 0;
  std::int64_t adapter = 0;  ///< Σ edges mismatches among (h, w, c)
  /// Σ preferred regions and their kernels, weight · L1 distance from the kernel's centre, in units
  /// of 1/(2·10⁶) of the cost. 0 without constraints.
  std::int64_t preference = 0;
  bool operator==(const Score&) const = default;
};

/// Largest Score::half_distance and Score::preference; Problem sees to it that placements on the
/// wafer stay below.
inline constexpr std::int64_t kMaxHalfDistance = std::int64_t{1} << 62;

/// Judges a placement, legal or not; every execution must be within_limits. O(n + m + region
/// kernels). Throws std::overflow_error above kMaxHalfDistance, which only a placement far off its
/// wafer reaches.
Score score(const Problem& problem, const Placement& placement);

/// L1 distance between the centres of two rectangles, in half tiles.
std::int64_t half_distance(const Rectangle& a, const Rectangle& b);

/// The weighted objective of a problem in exact integer units: a total is counted in units of
/// 1/scale(), scale = lcm(time_denominator, 2)·distance_denominator·10⁶. The only place where cost
/// is composed.
/// total() is exact for placements on the wafer (Problem bounds it below 2^120); those far off it
/// are illegal and have no total.
class CostModel {
 public:
  explicit CostModel(const Problem& problem);

  Int128 total(const Score& score) const {
    return Int128(score.time) * per_time_ + Int128(score.half_distance) * per_half_distance_ +
           Int128(score.adapter) * per_adapter_ + Int128(score.preference) * per_preference_;
  }
  Int128 scale() const { return scale_; }
  Int128 per_time() const { return per_time_; }
  /// Cost of one unit of Score::half_distance.
  Int128 per_half_distance() const { return per_half_distance_; }
  /// Cost of half a tile of one edge's length: the above times its weight's units.
  Int128 per_half_distance(const Connection& edge) const {
    return per_half_distance_ * (edge.weight.millionths / distance_unit_);
  }
  Int128 per_adapter() const { return per_adapter_; }
  /// Cost of half a tile between a kernel and a region that it prefers.
  Int128 per_half_distance(const Region& region) const {
    return per_preference_ * region.weight.millionths;
  }

 private:
  Int128 scale_ = 1;
  Int128 per_time_ = 0;
  Int128 per_half_distance_ = 0;
  Int128 per_adapter_ = 0;
  Int128 per_preference_ = 0;
  std::int64_t distance_unit_ = Decimal6::kOne;  ///< millionths of weight in a unit
};

/// Exact texts of the parts of a score in the contest's units.
std::string time_text(const Problem& problem, std::int64_t time);
std::string distance_text(const Problem& problem, std::int64_t half_distance);
std::string preference_text(std::int64_t preference);
/// Of plain half tiles.
std::string distance_text(std::int64_t half_tiles);
std::string total_text(const CostModel& costs, Int128 total);

/// `k1 = conv( … )`: what a solution file claims of one kernel. Parameters as read, unchecked. A
/// solution does not repeat a list of shapes: ShapesFormal is empty there.
struct SolutionKernel {
  std::string name;
  KernelFormal formal;
  Execution execution;
  TextPosition position;
};

/// `k1 : place(x y R0)`.
struct SolutionPlace {
  std::string name;
  std::int64_t x = 0;
  std::int64_t y = 0;
  bool rotated = false;
  TextPosition position;
};

/// The content of a solution file, in its order; may well be wrong (that is for verify to say).
struct Solution {
  std::vector<SolutionKernel> kernels;
  std::vector<SolutionPlace> places;
};

/// A placement as a solution, kernels in the problem's order, without positions.
Solution to_solution(const Problem& problem, const Placement& placement);

/// The placement that a solution describes; demands that verify finds nothing missing, duplicate
/// or unknown in it (std::logic_error otherwise).
Placement to_placement(const Problem& problem, const Solution& solution);

/// What of a solution can be started from, whatever else is wrong with it: the kernels of the
/// problem that it gives exactly one line of parameters, of the right type and formal parameters
/// and within limits, and exactly one place.
PartialPlacement to_partial_placement(const Problem& problem, const Solution& solution);

/// Reads a solution in the contest's format (docs/formats.md); `include …`, `name(…)`,
/// `k1 : name('k1)` and `kmap = union( k1 k2 )` lines, as other placers write them, are passed
/// over. Throws InputError with source:line:column for what is not of that form, numbers
/// beyond ± kMaxCoordinate included; what is of the form but wrong is left to verify.
Solution read_solution(std::string_view text, const std::string& source);

/// Writes a solution in the contest's format, kernels first, then places.
std::string write_solution(const Solution& solution);

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

inline constexpr std::array<std::string_view, 16> kViolationKindNames{
    "missing_kernel",      "missing_place", "duplicate_kernel", "duplicate_place",
    "unknown_kernel",      "wrong_type",    "wrong_formal",     "nonpositive_parameter",
    "oversized_parameter", "memory",        "out_of_bounds",    "overlap",
    "dead_tiles",          "fixed",         "inside",           "outside"};
constexpr std::span<const std::string_view> words_of(ViolationKind /*of*/) {
  return kViolationKindNames;
}
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

/// A report of schema waferloom/score/1.
Report score_report(const Problem& problem, const Judgement& judgement,
                    const std::vector<std::string>& warnings);
std::string score_schema();

/// What reports say of a judgement; has rows.
struct JudgedScore {
  Judgement judgement;
  std::optional<ScoreTexts> texts{};  ///< nothing: it cannot be computed; no total: not legal
  std::vector<std::string> warnings{};
};

/// Of a verified placement.
JudgedScore legal_score(const Problem& problem, const Score& score);

}  // namespace waferloom
