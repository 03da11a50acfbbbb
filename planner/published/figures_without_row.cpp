#include "planner/published/figures_without_row.h"

namespace waferloom::planner {

const std::vector<FigureWithoutRow>& figures_without_row() {
  static const std::vector<FigureWithoutRow> figures{
      {"PALM", "Tables I, VI", "parameters of machines, which go in"},
      {"PALM", "Table IV, published column",
       "Megatron's Table 1, converted with fewer operations; its own figures are judged above"},
      {"PALM", "Table V", "not yet: `scripts/study_table_v.py`, docs/studies.md"},
      {"PALM", "Table VII, published column", "Megatron's figures, scaled by computing power"},
      {"PALM", "Fig. 6",
       "a plot without numbers; its formula: `scripts/study_all_reduce.py`, docs/collectives.md"},
      {"PALM", "Fig. 7",
       "a plot; not yet the text's 30 and 50 %: `scripts/study_stacking.py`, docs/collectives.md"},
      {"PALM", "Figs. 8 to 10",
       "layouts and plots without numbers; not yet the text's 2 x: `scripts/study_parallelism.py`, "
       "docs/studies.md"},
      {"PALM", "Figs. 11, 12",
       "plots; not yet the text's 3.08 x and 1.23 x: `scripts/study_adapters.py`, "
       "docs/collectives.md"},
      {"GigaPlacer", "Table 1",
       "not yet: `waferloom bench` and benchmarks_ispd2020/README.md have its totals beside ours"},
      {"GigaPlacer", "Figs. 5, 7", "pictures of placements whose coordinates are not printed"},
      {"GigaPlacer", "Fig. 8; 3 % of distance and 25.1 % of adapter cost",
       "not yet: what its refinements save; `scripts/ablation.py` tells what ours save"},
      {"AMPeD", "Tables I, IV", "parameters of machines, which go in"},
      {"AMPeD", "Fig. 1", "use of processors over time, without numbers"},
      {"AMPeD", "Figs. 2a, 2b",
       "plots without numbers of measurements whose batch and efficiency are not told"},
      {"AMPeD", "Fig. 2c",
       "a plot without numbers; the text has its errors (11 and 2 %), not the points or "
       "efficiency"},
      {"AMPeD", "Fig. 3", "a plot without numbers"},
      {"AMPeD", "Figs. 4 to 9", "plots without numbers; what the text tells has rows (Case I)"},
      {"AMPeD", "Figs. 10, 11",
       "plots without numbers; what the text tells has rows (low-end and optical studies)"},
      {"DFModel", "Table V", "parameters of chips, which go in"},
      {"DFModel", "Fig. 6; 1.25 x, 10 % and 60 % of measured; 12 % with drafts",
       "bars without numbers, of systems whose settings are not told"},
      {"DFModel", "Fig. 7; 3.1 % of Rail-Only", "bars without numbers; the settings are not told"},
      {"DFModel", "Fig. 8; 4.1 % of Calculon",
       "not yet: bars without numbers, of another program's predictions"},
      {"DFModel", "Figs. 10 to 17", "maps and plots without numbers; what the text tells has rows"},
      {"DFModel", "prices of silicon, memories and links",
       "the paper shows none; ours are assumed (docs/design_space.md)"},
      {"DFModel", "section VII-B, 3 % of measured", "the measured figure is not printed"},
      {"DFModel", "Fig. 18", "a plot without numbers; Table VI has the speed-ups"},
      {"DFModel", "Fig. 19, 1.63 x",
       "not yet: FFN0's weights on one of four chips, 302 MB, exceed two of its three SRAMs; how "
       "they stream, and the links, are not told"},
      {"DFModel", "Fig. 20", "plots without numbers; what the public logs have of it has rows"},
      {"DFModel", "Fig. 21",
       "plots without numbers; that a sequence gains by acceptance, and least with 70B, is true of "
       "any model: no row"},
      {"DFModel", "Fig. 22", "a plot without numbers; what the text tells has rows"},
      {"Centimani", "Table 2, speed-ups of each machine",
       "measured; would need its tables of measured operators"},
      {"Centimani", "Table 3, Fig. 5",
       "measured, which goes in; columns of the table are shifted by OCR"},
      {"Centimani", "the evaluation", "not in the fragment at hand"},
  };
  return figures;
}

}  // namespace waferloom::planner
