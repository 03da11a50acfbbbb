#pragma once

#include <vector>

#include "cluster/space_files.h"

namespace waferloom::cli {

/// The commands that leave a report and nothing else that is wanted.
std::vector<cluster::SweptCommand> swept_commands();

}  // namespace waferloom::cli
