#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/mesh_operators.h"
#include "model/report.h"
#include "model/run_control.h"

namespace waferloom::planner {

/// How a row of `waferloom validate` is judged.
enum class RowKind : std::uint8_t {
  reproduced,      ///< against a figure that a paper or a log of its program shows
  closed_form,     ///< against a value derived by hand, without the code that it judges
  calibrated,      ///< a constant was fitted; judged beside what a constant model gives
  not_reproduced,  ///< known to be off from a figure that a paper or a log shows; `note` says how
  not_judged,      ///< shown beside ours; `note` says why it is not judged
};
inline constexpr std::size_t kRowKinds = 5;
inline constexpr std::array<std::string_view, kRowKinds> kRowKindNames{
    "reproduced", "closed form", "calibrated", "not reproduced", "not judged"};
constexpr std::span<const std::string_view> words_of(RowKind /*of*/) { return kRowKindNames; }
constexpr std::string_view row_kind_name(RowKind kind) {
  return kRowKindNames[static_cast<std::size_t>(kind)];
}

/// The tolerance of rows that say nothing else.
inline constexpr double kRowTolerance = 1e-6;

/// A figure that somebody published, or one derived by hand, beside ours. Exactly one of
/// `published` and `derived` is there.
struct ValidationRow {
  std::string model;      ///< the paper: "AMPeD", "DFModel", "Centimani", "PALM", "Megatron"
  std::string name;       ///< "Table II, 145B"
  std::string unit;       ///< "ns", "TFLOP/s/GPU", "days", ""
  std::string source;     ///< "Table II", "log of the public repository", "by hand"
  std::string certainty;  ///< "in paper", "from repository", "by hand"
  RowKind kind = RowKind::reproduced;
  std::optional<double> published{};       ///< in the paper or in a log
  std::optional<double> derived{};         ///< of closed forms
  std::optional<double> ours{};            ///< nothing where the program cannot compute it
  double tolerance = kRowTolerance;        ///< relative; of rows that are judged
  std::optional<double> constant_model{};  ///< what a constant model gives
  std::string note{};

  /// What ours is compared with.
  std::optional<double> reference() const { return published ? published : derived; }
  /// |value - reference| / |reference|; 0 where both are 0; nothing without a reference.
  std::optional<double> error_of(double value) const;
  /// Of ours; nothing where one of both is missing.
  std::optional<double> error() const;
  bool is_judged() const { return kind != RowKind::not_judged; }
  /// Whether ours is within the tolerance; nothing where nothing is judged.
  std::optional<bool> holds() const;
  /// Whether a judged row is not as its kind says: also where what is said not to be reproduced
  /// holds.
  bool fails() const;
};

/// Ours of a figure that planner/published/figures.json has.
struct OurFigure {
  std::string name;                 ///< of the figure
  std::optional<double> ours{};     ///< nothing where the program finds none
  std::vector<std::string> note{};  ///< a text for each {} of the figure's note
  /// What is expected, where the file says null: another table has it, or another function.
  std::optional<double> expected{};
};
using OurFigures = std::vector<OurFigure>;

/// The figures of a chapter (of kValidationChapters) beside ours, in the order of the file. Throws
/// std::logic_error where a figure has no value of ours, a value no figure, or either is there
/// twice; where not exactly one of both has what is expected; and where a note has another number
/// of {} than texts.
std::vector<ValidationRow> compared_rows(std::string_view chapter, const OurFigures& ours);

// The rows of each model, computed when called. Those that take longer throw RunCut.
std::vector<ValidationRow> amped_rows();
std::vector<ValidationRow> dfmodel_mapping_rows();  ///< partitions of kernels on a chip
/// Sharding, topologies, workloads, cost.
std::vector<ValidationRow> dfmodel_system_rows(const RunControl& control = {});
std::vector<ValidationRow> serving_rows();
std::vector<ValidationRow> centimani_rows();

// What `waferloom validate` writes, and what its summary shows of it.

/// Of --model.
inline constexpr std::array<std::string_view, 6> kValidationChapters{
    "amped", "dfmodel-chip", "dfmodel-system", "serving", "centimani", "simulation"};

/// A chapter of the comparison.
struct ValidationChapter {
  std::string_view name;  ///< one of kValidationChapters
  std::string_view title;
  std::vector<ValidationRow> rows{};
};

/// How many figures of a paper there are, and how many hold, by kind.
struct ValidationCounts {
  struct Kind {
    std::size_t figures = 0;
    std::size_t hold = 0;
    std::size_t fail = 0;
  };
  std::string model;                    ///< the paper; empty for all
  std::array<Kind, kRowKinds> kinds{};  ///< by RowKind
  void add(const ValidationRow& row);
  std::size_t figures() const;
  std::size_t judged() const;
  std::size_t hold() const;
  std::size_t failing() const;
  std::size_t not_reproduced() const;  ///< judged, and known not to hold
};
/// Of each paper in the order of its first row, then of all together.
std::vector<ValidationCounts> validation_counts(const std::vector<ValidationChapter>& chapters);

/// A number in at most eight significant digits; empty where there is none.
std::string validation_number(const std::optional<double>& value);
/// A relative figure in per cent, two digits; empty where there is none.
std::string validation_percent(const std::optional<double>& share);
/// "reproduced", "calibrated: FAILS", "not judged".
std::string validation_verdict(const ValidationRow& row);
/// Of a judged row whose tolerance is not the usual one, in per cent; else empty.
std::string validation_tolerance(const ValidationRow& row);
/// Heading and rows of the table of counts.
std::vector<std::vector<std::string>> counts_cells(const std::vector<ValidationCounts>& counts);

std::string validation_csv(const std::vector<ValidationChapter>& chapters);
/// A report of schema waferloom/validate/1.
Report validation_report(const std::vector<ValidationChapter>& chapters);
std::string validation_schema();
/// docs/validation.md.
std::string validation_page(const std::vector<ValidationChapter>& chapters);

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
Report wafer_rows_report(const std::vector<WaferRow>& rows);
std::string wafer_rows_schema();

}  // namespace waferloom::planner
