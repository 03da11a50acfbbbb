#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/report.h"
#include "model/workload.h"

namespace waferloom::interchange {

/// A network of another program's file.
struct ImportedNetwork {
  Network file;                      ///< its operators, as network_text writes them
  std::vector<std::string> notes{};  ///< what was assumed or left out, a sentence each
};

/// What import reports of a network of so many operators, and its schema.
Report import_report(const ImportedNetwork& network, const OperatorCount& counted,
                     std::size_t operators);
std::string import_schema();

}  // namespace waferloom::interchange
