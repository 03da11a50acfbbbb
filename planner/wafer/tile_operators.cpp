#include "planner/tile_operators.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/errors.h"
#include "model/number_text.h"

namespace waferloom::planner {
namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

std::string grid_text(const TileGrid& tiles) {
  return std::to_string(tiles.rows) + "x" + std::to_string(tiles.columns);
}

std::string_view name_of(TileOperatorKind kind) {
  return kTileOperatorNames[static_cast<std::size_t>(kind)];
}

/// A reduction of every tile's elements along a row, as an operator.
MeshOperator line_reduction(const TileJob& job, const TileFabric& fabric, LineReduction reduction) {
  const double words = as_double(words_of(fabric, job.elements));
  const LineTraffic traffic = reduction_traffic(reduction, job.tiles.columns, words, job.groups);
  const double moving = std::max(traffic.contention, traffic.energy / traffic.links);
  MeshOperator cost;
  cost.used = job.tiles;
  cost.parts.words = moving;
  cost.parts.start = (2 * fabric.ramp_cycles + 1) * traffic.depth;
  cost.parts.hops = traffic_cycles(fabric, traffic) - moving - cost.parts.start;
  cost.words_per_link = std::max(traffic.energy / traffic.links,
                                 reduction == LineReduction::star ? traffic.contention : 0);
  cost.colours = reduction == LineReduction::star ? 1 : 2;
  cost.bytes_per_tile = 2 * job.elements * fabric.element_bytes + fabric.program_bytes;
  return cost;
}

std::vector<TileChoice> choices_of(const TileJob& job, const TileFabric& fabric) {
  std::vector<TileChoice> choices;
  switch (job.kind) {
    case TileOperatorKind::gemm:
      for (std::size_t i = 0; i < kGemmAlgorithmNames.size(); ++i) {
        const auto algorithm = static_cast<GemmAlgorithm>(i);
        const bool is_measured =
            algorithm == GemmAlgorithm::meshgemm || algorithm == GemmAlgorithm::summa;
        choices.push_back({kGemmAlgorithmNames[i],
                           mesh_gemm(fabric, algorithm, job.shape, job.tiles), is_measured});
      }
      break;
    case TileOperatorKind::gemv:
      choices.push_back({"two-way chain",
                         mesh_gemv(fabric, job.shape.m, job.shape.n, job.tiles, job.groups), true});
      choices.push_back({"chain", mesh_gemv(fabric, job.shape.m, job.shape.n, job.tiles, 1)});
      break;
    case TileOperatorKind::shift:
      choices.push_back({"relay", mesh_shift(fabric, job.elements, job.distance, job.tiles), true});
      break;
    case TileOperatorKind::norm:
      choices.push_back(
          {"two-way chain", mesh_norm(fabric, job.shape.m, job.shape.n, job.tiles, job.groups)});
      break;
    case TileOperatorKind::softmax:
      choices.push_back(
          {"two-way chain", mesh_softmax(fabric, job.shape.m, job.shape.n, job.tiles, job.groups)});
      break;
    case TileOperatorKind::element_wise:
      choices.push_back({"local", mesh_element_wise(fabric, job.elements, 1, job.tiles)});
      break;
    case TileOperatorKind::transpose:
      choices.push_back(
          {"rows first", mesh_transpose(fabric, job.shape.m, job.shape.n, job.tiles)});
      break;
    case TileOperatorKind::attention:
      choices.push_back(
          {"two-way chain", mesh_decode_attention(fabric, job.block.attention, job.block.kv_heads,
                                                  job.tiles, job.groups)});
      break;
    case TileOperatorKind::block:
      choices.push_back(
          {"two-way chain", mesh_decode_block(fabric, job.block, job.tiles, job.groups).whole});
      break;
    case TileOperatorKind::reduce:
      for (std::size_t i = 0; i < kLineReductionNames.size(); ++i) {
        choices.push_back(
            {kLineReductionNames[i], line_reduction(job, fabric, static_cast<LineReduction>(i))});
      }
      break;
  }
  if (!job.algorithm) return choices;
  std::vector<std::string> known;
  for (const TileChoice& choice : choices) known.emplace_back(choice.algorithm);
  std::erase_if(choices,
                [&](const TileChoice& choice) { return choice.algorithm != *job.algorithm; });
  if (!choices.empty()) return choices;
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  throw RequestError(std::string(name_of(job.kind)) + " has no algorithm " + *job.algorithm +
                     "; it has " + names);
}

/// Marks what does not fit; whether anything fits.
bool mark_memory(std::vector<TileChoice>& choices, const Hardware& hardware) {
  if (!hardware.sram_bytes_per_tile) return true;
  bool any_fits = false;
  for (TileChoice& choice : choices) {
    if (choice.cost.bytes_per_tile <= *hardware.sram_bytes_per_tile) {
      any_fits = true;
    } else {
      choice.lacks = "needs " + std::to_string(choice.cost.bytes_per_tile) + " bytes a tile of " +
                     std::to_string(*hardware.sram_bytes_per_tile);
    }
  }
  return any_fits;
}

/// The smallest square of more tiles on which some algorithm fits; nothing if there is none.
std::optional<TileGrid> nearest_fit(TileJob job, const TileFabric& fabric,
                                    const Hardware& hardware) {
  const std::int64_t most = std::min(hardware.wafer.width, hardware.wafer.height);
  for (std::int64_t side = std::min(job.tiles.rows, job.tiles.columns) + 1; side <= most; ++side) {
    job.tiles = {side, side};
    std::vector<TileChoice> choices = choices_of(job, fabric);
    if (mark_memory(choices, hardware)) return job.tiles;
  }
  return std::nullopt;
}

void demand_room(const TileJob& job, const Hardware& hardware) {
  if (job.tiles.rows <= hardware.wafer.height && job.tiles.columns <= hardware.wafer.width) return;
  throw InfeasibleError(std::string(name_of(job.kind)) + ": " + grid_text(job.tiles) +
                        " tiles are more rows or columns than " + hardware.name + " has, " +
                        std::to_string(hardware.wafer.height) + "x" +
                        std::to_string(hardware.wafer.width));
}

}  // namespace

