#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

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
  std::int64_t head_pieces = 0;  ///< in training; 0: as few as fit
  /// What training programs take; nothing in inference, or where it is not known.
  std::optional<TrainingFigures> training{};
  double clock() const { return as_double(hardware.clock_hz); }
};

/// What training programs of a machine take; nothing for inference, or where it is not known.
std::optional<TrainingFigures> training_figures(const Hardware& hardware,
                                                const std::string& data_type, bool trains);
/// Of the host ports' rate, what weights and gradients move at.
double ports_share(const std::optional<TrainingFigures>& training);

/// Throws RequestError as plan_wafer_streaming.
StreamingGround streaming_ground(const WaferStreamingJob& job);

/// Attention of a batch's sequences by turns.
struct SequenceTurns {
  std::int64_t at_once = 1;  ///< sequences
  double cycles = 0;         ///< of all turns
  std::int64_t blocks = 0;   ///< bytes of a tile
};

/// A batch, or a micro-batch, on a rectangle: what its tiles do, in cycles, and keep, in bytes.
/// Ground and site have to outlive it.
class BatchWork {
 public:
  BatchWork(const StreamingGround& ground, const StreamSite& site, std::int64_t batch);

  /// Cycles of out = in · W: W streams, activations stay.
  double forward(std::int64_t in, std::int64_t out);
  /// Likewise for so many tokens alone.
  double forward_of(std::int64_t in, std::int64_t out, std::int64_t tokens);
  /// Cycles of both products behind: for the activations, and for W.
  double backward(std::int64_t in, std::int64_t out);
  double backward_of(std::int64_t in, std::int64_t out, std::int64_t tokens);
  /// Of all heads and sequences, each sequence on rows of its own.
  SequenceTurns attention(std::int64_t at_once) const;
  /// Of normalisations, sums and activations, and the steps of the program.
  double small() const;
  /// Features of a tile, of so many elements a token.
  std::int64_t features(double elements_a_token) const;
  /// Bytes of a tile for so many elements a token. Features lie over columns, tokens over rows;
  /// of measured training programs it is not known how they lie, and bytes lie evenly.
  std::int64_t kept(double elements_a_token) const;
  /// Bytes of a tile that the largest product has had so far.
  std::int64_t blocks() const { return blocks_; }
  /// Bytes of a tile for two rows of sums of a product.
  std::int64_t sums() const;
  /// Bytes of a tile for two rows of weights and two of gradients, of so many features.
  std::int64_t streamed_rows(double features_of_rows) const;
  /// Bytes of a tile for 32-bit logits of a piece of the head.
  std::int64_t logits(std::int64_t vocabulary, std::int64_t pieces) const;
  /// Cycles of so many bytes through the ports.
  double port_cycles(double bytes) const {
    return bytes / as_double(site_.fabric.word_bytes) / site_.ports.words_per_cycle;
  }
  const StreamSite& site() const { return site_; }
  double tokens() const { return as_double(tokens_); }
  /// Tokens that the head has logits of in training.
  std::int64_t head_tokens() const { return head_tokens_; }
  /// Sequences that can attend at once, each on rows of its own.
  std::int64_t most_at_once() const { return std::min(batch_, tiles_.rows); }
  std::int64_t batch() const { return batch_; }
  /// Cycles in which so many words reach all tiles: over the columns of tiles, and in from the
  /// sides of the rows that ports are on.
  double link_cycles(double words) const;

 private:
  TileGrid turned() const { return {tiles_.columns, tiles_.rows}; }
  double product(const GemmShape& shape, const TileGrid& grid);
  /// Elements of the fullest tile.
  std::int64_t of_fullest(std::int64_t tokens, double elements_a_token) const;

  const LayerStack& model_;
  const TransformerOperator& layer_;
  const StreamSite& site_;
  TileGrid tiles_;
  std::int64_t tokens_;
  std::int64_t head_tokens_;
  std::int64_t batch_;
  bool lies_evenly_;
  std::int64_t blocks_ = 0;
};

/// Elements of a token's keys and values in a layer.
std::int64_t key_value_elements(const TransformerOperator& layer);

/// Of a micro-batch in training: layers keep what is not computed again. Beside that there is the
/// layer at work, or a piece of the head.
StreamingBytes bytes_of_batch(const StreamingGround& ground, const BatchWork& work,
                              const SequenceTurns& attention, Recompute recompute,
                              std::int64_t head_pieces);

/// The pieces of the head that are asked for; else the fewest with which a micro-batch fits, or
/// which need no more than the layer at work. O(log tokens).
std::int64_t head_pieces_of(const StreamingGround& ground, const BatchWork& work,
                            const SequenceTurns& attention, Recompute recompute);

/// Nothing is kept for backward. A layer has scores beside queries, keys and values of the whole
/// batch, later the blocks of a product beside its widest vector.
StreamingBytes bytes_of_prompts(const StreamingGround& ground, const BatchWork& work,
                                const SequenceTurns& attention);

/// All sequences at once, half of them, a third … O(turns).
std::vector<SequenceTurns> possible_turns(const BatchWork& work);

/// The fastest turns of those that fit, else those of the fewest bytes.
SequenceTurns best_turns(const std::vector<SequenceTurns>& turns,
                         const std::function<StreamingBytes(const SequenceTurns&)>& bytes_of);

}  // namespace waferloom::planner
