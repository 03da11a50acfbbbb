#pragma once

#include <string>
#include <vector>

#include "model/problem.h"
#include "model/routes.h"

namespace waferloom::optimize {

/// By connection of a problem, of a case or of a plan's stages, the price of its tensor in routes,
/// and of its gradient. Tensors without a price, or that the routes do not have, cost nothing.
std::vector<double> edge_prices(const Problem& problem, const Routes& routes);

/// The names that tensors of a problem may have in routes: those of its connections, of its inputs
/// and outputs, and of their gradients.
std::vector<std::string> priced_names(const Problem& problem);

/// The same problem with edges that weigh as their prices, nine tenths in proportion and one tenth
/// alike, 1 in the mean: legal placements stay legal. All alike where nothing has a price.
Problem priced(const Problem& problem, const std::vector<double>& prices);

}  // namespace waferloom::optimize
