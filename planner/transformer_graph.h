#pragma once

#include <cstdint>

#include "model/dataflow_graph.h"
#include "model/workload.h"

namespace waferloom::planner {

/// How much of a transformer goes through its layers at once.
struct TransformerPass {
  std::int64_t samples = 1;  ///< of a micro-batch
  double element_bytes = 2;  ///< of weights and activations
  double layers = 1;         ///< alike, of which the graph is one
  /// Tokens of each sample that are worked on; 0: the whole sequence. 1 in decoding.
  std::int64_t tokens = 0;
  /// Tokens that each of them attends to; 0: as many as `tokens`.
  std::int64_t context = 0;
  /// The backward pass in the same shape: products twice over (of inputs and of weights), additions
  /// nothing, other operations as often as forward; a tensor is a gradient, and the value that
  /// forward kept. Forward and backward of 128 layers of GPT-3 1T for a batch of 3,072 samples are
  /// so DFModel's published 3.85072240461978e19 FLOP.
  bool backward = false;
};

/// One forward layer of a transformer as DFModel has it (Fig. 2A), on a single chip, not sharded:
/// Add_Prev, LN1, Q, K, V, MHA1, Softmax, Drop1, MHA2, Proj, Drop2, Add1, LN2, FFN0, GeLU, FFN1,
/// Drop3, Add2, in this order: 18 kernels and 21 tensors; LN1's output is three tensors, the two
/// residual connections go from Add_Prev to Add1 and from Add1 to Add2. A gated feed-forward
/// network has a further kernel Gate behind FFN0, with tensors from LN2 and to GeLU. Experts have a
/// kernel Route behind LN2; those of FFN0, Gate and FFN1 have the FLOP of what a token goes through
/// and the weights of all. Latent attention makes Q, K and V by way of Q_Down and KV_Down. Four
/// norms are LN1_Post and LN2_Post besides; where attention and feed-forward network read the same,
/// LN2 follows Add_Prev, or is LN1.
///
/// With s tokens a sample, context c (at most the window), b samples, h hidden, a heads of d = h /
/// a, g key-value heads and f features between the feed-forward matrices, extents (outer, m, k, n)
/// are, in DFModel's sense, weights first: m outputs, k inputs, n tokens.
///
///     Q, Proj               1, h, h, bs        K, V           1, gd, h, bs
///     MHA1                  ba, c, d, s        MHA2           ba, d, c, s
///     Softmax, Drop1        ba, c, 1, s        FFN0, Gate     1, f, h, bs
///     FFN1                  1, h, f, bs        GeLU           1, f, 1, bs
///     LN1, LN2              1, h, 2, bs        all others     1, h, 1, bs
///
/// where Softmax has k = 2 as well: sums over all m that an operation on elements needs.
/// A product takes 2 outer m k n FLOP and an operation on elements one for each (GeLU two where it
/// also multiplies by the gate), as in DFModel's files. Weights are the matrices alone. A tensor
/// has all bytes of its kernel's output. `pieces` is bs: a token at a time goes through a chip.
/// Throws RequestError for sizes below 1 or heads that do not divide. O(1).
DataflowGraph transformer_graph(const TransformerOperator& layer, const TransformerPass& pass);

}  // namespace waferloom::planner
