#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sweep/page.h"

namespace waferloom::cluster {

/// What the page of a sweep shows.
struct PageRequest {
  std::string title{};
  std::string facts{};
  std::vector<sweep::Objective> objectives{};  ///< columns of the table, at least one
  /// Columns of axes over which heat maps are drawn, if any.
  std::optional<std::pair<std::size_t, std::size_t>> heat{};
};

/// The page: the best points of each objective, fronts of each pair of objectives, heat maps, why
/// points have no answer, and all points for a download.
std::string report_page(const sweep::CollectedTable& table, const PageRequest& request);

/// The first two axes with 2 to 60 values each; nothing if there are not two.
std::optional<std::pair<std::size_t, std::size_t>> default_heat(const sweep::CollectedTable& table);

}  // namespace waferloom::cluster
