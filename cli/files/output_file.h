#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/output_file.h"

namespace waferloom::cli {

using cluster::OutputFile;
using cluster::OutputStream;

/// Throws Failure::usage if two outputs are one file, or one of them is also an input ("-" is
/// none).
void check_distinct(const std::vector<const OutputFile*>& outputs,
                    const std::vector<std::string>& inputs);

/// Writes to stdout; Failure::input if that fails. The only writer to stdout.
void write_stdout(std::string_view bytes);

}  // namespace waferloom::cli
