#pragma once

#include <cstdint>

#include "kernels/mesh_layers.h"
#include "kernels/tile_parts.h"
#include "model/hardware.h"
#include "planner/wafer/stream_sites.h"
#include "planner/wafer/tile_transformer.h"
#include "planner/wafer_streaming.h"

namespace waferloom::planner {

/// A model and a machine that can stream its weights.
struct StreamingGround {
  TileTransformer model;
  Hardware hardware;
  TileFabric fabric;
  bool trains = true;
  double clock() const { return as_double(hardware.clock_hz); }
};

/// Throws RequestError as plan_wafer_streaming.
StreamingGround streaming_ground(const WaferStreamingJob& job);

/// Attention of a batch's sequences by turns.
struct SequenceTurns {
  std::int64_t at_once = 1;  ///< sequences
  double cycles = 0;         ///< of all turns
  std::int64_t blocks = 0;   ///< bytes of a tile
};

/// A batch on a rectangle: what its tiles do, in cycles, and keep, in bytes. Ground and site have
/// to outlive it.
class BatchWork {
 public:
  BatchWork(const StreamingGround& ground, const StreamSite& site, std::int64_t batch);

  /// Cycles of out = in · W: W streams, activations stay.
  double forward(std::int64_t in, std::int64_t out);
  /// Likewise for the last token of each sequence alone.
  double forward_of_last(std::int64_t in, std::int64_t out);
  /// Cycles of both products behind: for the activations, and for W.
  double backward(std::int64_t in, std::int64_t out);
  /// Of all heads and sequences, each sequence on rows of its own.
  SequenceTurns attention(std::int64_t at_once) const;
  /// Of normalisations, sums and activations, and the steps of the program.
  double small() const;
  /// Features of a tile, of so many elements a token.
  std::int64_t features(double elements_a_token) const;
  /// Bytes of a tile for so many elements a token.
  std::int64_t kept(double elements_a_token) const;
  /// Bytes of a tile that the largest product has had so far.
  std::int64_t blocks() const { return blocks_; }
  /// Cycles of so many bytes through the ports.
  double port_cycles(double bytes) const {
    return bytes / as_double(site_.fabric.word_bytes) / site_.ports.words_per_cycle;
  }
  const StreamSite& site() const { return site_; }
  double tokens() const { return as_double(tokens_); }
  std::int64_t batch() const { return batch_; }
  /// Cycles in which so many words reach all tiles: over the columns of tiles, and in from the
  /// sides of the rows that ports are on.
  double link_cycles(double words) const;

 private:
  TileGrid turned() const { return {tiles_.columns, tiles_.rows}; }
  double product(const GemmShape& shape, const TileGrid& grid);

  const TransformerOperator& layer_;
  const StreamSite& site_;
  TileGrid tiles_;
  std::int64_t tokens_;
  std::int64_t batch_;
  std::int64_t blocks_ = 0;
};

/// Elements of a token's keys and values in a layer.
std::int64_t key_value_elements(const TransformerOperator& layer);

/// Of a training step, whose largest operator has these blocks: layers keep what is not computed
/// again.
StreamingBytes bytes_of_batch(const StreamingGround& ground, const BatchWork& work,
                              std::int64_t blocks, Recompute recompute);

/// Nothing is kept for backward. A layer has scores beside queries, keys and values of the whole
/// batch, later the blocks of a product beside its widest vector.
StreamingBytes bytes_of_prompts(const StreamingGround& ground, const BatchWork& work,
                                const SequenceTurns& attention);

/// The fastest turns of those that fit, else those of the fewest bytes. Products have been priced.
SequenceTurns turns_of_prompts(const StreamingGround& ground, const BatchWork& work);

}  // namespace waferloom::planner
