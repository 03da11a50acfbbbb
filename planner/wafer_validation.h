#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report.h"

namespace waferloom::planner {

/// A row that was measured on a wafer, and ours beside it.
struct WaferRow {
  std::string id;
  std::string kind;     ///< "meshgemm", "meshgemv", "decode" … or the name of its procedure
  std::string how;      ///< "device", "vendor simulator", …
  std::string machine;  ///< "WSE-3"
  std::string unit{};   ///< as the row says; times are in cycles below
  std::optional<double> measured{};  ///< cycles, or in the row's unit if that is no time
  std::optional<double> ours{};      ///< likewise
  std::string figures{};             ///< of the program that ran: "programs.waferllm.fp16"
  std::string reason{};              ///< why it is not judged

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
/// and in the vendor's simulator. The others get a reason. Throws InputError with
/// source:line:column. O(rows).
std::vector<WaferRow> wafer_rows(std::string_view text, const std::string& source);

/// By kind and how, in the order in which they come first.
std::vector<WaferKind> wafer_kinds(const std::vector<WaferRow>& rows);

/// A report of schema waferloom/wafer_rows/1.
Json wafer_rows_json(const std::vector<WaferRow>& rows);

}  // namespace waferloom::planner
