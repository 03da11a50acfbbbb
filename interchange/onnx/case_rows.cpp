#include "interchange/onnx.h"
#include "model/describe.h"

namespace waferloom {
namespace {

/// What a report says of a case that was made of a model.
struct CaseFacts {
  std::string name;
  std::size_t nodes = 1;
  std::int64_t batch = 1;
  std::size_t kernels = 1;
  std::size_t edges = 0;
  std::int64_t multiply_adds = 0;
  std::int64_t parameters = 0;
  std::vector<interchange::LeftOutOperator> left_out;
  double left_out_share = 0;
  std::vector<std::string> notes;
};

}  // namespace

template <>
const TypeRows& rows_of<interchange::LeftOutOperator>() {
  using Left = interchange::LeftOutOperator;
  static const TypeRows rows =
      report_rows({row("operator", &Left::name, {"its domain and name"}),
                   row("count", &Left::count, {"nodes of it", kPositiveCount}),
                   row("elements", &Left::elements, {"elements that its nodes make", kCount}),
                   row("node", &Left::node, {"the first of its nodes"}),
                   row("inputs", &Left::inputs, {"the sizes of that node's inputs"})});
  return rows;
}

template <>
const TypeRows& rows_of<CaseFacts>() {
  using Facts = CaseFacts;
  static const TypeRows rows = report_file(
      "waferloom/import_case/1",
      {row("name", &Facts::name, {"name of the case"}),
       row("nodes", &Facts::nodes, {"nodes of the model", kPositiveCount}),
       row("batch", &Facts::batch, {"samples that the model computes at once", kPositiveCount}),
       row("kernels", &Facts::kernels, {"kernels of the case", kPositiveCount}),
       row("edges", &Facts::edges, {"edges between kernels", kCount}),
       row("multiply_adds", &Facts::multiply_adds,
           {"multiply-adds of all samples of the batch", kCount}),
       row("parameters", &Facts::parameters, {"parameters of the model", kCount}),
       row("left_out", &Facts::left_out, {"operators that nobody knows"}),
       row("left_out_share", &Facts::left_out_share,
           {"their share of all elements that the model's nodes make", kShare}),
       row("notes", &Facts::notes, {"what was assumed or left out"})});
  return rows;
}

namespace interchange {

double left_out_share(const OnnxFacts& facts) {
  double elements = 0;
  for (const LeftOutOperator& row : facts.left_out) elements += static_cast<double>(row.elements);
  return facts.elements > 0 ? elements / static_cast<double>(facts.elements) : 0;
}

Report import_case_report(const OnnxCase& imported) {
  const OnnxFacts& facts = imported.facts;
  return described_report(
      CaseFacts{facts.name, facts.nodes, facts.batch, imported.problem.kernel_count(),
                imported.problem.connections().size(), facts.multiply_adds, facts.parameters,
                facts.left_out, left_out_share(facts), facts.notes});
}

std::string import_case_schema() {
  return schema_text(rows_of<CaseFacts>(), "waferloom/import_case/1");
}

}  // namespace interchange
}  // namespace waferloom
