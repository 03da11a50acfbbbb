#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/tile_job.h"
#include "model/hardware.h"
#include "model/report.h"
#include "planner/wafer_trust.h"

namespace waferloom::planner {

/// Types of numbers, and their bytes.
struct DataType {
  std::string_view name;
  std::int64_t bytes;
};
inline constexpr std::array<DataType, 5> kDataTypes{
    {{"fp32", 4}, {"fp16", 2}, {"bf16", 2}, {"fp8", 1}, {"int8", 1}}};

/// "521x206": columns x rows, as sizes of wafers are.
std::string grid_text(const TileGrid& tiles);

/// Whether it is known what programs of a hardware's tiles take for their steps (`programs`).
inline bool knows_programs(const Hardware& hardware) { return !hardware.programs.empty(); }

/// A hardware's tiles as operators see them. Without `programs` the steps of a program cost
/// nothing, and of multiply-adds the peak counts: what follows of it is an upper bound of rates.
/// Throws RequestError where it is no mesh, or says no multiply-adds a cycle and no peak of that
/// data type, or cycles of others alone.
TileFabric tile_fabric(const Hardware& hardware, const std::string& data_type);
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

/// A report of schema waferloom/tile/1.
Json tile_json(const TileJob& job, const TileFindings& found, const Hardware& hardware);

}  // namespace waferloom::planner
