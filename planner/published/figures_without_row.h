#pragma once

#include <string>
#include <vector>

namespace waferloom::planner {

/// A table or figure of a paper behind waferloom, or a figure of its text, that no row of
/// `waferloom validate` compares, and why.
struct FigureWithoutRow {
  std::string paper;
  std::string figure;  ///< "Figs. 4 to 9"
  std::string reason;  ///< begins with "not yet" where a row could be had
};
/// All of them, as figures.json has them; drawings and lists of symbols, which have no results, are
/// left out.
const std::vector<FigureWithoutRow>& figures_without_row();

}  // namespace waferloom::planner
