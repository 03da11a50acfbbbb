#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/hardware.h"
#include "model/option_spec.h"
#include "model/plan.h"
#include "model/report.h"
#include "model/workload.h"

namespace waferloom::planner {

/// A memory that is too small.
struct ShortLevel {
  std::size_t level = kSramLevel;
  double needed_bytes = 0;
  double bytes = 0;  ///< that it has
};

struct BatchCandidate {
  std::int64_t batch = 1;
  std::vector<double> level_bytes{};  ///< estimates, SRAM first
  /// 10 · (Real_on - Est_on)² + (Real_off - Est_off)², bytes²; off: all memories beside the chip's.
  double objective = 0;
  std::optional<ShortLevel> lacks{};  ///< the memory that is exceeded by most; none: it fits
};

struct BatchChoice {
  std::vector<BatchCandidate> candidates;  ///< in the order given
  std::optional<std::size_t> best{};       ///< among them
  /// Of the candidate that lacks least: "sram needs 2,000,000 bytes and has 1,000,000 with a batch
  /// of 1"; empty where one fits.
  std::string why_none(const System& system) const;
};

/// An operator as the walk sees it. Bytes are those of a sample, unless a field says otherwise.
struct OperatorFootprint {
  std::string name;
  double parameters = 0;    ///< a number, not bytes
  double weight_bytes = 0;  ///< of those as the network keeps them
  double output_bytes = 0;
  double saved_bytes = 0;    ///< kept from forward to backward besides inputs
  double scratch_bytes = 0;  ///< work space; does not grow with the samples
  bool keeps_inputs = true;  ///< backward needs what forward took
  std::vector<std::size_t> after{};
  double input_bytes = 0;  ///< that no operator made
};

/// How a network is trained.
struct TrainingOptions {
  std::int64_t batch = 1;  ///< samples that a chip takes at once
  double element_bytes = 2;
  Optimizer optimizer = Optimizer::adam;
  bool shared = false;  ///< gradients go to other chips: adds a buffer for the largest gradient
};

/// Loading and preprocessing of a batch.
struct HostTime {
  double load_s = 0;
  double preprocess_s = 0;
};

/// What is done to gradients before they travel (section 4.3.3).
struct Compression {
  double value_bits = 0;   ///< of an element; 0: as it is
  double density = 1;      ///< part of the elements that is sent
  double index_bits = 32;  ///< beside each of these, where density is below 1
};

enum class Learning : std::uint8_t { synchronous, asynchronous };

/// The parts of a step.
struct StepTimes {
  HostTime host{};
  double compute_s = 0;
  double transfer_s = 0;  ///< between the parts of the network
  double exchange_s = 0;  ///< of gradients
  double serial_s() const {
    return host.load_s + host.preprocess_s + compute_s + transfer_s + exchange_s;
  }
};

// Centimani as a whole: which batch a chip should take, and how long a step of training is then.

struct CentimaniOptions {
  std::vector<std::int64_t> batches{};  ///< candidates, samples of one replica at once
  std::int64_t chips = 1;
  std::int64_t stages = 1;  ///< parts of the network, a chip each; divides `chips`
  Learning learning = Learning::synchronous;
  Compression compression{};
  double element_bytes = 2;
  Optimizer optimizer = Optimizer::adam;
  OperatorTable measured{};
  std::int64_t replicas() const { return chips / stages; }
};

/// A network cut into parts of operators that stand side by side, with FLOP as equal as the first
/// cut behind each multiple of the mean makes them. [first, last] of each.
using StageRange = std::pair<std::size_t, std::size_t>;
std::vector<StageRange> cut_stages(const Workload& workload, std::int64_t stages);

/// Peak bytes of each memory, SRAM first, of the part that needs most of it.
std::vector<double> level_bytes(const Workload& workload, const std::vector<StageRange>& stages,
                                const System& system, const TrainingOptions& training);

/// One candidate's step.
struct BatchTime {
  StepTimes stages{};
  double step_s = 0;                   ///< without overlaps counted twice
  double samples_per_s = 0;            ///< of all replicas
  std::size_t measured_operators = 0;  ///< the rest by the roofline
};

struct CentimaniResult {
  BatchChoice choice;
  std::vector<BatchTime> times;  ///< of each candidate, whether it fits or not
  std::vector<StageRange> ranges;
  std::vector<double> class_bytes;  ///< of the chosen batch, the largest part; empty if none fits
};

/// Batches, memories and times. Throws RequestError for stages that do not divide the
/// chips or are more than the operators, chips that the system does not have, a network that it
/// does not have; std::overflow_error for a workload beyond 2^60.
/// O(batches · (operators + tensors + measurements · operators)).
CentimaniResult centimani(const Workload& workload, const System& system,
                          const CentimaniOptions& options);

inline constexpr std::array<std::string_view, 2> kLearningNames{"sync", "async"};
constexpr std::span<const std::string_view> words_of(Learning /*of*/) { return kLearningNames; }

/// What the model is asked for, besides the network; texts are numbers between commas.
struct CentimaniChoice {
  MachineChoice machine{"a100_40gb"};
  std::optional<std::string> batches{};
  std::optional<std::string> compress{};
  CentimaniOptions options{};  ///< without batches, compression and measured times
};
Options<CentimaniChoice> centimani_options();

/// The batch of most samples per second of those that fit every memory, as an index into
/// `found.times`; of equals (to 1e-9) the last, as
/// of equals the rule takes the larger batch. None where none fits. The rule that chooses `best`
/// looks at memory alone, so that the two may differ.
std::optional<std::size_t> fastest_batch(const CentimaniResult& found);

/// A report of schema waferloom/centimani/1, of a result with a best batch.
Report centimani_report(const Workload& workload, const System& system,
                        const CentimaniOptions& options, const CentimaniResult& found);
std::string centimani_schema();
/// A row a batch. The verdict is `chosen` of the batch that the rule chooses, `fastest` of the one
/// of most samples per second, `chosen, fastest` if they are one.
TextTable batches_table(const System& system, const CentimaniResult& found);

}  // namespace waferloom::planner
