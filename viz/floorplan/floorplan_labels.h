#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "viz/floorplan/inside_labels.h"
#include "viz/floorplan/outside_labels.h"

namespace waferloom::viz {

/// "in" or "out" on a kernel that touches a network input or output.
struct TerminalMark {
  Box place;
  std::string text;
  bool upwards = false;
};

/// How large a tensor is, beside its arrow.
struct TensorLabel {
  Box place;
  std::string text;
};

/// All text on a floorplan's kernels, where their mesh begins at (0, 0) of the page.
struct FloorplanLabels {
  struct Inside {
    std::size_t kernel = 0;
    InsideLabel label;
  };
  std::vector<Inside> inside;
  OutsideLabels outside;
  std::vector<TerminalMark> marks;
  std::vector<TensorLabel> tensors;
};

void draw_terminal_mark(Canvas& canvas, const Box& place, const std::string& text,
                        bool upwards = false);

}  // namespace waferloom::viz
