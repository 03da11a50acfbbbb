#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/problem.h"
#include "model/report.h"

namespace waferloom::ispd2020 {

/// A case as a list shows it.
struct ListedCase {
  std::string name;  ///< "A", or a generated case's
  const Problem* problem = nullptr;
  std::optional<std::int64_t> half_best{};  ///< twice the better published total, if there is one
};

/// A report of schema waferloom/cases/1. Every case has its problem.
Report cases_report(const std::vector<ListedCase>& cases);
std::string cases_schema();

}  // namespace waferloom::ispd2020
