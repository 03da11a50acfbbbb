#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waferloom::ispd2020 {

/// One line of GigaPlacer's Table 1: what a placer reached on a case (ASP-DAC 2021, Table 1).
/// Distances and costs are whole halves, so half_* = 2 × the printed number, exact.
/// The paper rounds once: the contest winner's time on S is printed as 2396300 where the contest's
/// rules give 2396304, and its cost there is the weighted sum of the printed parts.
struct PublishedResult {
  std::int64_t time = 0;           ///< slowest kernel, contest units
  std::int64_t half_distance = 0;  ///< L1 between centres, half tiles
  std::int64_t adapter = 0;        ///< mismatches
  std::int64_t half_cost = 0;      ///< weighted sum with the case's weights, half units
  std::int64_t runtime_s = 0;      ///< seconds, GigaPlacer's on a 1.6 GHz i5-10210U
  bool operator==(const PublishedResult&) const = default;
};

/// Both published results of a case.
struct PublishedCase {
  std::string name;  ///< "A" … "T"
  std::int64_t kernels = 0;
  PublishedResult contest_winner;
  PublishedResult gigaplacer;
};

/// All 20 cases, A to T.
const std::vector<PublishedCase>& published_cases();
/// Throws std::logic_error for a name that is not there; so does the next.
const PublishedCase& published_case(const std::string& name);
/// The published result of lower cost; the contest winner's where they are equal.
const PublishedResult& best_published(const std::string& name);

}  // namespace waferloom::ispd2020
