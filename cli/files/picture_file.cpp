#include "cli/files/picture_file.h"

#include "cli/console/failure.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

std::string ending_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(dot);
}

[[noreturn]] void fail_to_name(const std::string& option, const std::string& expected,
                               const std::string& path) {
  throw Failure(FailureKind::usage, option + ": expected a name that ends in " + expected +
                                        ", found " + in_quotes(path));
}

}  // namespace

PictureFile picture_file(const std::string& option, const std::string& path) {
  const auto format = viz::picture_format(ending_of(path));
  if (!format) fail_to_name(option, ".svg, .png or .pdf", path);
  return {OutputFile(path), *format};
}

PictureFile picture_file(const std::string& option, const std::string& path,
                         const std::string& ending) {
  if (viz::picture_format(ending_of(path)) != viz::picture_format(ending))
    fail_to_name(option, ending, path);
  return picture_file(option, path);
}

Options<PictureRequest> picture_options(const std::string& what) {
  return {
      option(&PictureRequest::any,
             {"draw", '\0', "FILE",
              "Also draw " + what +
                  "; the ending says the format: .svg, .png or .pdf. May be given again.",
              true}),
      option(&PictureRequest::svg, {"svg", '\0', "FILE", "The same for a name that ends in .svg."}),
      option(&PictureRequest::png,
             {"png", '\0', "FILE", "The same for a name that ends in .png."})};
}

std::vector<PictureFile> picture_files(const PictureRequest& request) {
  std::vector<PictureFile> files;
  if (request.svg) files.push_back(picture_file("--svg", *request.svg, ".svg"));
  if (request.png) files.push_back(picture_file("--png", *request.png, ".png"));
  for (const std::string& path : request.any) files.push_back(picture_file("--draw", path));
  return files;
}

}  // namespace waferloom::cli
