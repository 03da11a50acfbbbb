#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/mesh_operators.h"
#include "kernels/tile_job.h"
#include "model/hardware.h"
#include "model/option_spec.h"
#include "model/report.h"

namespace waferloom::planner {

/// The mesh of a part of a plan, and the sides of a tile's blocks; 0: not told.
struct TrustReach {
  std::int64_t tiles = 0;
  std::int64_t least_block = 0;
  std::int64_t most_block = 0;
};

/// A part of a plan, and the model that gives its time: the words of MeasuredBacking.
struct TrustPart {
  std::string part;       ///< "decode"
  std::string what;       ///< of the backing that would hold for it
  std::string algorithm;  ///< likewise; empty: any
  /// The figure of the hardware file that counts where nothing was measured; empty: programs.
  std::string key{};
  TrustReach reach{};
  /// Whether this part is the program that was measured, and no other that has its figures.
  bool is_program = false;
};

/// A part of a report and what backs it.
struct TrustRow {
  std::string part;
  /// "measured": the machine was measured on this program; "calibrated": its figures come from
  /// measurements of other programs; "assumed"; "upper bound": what programs take is not known, and
  /// left out.
  std::string kind;
  std::string note;
  std::optional<MeasuredBacking> backing{};
  TrustReach reach{};
  /// Whether the part lies in the range of meshes and blocks that was measured; nothing where
  /// either is not told.
  std::optional<bool> inside{};
};

/// Whether a mesh and its blocks lie in the range of a backing; nothing where either is not told.
std::optional<bool> is_inside(const MeasuredBacking& backing, const TrustReach& reach);
/// The reach of a part of a language model on a region: blocks of a matrix of tokens x features, or
/// features x features.
TrustReach reach_of(const TileGrid& region, const MatrixShape& matrix);

/// Why what is planned on a machine is an upper bound; empty where it is none.
std::string upper_bound_note(const Hardware& hardware);

/// What reports say of a row `trust`.
inline constexpr std::string_view kTrustMeaning = "what backs each part";

/// What backs the parts of a plan on a machine: measurements of the same program if the hardware
/// tells any (its `backing`), else the sources of its `programs` of that data type. The clock
/// and the ports follow, by their sources; an upper bound where numbers are kept in fewer bits,
/// which operators widen in no time.
std::vector<TrustRow> trust_card(const Hardware& hardware, std::string_view data_type,
                                 const std::vector<TrustPart>& parts, const KeptNumbers& kept = {});

/// Types of numbers, and their bytes.
struct DataType {
  std::string_view name;
  std::int64_t bytes;
};
inline constexpr std::array<DataType, 5> kDataTypes{
    {{"fp32", 4}, {"fp16", 2}, {"bf16", 2}, {"fp8", 1}, {"int8", 1}}};

/// "521x206": columns x rows, as sizes of wafers are.
std::string grid_text(const TileGrid& tiles);

/// Whether a hardware is a wafer of small tiles: a mesh whose tiles have SRAM and no DRAM of their
/// own.
bool is_wafer_of_tiles(const Hardware& hardware);

/// Whether it is known what programs of a hardware's tiles take for their steps (`programs`).
inline bool knows_programs(const Hardware& hardware) { return !hardware.programs.empty(); }

/// A hardware's tiles as operators of a network see them that keeps numbers so. Without `programs`
/// the steps of a program cost nothing, and of multiply-adds the peak counts: what follows of it is
/// an upper bound of rates. Throws RequestError where it is no mesh, or says no multiply-adds a
/// cycle and no peak of that data type, or cycles of others alone.
TileFabric tile_fabric(const Hardware& hardware, const std::string& data_type,
                       const KeptNumbers& kept = {});
/// Cycles that a link between groups of tiles takes for a word, at least one.
double group_word_cycles(const Hardware& hardware, const TileFabric& fabric);

struct TileFindings {
  TileFabric fabric;
  std::string data_type;
  std::vector<TileChoice> choices;  ///< the fastest that fits first, those that do not fit last
  double roofline_cycles = 0;       ///< of the multiply-adds on all tiles, nothing else
  /// Of reductions and all-reduces along a line: no algorithm takes fewer cycles.
  std::optional<double> bound_cycles{};
};

/// What an operator costs, by each algorithm. Throws InfeasibleError where the rectangle is beyond
/// the mesh, or where no algorithm fits a tile's memory: with the bytes that are needed and there,
/// and the nearest square that fits. RequestError as tile_fabric, without `programs`, and for an
/// unknown algorithm.
TileFindings run_tile_job(const TileJob& job, const Hardware& hardware,
                          const std::string& data_type);

/// What backs an algorithm of an operator: "measured" where the program that was measured does just
/// this, "calibrated" where it has its figures, "closed form" where nothing was measured.
TrustRow tile_trust(const TileJob& job, const TileChoice& choice, const Hardware& hardware,
                    std::string_view data_type);

/// Cycles of an algorithm if programs cost nothing: in closed form, and as the words moved.
struct MovedWords {
  double closed_form = 0;
  std::int64_t moved = 0;
};
using TileInside = std::vector<MovedWords>;  ///< by place in the choices; empty: not asked for

/// A report of schema waferloom/tile/1.
Report tile_report(const TileJob& job, const TileFindings& found, const TileInside& inside,
                   const Hardware& hardware);
std::string tile_schema();

/// What an operator on a rectangle of tiles is asked for; what is nothing is not given.
struct TileQuestion {
  std::array<std::optional<std::int64_t>, kTileExtents.size()> extents{};
  std::optional<std::int64_t> kv_heads{};
  std::optional<double> load{};
  std::optional<MatrixLayout> from{};
  std::optional<MatrixLayout> to{};
  std::int64_t groups = 0;
  std::optional<std::string> tiles{};  ///< WxH
  std::string data_type = "fp16";
  std::string algorithm = "all";
  bool inside = false;
};
Options<TileQuestion> tile_options();

}  // namespace waferloom::planner
