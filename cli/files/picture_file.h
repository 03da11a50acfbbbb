#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/files/output_file.h"
#include "model/option_spec.h"
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

/// The pictures that a command draws beside its result.
struct PictureRequest {
  std::vector<std::string> any;  ///< --draw
  std::optional<std::string> svg;
  std::optional<std::string> png;
};
/// --draw, --svg and --png; it draws `what`.
Options<PictureRequest> picture_options(const std::string& what);

/// The files that they name. Failure::usage as above.
std::vector<PictureFile> picture_files(const PictureRequest& request);

}  // namespace waferloom::cli
