#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/mesh_operators.h"
#include "model/report.h"

namespace waferloom::planner {

/// How a training step was planned beside a row.
struct TrainingSettings {
  std::string model;                 ///< as the row says
  std::int64_t batch = 1;            ///< samples of a step
  std::int64_t sequence_tokens = 1;  ///< of a sample
  std::int64_t micro_batches = 1;
  std::int64_t head_pieces = 1;
  std::string recompute{};  ///< "none", "selective", "full"
  TileGrid tiles{};
};

/// A row that was measured on a wafer, and ours beside it.
struct WaferRow {
  std::string id;
  std::string kind;     ///< "meshgemm", "meshgemv", "decode" … or the name of its procedure
  std::string how;      ///< "device", "vendor simulator", …
  std::string machine;  ///< "WSE-3"
  std::string unit{};   ///< as the row says; times are in cycles below
  std::optional<double> measured{};    ///< cycles, or in the row's unit if that is no time
  std::optional<double> ours{};        ///< likewise
  std::string figures{};               ///< of the program that ran: "programs.waferllm.fp16"
  std::string reason{};                ///< why it is not judged
  std::string note{};                  ///< of the file
  std::vector<std::string> assumed{};  ///< that the row does not say
  std::optional<TrainingSettings> settings{};  ///< of a rate of training that is judged

  bool is_judged() const { return ours.has_value(); }
  /// Ours over measured, less 1, in per cent.
  double error_percent() const;
};

/// The errors of all rows of a kind that were measured in the same way.
struct WaferKind {
  std::string kind;
  std::string how;
  std::size_t rows = 0;
  std::size_t judged = 0;
  // Of those judged, of |error|; 0 where none is.
  double median_percent = 0;
  double p90_percent = 0;
  double worst_percent = 0;
  /// Likewise the median, if the median of the measured cycles stood for every row.
  double constant_model_median_percent = 0;
};

/// Reads measured rows (JSON: lists of rows with id, machine, settings, value, unit, how and
/// procedure, under any key) and computes those of procedures that are models of ours, on devices
/// and in the vendor's simulator; and rates of training, whose rows have model,
/// global_batch_samples and sequence_tokens in place of settings. The others get a reason. Throws
/// InputError with source:line:column. O(rows), and a plan a training configuration.
std::vector<WaferRow> wafer_rows(std::string_view text, const std::string& source);

/// By kind and how, in the order in which they come first.
std::vector<WaferKind> wafer_kinds(const std::vector<WaferRow>& rows);

/// A report of schema waferloom/wafer_rows/1.
Json wafer_rows_json(const std::vector<WaferRow>& rows);

}  // namespace waferloom::planner
