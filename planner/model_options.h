#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "model/option_spec.h"

namespace waferloom::planner {

// What the models are asked for, besides the network. Defaults are those of AmpedTraining and
// AmpedExperts, MappingSearchOptions, CentimaniOptions, ServingOptions and Speculation.

// Names of the values of BubbleForm, HierarchyForm, TransferForm, Learning, SpeculationScheme.
inline constexpr std::array<std::string_view, 2> kBubbleFormNames{"consistent", "literal"};
inline constexpr std::array<std::string_view, 2> kHierarchyFormNames{"full", "scattered"};
inline constexpr std::array<std::string_view, 2> kTransferFormNames{"one", "every"};
inline constexpr std::array<std::string_view, 2> kLearningNames{"sync", "async"};
inline constexpr std::array<std::string_view, 2> kSchemeNames{"sequence", "tree"};

std::vector<OptionSpec> amped_options();
std::vector<OptionSpec> centimani_options();
std::vector<OptionSpec> dfmodel_options();
/// Of the 80 systems objective and show; of one in their place system, execution, top; of a network
/// batch, forward.
std::vector<OptionSpec> systems_options();
std::vector<OptionSpec> serving_options();
/// Of an operator on a rectangle of tiles.
std::vector<OptionSpec> tile_options();

}  // namespace waferloom::planner
