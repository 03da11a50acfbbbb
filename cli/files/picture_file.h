#pragma once

#include <string>
#include <vector>

#include "cli/files/output_file.h"
#include "cli/options/arguments.h"
#include "viz/canvas.h"

namespace waferloom::cli {

/// A picture that a command will write.
struct PictureFile {
  OutputFile file;
  viz::PictureFormat format = viz::PictureFormat::svg;
};

/// The picture whose format the ending of `path` says. Failure::usage, which names `option`, for
/// another ending than .svg, .png and .pdf.
PictureFile picture_file(const std::string& option, const std::string& path);

/// The same; the ending has to be `ending`.
PictureFile picture_file(const std::string& option, const std::string& path,
                         const std::string& ending);

/// The options --draw, --svg and --png of a command that draws `what` beside its result.
std::vector<OptionSpec> picture_options(const std::string& what);

/// The pictures that they ask for. Failure::usage as above.
std::vector<PictureFile> picture_files(const Arguments& arguments);

}  // namespace waferloom::cli
