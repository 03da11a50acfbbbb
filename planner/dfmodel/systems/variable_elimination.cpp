#include "planner/dfmodel/systems/variable_elimination.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <set>
#include <string>

#include "model/errors.h"

namespace waferloom::planner {
namespace {

/// A function of some variables: a table with the last variable running fastest.
struct Table {
  std::vector<std::size_t> scope;
  std::vector<double> cost;
};

class Elimination {
 public:
  explicit Elimination(const ChoiceProblem& problem) : problem_(problem) {
    const std::size_t count = problem.single.size();
    neighbours_.resize(count);
    done_.resize(count, false);
    for (std::size_t variable = 0; variable < count; ++variable) {
      tables_.push_back({{variable}, problem.single[variable]});
    }
    for (const PairCost& pair : problem.pairs) {
      assert(pair.first != pair.second);
      neighbours_[pair.first].insert(pair.second);
      neighbours_[pair.second].insert(pair.first);
      tables_.push_back({{pair.first, pair.second}, pair.cost});
    }
  }

  ChoiceResult run() {
    const std::size_t count = problem_.single.size();
    ChoiceResult result;
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t variable = next();
      result.width = std::max(result.width, neighbours_[variable].size());
      eliminate(variable);
    }
    result.choices.resize(count, 0);
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      std::size_t place = 0;
      for (const std::size_t other : step->scope) {
        place = place * choices(other) + result.choices[other];
      }
      result.choices[step->variable] = step->best[place];
    }
    result.cost = choice_cost(problem_, result.choices);
    return result;
  }

 private:
  /// The best choice of a variable for all choices of those that it was bound to.
  struct Step {
    std::size_t variable;
    std::vector<std::size_t> scope;
    std::vector<std::size_t> best;
  };

  std::size_t choices(std::size_t variable) const { return problem_.single[variable].size(); }

  std::size_t filled_by(std::size_t variable) const {
    const std::set<std::size_t>& around = neighbours_[variable];
    std::size_t missing = 0;
    for (auto first = around.begin(); first != around.end(); ++first) {
      for (auto other = std::next(first); other != around.end(); ++other) {
        if (neighbours_[*first].count(*other) == 0) ++missing;
      }
    }
    return missing;
  }

  std::size_t next() const {
    std::size_t best = done_.size();
    std::pair<std::size_t, std::size_t> least{};
    for (std::size_t variable = 0; variable < done_.size(); ++variable) {
      if (done_[variable]) continue;
      const std::pair weight{filled_by(variable), neighbours_[variable].size()};
      if (best != done_.size() && weight >= least) continue;
      best = variable;
      least = weight;
    }
    return best;
  }

  void eliminate(std::size_t variable) {
    const std::vector<std::size_t> scope(neighbours_[variable].begin(),
                                         neighbours_[variable].end());
    std::size_t size = 1;
    for (const std::size_t other : scope) {
      size *= choices(other);
      if (size > kMostTable / choices(variable)) {
        throw RequestError(fmt::format(
            "kernels are too closely connected for an exact sharding: {} neighbours of one at once",
            scope.size()));
      }
    }
    const auto bound =
        std::stable_partition(tables_.begin(), tables_.end(), [&](const Table& table) {
          return std::count(table.scope.begin(), table.scope.end(), variable) == 0;
        });
    const std::vector<Table> mine(std::make_move_iterator(bound),
                                  std::make_move_iterator(tables_.end()));
    tables_.erase(bound, tables_.end());
    minimise(variable, scope, size, mine);
    leave(variable);
  }

  void minimise(std::size_t variable, const std::vector<std::size_t>& scope, std::size_t size,
                const std::vector<Table>& mine) {
    Table left{scope, std::vector<double>(size)};
    Step step{variable, scope, std::vector<std::size_t>(size, 0)};
    std::vector<std::size_t> chosen(problem_.single.size(), 0);
    for (std::size_t place = 0; place < size; ++place) {
      std::size_t rest = place;
      for (std::size_t i = scope.size(); i-- > 0; rest /= choices(scope[i])) {
        chosen[scope[i]] = rest % choices(scope[i]);
      }
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t choice = 0; choice < choices(variable); ++choice) {
        chosen[variable] = choice;
        double sum = 0;
        for (const Table& table : mine) sum += at(table, chosen);
        if (sum >= least) continue;
        least = sum;
        step.best[place] = choice;
      }
      left.cost[place] = least;
    }
    tables_.push_back(std::move(left));
    steps_.push_back(std::move(step));
  }

  double at(const Table& table, const std::vector<std::size_t>& chosen) const {
    std::size_t place = 0;
    for (const std::size_t variable : table.scope) {
      place = place * choices(variable) + chosen[variable];
    }
    return table.cost[place];
  }

  void leave(std::size_t variable) {
    for (const std::size_t neighbour : neighbours_[variable]) {
      for (const std::size_t other : neighbours_[variable]) {
        if (neighbour != other) neighbours_[neighbour].insert(other);
      }
      neighbours_[neighbour].erase(variable);
    }
    neighbours_[variable].clear();
    done_[variable] = true;
  }

  const ChoiceProblem& problem_;
  std::vector<Table> tables_;
  std::vector<std::set<std::size_t>> neighbours_;
  std::vector<bool> done_;
  std::vector<Step> steps_;
};

}  // namespace

double choice_cost(const ChoiceProblem& problem, const std::vector<std::size_t>& choices) {
  double sum = 0;
  for (std::size_t variable = 0; variable < choices.size(); ++variable) {
    sum += problem.single[variable][choices[variable]];
  }
  for (const PairCost& pair : problem.pairs) {
    const std::size_t width = problem.single[pair.second].size();
    sum += pair.cost[choices[pair.first] * width + choices[pair.second]];
  }
  return sum;
}

ChoiceResult least_cost_choices(const ChoiceProblem& problem) { return Elimination(problem).run(); }

}  // namespace waferloom::planner
