#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/workload.h"

namespace waferloom::planner {

/// Layers of a transformer that are alike, as AMPeD counts them (ISPASS 2023, section IV). All
/// numbers are of one layer and, but for parameters, of one sample.
struct AmpedLayer {
  std::string name;
  double count = 1;              ///< layers that are like this
  double matrix_flop = 0;        ///< N_MAC in FLOP: a product and a sum are two
  double element_flop = 0;       ///< N_nonlin
  double activations = 0;        ///< s · h, elements
  double parameters = 0;         ///< of what every replica has
  double expert_parameters = 0;  ///< of all experts of the layer together; 0: it has none
  double saved = 0;              ///< elements that backward needs of forward
  bool has_experts() const { return expert_parameters > 0; }
};

/// A mixture of experts: every `every`-th transformer layer (the last of each so many) has
/// `experts` feed-forward networks, of which `active` work on a token.
struct AmpedExperts {
  std::int64_t experts = 0;  ///< 0 or 1: no layer has experts
  std::int64_t active = 1;
  std::int64_t every = 1;
};

struct AmpedNetwork {
  std::string name;
  std::int64_t tokens = 1;   ///< s, of a sample
  std::int64_t heads = 1;    ///< the fewest of any layer
  std::int64_t experts = 0;  ///< of a layer that has some
  AmpedExperts mixture{};    ///< which these are: the workload's own, or those asked for
  std::vector<AmpedLayer> layers;
  /// What is no transformer layer, together: embedding and head. Part of the pipeline as a layer
  /// is, but without communication of its own, and not computed again in backward.
  AmpedLayer ends;
  /// Parameters of the ends on the first and the last of several stages: what comes before the
  /// first transformer layer, and the rest. A tied head has its own copy of the embedding there.
  double first_parameters = 0;
  double last_parameters = 0;
  double layer_count() const;  ///< L: transformer layers
  double parameters() const;   ///< of layers, experts and ends
};

/// Counts a workload; `experts` are for one whose layers have none. Throws RequestError, with one
/// sentence, for experts beside a workload's own, a workload without transformer layers, `active`
/// above `experts`, `every` above the number of layers, or a number below 1; std::overflow_error as
/// count() does.
AmpedNetwork amped_network(const Workload& workload, const AmpedExperts& experts = {});

}  // namespace waferloom::planner
