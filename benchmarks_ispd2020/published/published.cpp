#include "benchmarks_ispd2020/published.h"

#include <algorithm>
#include <stdexcept>

namespace waferloom::ispd2020 {
const std::vector<PublishedCase>& published_cases() {
  // case, kernels, {time, distance × 2, adapter, cost × 2, seconds} of the winner and GigaPlacer
  static const std::vector<PublishedCase> rows = {
      {"A", 16, {34496, 2628, 15, 71620, 35}, {34496, 2379, 16, 71371, 3}},
      {"B", 32, {63504, 5279, 18, 132287, 37}, {64512, 4008, 10, 133032, 15}},
      {"C", 100, {64512, 4816, 185, 133840, 210}, {64768, 3919, 249, 133455, 59}},
      {"D", 52, {33712, 5444, 123, 72868, 37}, {33712, 4169, 137, 71593, 22}},
      {"E", 16, {39312, 1124, 11, 92064, 76}, {39312, 1139, 8, 91614, 5}},
      {"F", 32, {65170, 2979, 12, 162530, 116}, {65170, 2977, 14, 162910, 15}},
      {"G", 100, {64512, 5017, 98, 198794, 188}, {71680, 3891, 17, 185670, 56}},
      {"H", 52, {39520, 2209, 49, 110930, 76}, {43008, 1774, 12, 106156, 20}},
      {"I", 25, {52136, 1235, 13, 109212, 69}, {49392, 2569, 10, 109060, 10}},
      {"J", 79, {50274, 4945, 69, 120328, 90}, {49392, 3976, 134, 114688, 49}},
      {"K", 16, {432, 480, 3, 2784, 28}, {504, 423, 7, 2700, 1}},
      {"L", 52, {864, 558, 18, 3960, 38}, {864, 566, 178, 3992, 16}},
      {"M", 23, {2211840, 7221, 41, 4452564, 68}, {2211840, 6731, 44, 4450604, 13}},
      {"N", 26, {1482, 961, 10, 6808, 3}, {1640, 875, 9, 6780, 1}},
      {"O", 25, {52136, 1235, 13, 164072, 121}, {52136, 1235, 13, 164072, 10}},
      {"P", 79, {57792, 2202, 85, 271664, 122}, {57792, 3250, 11, 254384, 38}},
      {"Q", 16, {882, 332, 6, 19844, 27}, {896, 306, 7, 19632, 2}},
      {"R", 52, {8064, 518, 20, 52848, 66}, {1008, 648, 27, 49536, 10}},
      {"S", 23, {2396300, 3795, 48, 6349000, 95}, {2396160, 2704, 47, 5911520, 13}},
      {"T", 26, {4102, 417, 4, 28084, 5}, {4875, 353, 5, 27870, 1}},
  };
  return rows;
}

const PublishedCase& published_case(const std::string& name) {
  const std::vector<PublishedCase>& rows = published_cases();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const PublishedCase& row) { return row.name == name; });
  if (found == rows.end()) {
    throw std::logic_error("expected a contest case A to T, found \"" + name + "\"");
  }
  return *found;
}

const PublishedResult& best_published(const std::string& name) {
  const PublishedCase& row = published_case(name);
  return row.gigaplacer.half_cost < row.contest_winner.half_cost ? row.gigaplacer
                                                                 : row.contest_winner;
}

}  // namespace waferloom::ispd2020