TileFabric tile_fabric(const Hardware& hardware, const std::string& data_type) {
  demand_mesh(hardware, "an operator on a rectangle of tiles");
  if (!hardware.tile_cycles) {
    throw RequestError(hardware.name +
                       " has no tile_cycles, what its tiles take for the steps of a program");
  }
  const auto type = std::find_if(kDataTypes.begin(), kDataTypes.end(),
                                 [&](const DataType& known) { return known.name == data_type; });
  const auto lanes = hardware.multiply_adds_per_cycle.find(data_type);
  if (type == kDataTypes.end() || lanes == hardware.multiply_adds_per_cycle.end()) {
    std::string known;
    for (const auto& [name, count] : hardware.multiply_adds_per_cycle) {
      known += (known.empty() ? "" : ", ") + name;
    }
    throw RequestError(hardware.name + " says no multiply_adds_per_cycle of " + data_type +
                       "; it has " + (known.empty() ? "none" : known));
  }
  constexpr double kDefaultRamp = 2;
  constexpr double kSecond = 1e12;
  TileFabric fabric;
  fabric.cycles = *hardware.tile_cycles;
  fabric.hop_cycles = hardware.hop_cycles ? as_double(*hardware.hop_cycles)
                                          : as_double(hardware.link.latency_ps) *
                                                as_double(hardware.clock_hz) / kSecond;
  fabric.ramp_cycles = hardware.ramp_cycles ? as_double(*hardware.ramp_cycles) : kDefaultRamp;
  fabric.lanes = lanes->second;
  fabric.element_bytes = type->bytes;
  fabric.program_bytes = hardware.program_bytes_per_tile;
  return fabric;
}

TileFindings run_tile_job(const TileJob& job, const Hardware& hardware) {
  demand_room(job, hardware);
  TileFindings found;
  found.fabric = tile_fabric(hardware, job.data_type);
  found.choices = choices_of(job, found.fabric);
  if (!mark_memory(found.choices, hardware)) {
    const auto least = std::min_element(found.choices.begin(), found.choices.end(),
                                        [](const TileChoice& a, const TileChoice& b) {
                                          return a.cost.bytes_per_tile < b.cost.bytes_per_tile;
                                        });
    const auto fit = nearest_fit(job, found.fabric, hardware);
    throw InfeasibleError(
        std::string(name_of(job.kind)) + " on " + grid_text(job.tiles) + " tiles " + least->lacks +
        "; " +
        (fit ? grid_text(*fit) + " would do" : "no square of " + hardware.name + " would do"));
  }
  std::stable_sort(found.choices.begin(), found.choices.end(),
                   [](const TileChoice& a, const TileChoice& b) {
                     if (a.lacks.empty() != b.lacks.empty()) return a.lacks.empty();
                     return a.cost.parts.total() < b.cost.parts.total();
                   });
  const double tiles = as_double(job.tiles.rows) * as_double(job.tiles.columns);
  found.roofline_cycles =
      found.choices.front().cost.multiply_adds / (tiles * as_double(found.fabric.lanes));
  if (job.kind == TileOperatorKind::reduce) {
    found.bound_cycles = least_reduction_cycles(found.fabric, job.tiles.columns,
                                                as_double(words_of(found.fabric, job.elements)));
  }
  return found;
}

Json tile_json(const TileJob& job, const TileFindings& found, const Hardware& hardware) {
  Json report = new_report("tile");
  report["operator"] = name_of(job.kind);
  report["hardware"] = hardware.name;
  report["data_type"] = job.data_type;
  report["tiles"] = {{"rows", job.tiles.rows}, {"columns", job.tiles.columns}};
  report["clock_hz"] = hardware.clock_hz;
  report["roofline_cycles"] = found.roofline_cycles;
  report["bound_cycles"] = found.bound_cycles ? Json(*found.bound_cycles) : Json();
  report["algorithms"] = Json::array();
  for (const TileChoice& choice : found.choices) {
    const MeshOperator& cost = choice.cost;
    const double total = cost.parts.total();
    report["algorithms"].push_back({{"algorithm", choice.algorithm},
                                    {"backing", choice.is_measured ? "measured" : "closed form"},
                                    {"fits", choice.lacks.empty()},
                                    {"cycles", total},
                                    {"seconds", total / as_double(hardware.clock_hz)},
                                    {"parts",
                                     {{"start", cost.parts.start},
                                      {"local", cost.parts.local},
                                      {"words", cost.parts.words},
                                      {"hops", cost.parts.hops}}},
                                    {"tiles_used", cost.used.rows * cost.used.columns},
                                    {"share_of_roofline", found.roofline_cycles / total},
                                    {"words_per_link", cost.words_per_link},
                                    {"link_share", cost.link_share()},
                                    {"colours", cost.colours},
                                    {"bytes_per_tile", cost.bytes_per_tile}});
  }
  return report;
}

}  // namespace waferloom::planner
