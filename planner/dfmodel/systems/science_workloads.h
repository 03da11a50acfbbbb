#pragma once

#include "model/hardware.h"
#include "planner/design_space.h"

namespace waferloom::planner {

// Workloads of DFModel's evaluation (section VI-C) that are no transformers, on all chips of a
// system, in closed form. P chips; compute, memory and network go on at once, as within a partition
// (section V), so a step takes the longest of them. The paper prints no formulas: those below are
// the textbooks', and sizes that it does not print are assumed and marked so.

/// Seconds of a step, by what they are spent on; and what it takes.
struct WorkTime {
  double compute_s = 0;
  double memory_s = 0;
  double network_s = 0;
  double flop = 0;        ///< of all chips
  double chip_bytes = 0;  ///< that a chip has to hold
  double total_s() const;
  /// Part of all chips' peak rate that `flop` reach.
  double utilisation(const System& system) const;
};

/// A training step of b samples:
///
///     FLOP     6 b layers width^2 + 2 b tables pooling dimension (adding rows, and their
///     gradients) memory   3 b tables pooling dimension e / P (read; read and written at the
///     update)
///              + 6 layer parameters e (read twice, gradients written and read, updated)
///     network  2 all-to-alls of b tables dimension e / P a chip (vectors, and their gradients)
///              + an all-reduce of the layers' gradients
WorkTime dlrm_time(const DlrmWorkload& workload, const System& system);

/// On R x C = P processes, dimensions of the network split into those that number rows of the
/// process grid and those that number columns, whichever split takes least (HPL's own analysis,
/// netlib.org/benchmark/hpl/scalability.html, with the collectives of network_times.h):
///
///     FLOP     2 n^3 / 3
///     memory   FLOP / P · e / sqrt(S / e) + n^2 e / P, S bytes of SRAM: the least that products
///              of matrices move (Hong and Kung 1981; 2 words · products / sqrt(S))
///     network  panels along rows, n^2 e / 2R a chip, and swaps and rows of U along columns,
///              3 n^2 e / 2C, as broadcasts; n / block latencies of each, and n times ceil(log2 R)
///              steps to find the pivots
WorkTime hpl_time(const HplWorkload& workload, const System& system);

/// By transposing (six-step; Bailey 1990):
///
///     FLOP     5 n log2 n
///     memory   2 n e / P for each pass over memory: ceil(log2 n / log2(S / e)) passes, the points
///              that SRAM holds being transformed in one
///     network  3 all-to-alls of n e / P a chip
WorkTime fft_time(const FftWorkload& workload, const System& system);

}  // namespace waferloom::planner
