#pragma once
// A table of training runs, one a row, as published performance summaries are collected: CSV with a
// head. Read are gpu, n_gpus, gpus_per_node, interconnect, model, layers, hidden, heads, kv_heads,
// ffn, seq_len, vocab, precision, tp, pp, vpp, dp, cp, ep, etp, fsdp_zero_stage, micro_batch,
// global_batch, recompute, workload, generated_tokens, params, stack, compiled, mode, source,
// url_or_repo_path, notes, step_time_s, step_time_avg_s, tokens_per_s_per_gpu, tflops_per_gpu;
// other columns are ignored, absent ones are not known.
//
// Footnotes in brackets and second values in parentheses are left out of numbers. A source's habits
// that it does not write into its table (which attention, optimizer, sequence parallelism)
// follow from its name, as core/predict's stack; a model's shape from its name where the row has
// none; whether it is gated and its embeddings are tied from params where that decides. Rows of
// MLPerf tell their container by url_or_repo_path ("ngc25.04"), and CUDA graphs and FP8 attention
// in notes ("CUDA graphs where cp=8", "CUDA graphs on GB200"). stack: a
// key of core/predict's stacks; compiled: true where one GPU's PyTorch is (torch.compile); mode:
// how numbers are kept (pure, autocast, master; a type alone: all of them in it). If layers do
// not divide over the pipeline, embedding and loss count as a layer each. A source that is not
// known has sequence parallelism beside tensor parallelism.

#include "core/catalogue/TrainingModel.h"
#include "core/predict/Job.h"

namespace trainscope::importers {

struct MeasuredStep {
    std::optional<double> seconds; // a step's: the fastest if several are stated
    std::optional<double> medianSeconds;
    std::optional<double> tokensPerSecondPerGpu;
    std::optional<double> flopsPerGpu; // 1/s, by the source's own formula
};

struct TableRow {
    int row = 0; // counts from 0 behind the head
    std::string source; // "NVIDIA Megatron-Bridge performance summary, 26.08 NeMo Container"
    std::string publisher; // the part of it before the first comma
    std::string configuration; // equal for rows that differ in software versions alone
    double version = 0.0; // the software's, in years; 0: not known
    std::optional<predict::Job> job;
    std::string unsupported; // the reason that there is none, a sentence
    // Usual ways of training that the row leaves open, and that are taken since without them its
    // memory would not suffice, though it ran. Words for people: "gradients in 16 bits".
    std::vector<std::string> assumed;
    MeasuredStep measured;
    bool isQualified = false; // a measured value has a footnote

    // Seconds of a step, from the first of the statements that gives them.
    [[nodiscard]] std::optional<double> measuredSeconds() const;
};

// Unrecognised for a text without a head that names model, gpu and n_gpus.
Result<std::vector<TableRow>> readTrainingTable(
    std::string_view csv, const catalogue::ModelCatalogue& catalogue);

} // namespace trainscope::importers
