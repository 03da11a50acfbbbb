#pragma once

#include <string>

#include "cli/options/arguments.h"

namespace waferloom::cli {

/// OPTIONS, behind --: words for the engine of sweeps and islands.
inline constexpr const char* kEngineWords = "OPTIONS";
OperandSpec engine_operand();

/// The engine that a command line names; "local" without --engine.
std::string engine_of(const ArgumentValues& values);

/// Throws Failure::usage if a program that the engine needs is not here.
void need_engine(const std::string& engine);

}  // namespace waferloom::cli
