#include "cli/summaries/wafer_summary.h"

#include <fmt/format.h>

#include "cli/summaries/summary_lines.h"
#include "model/report.h"
#include "model/text.h"
#include "planner/tile_operators.h"

namespace waferloom::cli {
namespace {

using planner::RegionLayout;
using planner::ServingLevel;
using planner::TileBytes;

/// How rectangles step around what is dead.
std::string spare_text(std::int64_t spare_rows) {
  if (spare_rows == 0) return "";
  return ", " + counted_text(spare_rows, "spare row") + " each";
}

std::string layout_text(const RegionLayout& layout) {
  return fmt::format("{}{}{} tiles, {}{}{}{}", layout.regions,
                     layout.regions == 1 ? " region of " : " regions of ",
                     planner::grid_text(layout.region), layout.layers_each,
                     layout.layers_each == 1 ? " layer each" : " layers each",
                     layout.groups > 1 ? fmt::format(", in {} groups of tiles", layout.groups) : "",
                     spare_text(layout.spare_rows));
}

std::string bytes_line(const TileBytes& bytes) {
  return fmt::format("{} of {} bytes: {} weights, {} caches, {} blocks, {} program", bytes.total(),
                     bytes.there, bytes.weights, bytes.caches, bytes.blocks, bytes.program);
}

std::string cycles_line(const OperatorParts& parts) {
  const double all = parts.total();
  return fixed_text(all, 0) + " cycles: " + percent_text(parts.start / all, 0) +
         " steps of programs, " + percent_text(parts.local / all, 0) + " products, " +
         percent_text(parts.words / all, 0) + " words, " + percent_text(parts.hops / all, 0) +
         " hops";
}

std::string share_line(const ServingLevel& level) {
  if (level.prefill_share > 0) {
    return "prefill has " + percent_text(level.prefill_share, 0) +
           " of the wafer's rows, decode the others; weights lie twice";
  }
  if (level.relays) {
    return "prefill and decode take turns; weights are laid anew in " +
           seconds_text(level.relay_s, 3);
  }
  return "prefill and decode take turns on the same layout";
}

/// What each freedom of the search is worth: for a request its own rate, for more that of all.
std::string ladder_text(const planner::WaferServing& found) {
  const bool has_many = found.asked.requests > 1;
  TextTable table(
      {"the search is free to choose", "TTFT ms", has_many ? "tok/s all" : "tok/s user", "gain"});
  constexpr double kMilliSecond = 1e-3;
  double before = 0;
  for (const planner::ServingStep& step : found.ladder) {
    const double rate = has_many ? step.total_tokens_per_s : step.user_tokens_per_s;
    table.add({step.what, rate > 0 ? significant_text(step.ttft_s / kMilliSecond) : "-",
               rate > 0 ? significant_text(rate) : "does not fit",
               rate > 0 && before > 0 ? percent_text(rate / before - 1, 1) : "-"});
    before = rate;
  }
  return table.text();
}

/// What the program that was measured reaches on meshes that were measured, beside the plan.
std::string measured_line(const planner::WaferServing& found) {
  const planner::ServingStep& program = found.measured_program;
  if (program.user_tokens_per_s <= 0) return "";
  return summary_line("measured", program.what + ": " +
                                      significant_text(program.user_tokens_per_s) +
                                      " tokens/s, decode on " + planner::grid_text(program.decode) +
                                      " tiles, prefill on " + planner::grid_text(program.prefill) +
                                      "; nobody ran this plan's programs");
}

/// How the operators of a layer are run, those of decode beside those of prefill. What it takes to
/// bring operands into another layout is marked.
std::string operators_text(const planner::WaferServing& found) {
  TextTable table({"operator of a layer", "decode by", "cycles", "prefill by", "cycles"});
  const auto how = [](const LaidOperator& op) {
    return std::string(op.how) +
           (op.conversion > 0 ? op.how.empty() ? "re-laid" : ", re-laid" : "");
  };
  const auto& prompt = found.prompt_layer.operators;
  for (std::size_t i = 0; i < prompt.size(); ++i) {
    const LaidOperator& token = found.token_layer.operators[i];
    table.add({std::string(token.name), how(token), fixed_text(token.parts.total(), 0),
               how(prompt[i]), fixed_text(prompt[i].parts.total(), 0)});
  }
  return table.text();
}

/// How a step is split.
std::string split_text(const planner::StreamingChoice& best) {
  std::string text = "recompute " + std::string(recompute_name(best.recompute));
  if (best.micro_batches > 1) text += fmt::format(", {} micro-batches", best.micro_batches);
  if (best.head_pieces > 1) text += fmt::format(", head in {} pieces", best.head_pieces);
  return text;
}

/// Where a batch's time goes; ports and links have all that comes in, or leaves where that is more.
TextTable streamed_parts_table(const planner::WaferStreamingJob& job,
                               const planner::StreamingChoice& best) {
  const auto clock = static_cast<double>(job.hardware.clock_hz);
  std::vector<std::string> titles{"part", "times", "forward s", "compute s", "ports s", "links s"};
  if (job.trains) titles.insert(titles.begin() + 3, "backward s");
  TextTable table(titles);
  for (const planner::StreamedPart& part : best.parts) {
    std::vector<std::string> row{
        part.name,
        std::to_string(part.repeat),
        significant_text(part.forward_s, 3),
        significant_text((part.forward_cycles + part.backward_cycles) / clock, 3),
        significant_text(part.ports_s, 3),
        significant_text(part.links_s, 3)};
    if (job.trains) row.insert(row.begin() + 3, significant_text(part.backward_s, 3));
    table.add(row);
  }
  return table;
}

}  // namespace

std::string upper_bound_line(const Hardware& hardware) {
  const std::string note = planner::upper_bound_note(hardware);
  return note.empty() ? "" : summary_line("upper bound", note);
}

std::string range_text(std::int64_t least, std::int64_t most) {
  return least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
}

std::string backing_lines(const MeasuredBacking& backing, const planner::TrustReach& reach,
                          std::optional<bool> inside) {
  std::string text = fmt::format("{} % off in median, {} at worst, of {} rows",
                                 significant_text(backing.median_percent, 2),
                                 significant_text(backing.worst_percent, 3), backing.rows);
  if (!inside) return text;
  text += fmt::format(" on {} tiles with blocks of {}; {}{} tiles",
                      range_text(backing.least_tiles, backing.most_tiles),
                      range_text(backing.least_block, backing.most_block),
                      *inside ? "inside: " : "outside: ", reach.tiles);
  if (reach.most_block > 0) {
    text += ", blocks of " + range_text(reach.least_block, reach.most_block);
  }
  return text;
}

std::string trust_lines(const std::vector<planner::TrustRow>& rows) {
  std::string text;
  for (const planner::TrustRow& row : rows) {
    std::string line = row.kind;
    if (!row.backing || row.kind != "measured") {
      line += row.kind == row.note.substr(0, row.kind.size()) ? row.note.substr(row.kind.size())
                                                              : ": " + row.note;
    }
    if (row.backing) {
      line += (row.kind == "measured" ? ": " + row.backing->program + ", " : " (") +
              backing_lines(*row.backing, row.reach, row.inside) +
              (row.kind == "measured" ? "" : ")");
    }
    text += summary_line(row.part, line);
  }
  return text;
}

std::string wafer_serving_summary(const planner::WaferServingJob& job,
                                  const planner::WaferServing& found) {
  const ServingLevel& asked = found.asked;
  std::string text = fmt::format("{} on {}: {} tokens/s for each of {}{}\n", found.model,
                                 job.hardware.name, significant_text(asked.user_tokens_per_s),
                                 asked.requests, asked.requests == 1 ? " request" : " requests");
  text += summary_line("request", fmt::format("prompt of {} tokens, output of {}, {}", job.prompt,
                                              job.output, job.data_type));
  text += summary_line(
      "first token",
      seconds_text(asked.ttft_s) + ", prefill at " +
          significant_text(static_cast<double>(job.prompt) / (asked.ttft_s - asked.relay_s)) +
          " tokens/s, " + percent_text(found.prefill_share_of_peak, 1) +
          " of the peak of its tiles");
  text += summary_line("next ones", seconds_text(asked.tpot_s) + " each, " +
                                        percent_text(found.decode_share_of_peak, 2) +
                                        " of the peak of their tiles");
  text += summary_line("together",
                       significant_text(asked.total_tokens_per_s) + " tokens/s of all requests" +
                           (asked.joules_per_token > 0
                                ? ", " + significant_text(asked.joules_per_token, 3) + " J a token"
                                : ""));
  text += measured_line(found);
  text += summary_line("roofline", "at most " + significant_text(found.roof_tokens_per_s) +
                                       " tokens/s, prefill " +
                                       significant_text(found.roof_prefill_tokens_per_s) +
                                       ", if all tiles did nothing but multiply and add");
  text += bound_line(planner::serving_bottleneck(job, found));
  text += upper_bound_line(job.hardware);
  if (!found.lost.empty()) text += summary_line("dead tiles", found.lost);
  text += summary_line("decode", layout_text(asked.decode));
  text += summary_line("prefill", layout_text(asked.prefill));
  text += summary_line("share", share_line(asked));
  text += summary_line("a token", cycles_line(found.token_parts));
  text += summary_line("a prompt", cycles_line(found.prompt_parts));
  text += summary_line("tile", bytes_line(asked.decode_bytes));
  text += summary_line(
      "caches",
      fmt::format("hold {} such requests, or {} tokens of each that is asked, {} if appended",
                  found.most_requests, found.longest_context, found.longest_appended));
  text += "\n" + planner::serving_levels_table(found).text();
  text += "\n" + operators_text(found);
  text += "\n" + ladder_text(found);
  return text + "\nWhat backs it\n" + trust_lines(found.trust);
}

std::string wafer_streaming_summary(const planner::WaferStreamingJob& job,
                                    const planner::WaferStreaming& found, double simulated_s) {
  const planner::StreamingChoice& best = found.best;
  std::string text = job.workload.name + (job.trains ? " trains on " : " runs forward on ") +
                     job.hardware.name + ": " + significant_text(best.tokens_per_s) +
                     " tokens/s, " + percent_text(best.share_of_peak, 1) + " of the peak\n";
  text += summary_line(
      "batch",
      fmt::format("{}{} on {} tiles, {}{}", best.batch,
                  best.batch == 1 ? " sequence" : " sequences", planner::grid_text(best.tiles),
                  job.trains ? split_text(best)
                             : fmt::format("{} a second, {} at once in attention",
                                           significant_text(best.samples_per_s()),
                                           best.attention_sequences),
                  spare_text(best.spare_rows)));
  text += bound_line(planner::streaming_bottleneck(job, best));
  text += upper_bound_line(job.hardware);
  if (!found.lost.empty()) text += summary_line("dead tiles", found.lost);
  text +=
      summary_line("step", seconds_text(best.step_s) + " as planned, " + seconds_text(simulated_s) +
                               " in simulation, " + percent_text(simulated_s / best.step_s - 1, 1));
  text += summary_line("roofline", "at most " + significant_text(found.roof_tokens_per_s) +
                                       " tokens/s by multiply-adds, " +
                                       significant_text(found.port_tokens_per_s) +
                                       " by the ports at this batch");
  const planner::StreamingBytes& bytes = best.bytes;
  text += summary_line(
      "tile",
      fmt::format("{} of {} bytes: {} activations, {} of a layer at work, {} buffers, {} program",
                  bytes.total(), bytes.there, bytes.activations, bytes.layer, bytes.buffers,
                  bytes.program));
  text += "\n" + streamed_parts_table(job, best).text() + "\n" +
          planner::streaming_batches_table(job, found).text();
  return text + "\nWhat backs it\n" + trust_lines(found.trust);
}

}  // namespace waferloom::cli
