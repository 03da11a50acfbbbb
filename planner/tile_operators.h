#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/mesh_collectives.h"
#include "kernels/mesh_operators.h"
#include "model/hardware.h"
#include "model/report.h"

namespace waferloom::planner {

/// Types of numbers, and their bytes.
struct DataType {
  std::string_view name;
  std::int64_t bytes;
};
inline constexpr std::array<DataType, 5> kDataTypes{
    {{"fp32", 4}, {"fp16", 2}, {"bf16", 2}, {"fp8", 1}, {"int8", 1}}};

/// A hardware's tiles as operators see them. Throws RequestError where it is no mesh, has no
/// `tile_cycles`, or says no multiply-adds a cycle of that data type.
TileFabric tile_fabric(const Hardware& hardware, const std::string& data_type);

/// Operators that `model tile` knows.
enum class TileOperatorKind : std::uint8_t {
  gemm,
  gemv,
  shift,
  reduce,
  norm,
  softmax,
  element_wise,
  transpose,
  attention,  ///< of one new token
  block,      ///< a transformer's, decoding one token
};
inline constexpr std::array<std::string_view, 10> kTileOperatorNames{
    "gemm",    "gemv",         "shift",     "reduce",    "norm",
    "softmax", "element-wise", "transpose", "attention", "block"};

/// An operator, and the rectangle of tiles that it has.
struct TileJob {
  TileOperatorKind kind = TileOperatorKind::gemm;
  GemmShape shape{};          ///< of gemv, norm, softmax and transpose k is 1
  std::int64_t elements = 1;  ///< of shift and reduce of a tile, of element-wise work of all
  std::int64_t distance = 1;  ///< of shift
  DecodeBlock block{};        ///< of attention and block
  std::int64_t groups = 0;    ///< of all-reduces, or tiles of one of two-phase; 0: the best
  TileGrid tiles{};
  std::string data_type = "fp16";
  std::optional<std::string> algorithm{};  ///< nothing: all of them
};

/// An algorithm for an operator, and what it costs.
struct TileChoice {
  std::string_view algorithm;
  MeshOperator cost;
  bool is_measured = false;  ///< rows of this program were measured on some wafer
  std::string lacks{};       ///< what is short, where it does not fit
};

struct TileFindings {
  TileFabric fabric;
  std::vector<TileChoice> choices;  ///< the fastest that fits first, those that do not fit last
  double roofline_cycles = 0;       ///< of the multiply-adds on all tiles, nothing else
  /// Of a reduction: no algorithm takes fewer cycles.
  std::optional<double> bound_cycles{};
};

/// What an operator costs, by each algorithm. Throws InfeasibleError where the rectangle is beyond
/// the mesh, or where no algorithm fits a tile's memory: with the bytes that are needed and there,
/// and the nearest square that fits. RequestError as tile_fabric.
TileFindings run_tile_job(const TileJob& job, const Hardware& hardware);

/// A report of schema waferloom/tile/1.
Json tile_json(const TileJob& job, const TileFindings& found, const Hardware& hardware);

}  // namespace waferloom::planner
