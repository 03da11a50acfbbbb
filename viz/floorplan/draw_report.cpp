#include "viz/draw_report.h"

#include "model/describe.h"

namespace waferloom {
namespace viz {
namespace {

constexpr std::string_view kPictures[] = {"floorplan", "fabric"};

struct DrawReport {
  const WrittenPicture* picture;
  const std::vector<std::string>* warnings;
};

}  // namespace
}  // namespace viz

template <>
const TypeRows& rows_of<viz::DrawReport>() {
  using viz::DrawReport;
  using Picture = viz::WrittenPicture;
  const auto picture = [](const DrawReport& report) -> const Picture& { return *report.picture; };
  const auto warnings = [](const DrawReport& report) -> const std::vector<std::string>& {
    return *report.warnings;
  };
  static const TypeRows rows = report_file(
      "waferloom/draw/1",
      joined({through<DrawReport>(
                  picture,
                  {listed_row(row("picture", &Picture::kind, {"what is drawn"}), viz::kPictures),
                   row("output", &Picture::output, {"name of the file"}),
                   row("format", &Picture::format, {"format of the file"}),
                   row("bytes", &Picture::bytes, {"bytes of the file", kPositiveCount}),
                   row("legal", &Picture::legal,
                       {"whether the placement is legal; null for a fabric"})}),
              {computed<DrawReport>("warnings", warnings, {kWarningsMeaning})}}));
  return rows;
}

namespace viz {

Report draw_report(const WrittenPicture& picture, const std::vector<std::string>& warnings) {
  return described_report(DrawReport{&picture, &warnings});
}

std::string draw_schema() { return schema_text(rows_of<DrawReport>(), "Report of waferloom draw"); }

}  // namespace viz
}  // namespace waferloom
