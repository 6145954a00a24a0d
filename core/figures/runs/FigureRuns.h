#pragma once
// Choice, order and names of the runs that a figure shows.

#include "core/plot/figures/Figure.h"
#include "core/store/Store.h"

namespace trainscope::figures {

// A run with what figures say about it.
struct FigureSubject {
    Run run;
    plot::FigureRun named;
};

// "TP8-PP4", "EP8-TP1-PP4", "TP8-FSDP", "TP4-CP2-PP4"; empty where the launch configuration states
// neither tensor nor pipeline parallelism.
std::string layoutLabel(const LaunchConfig& launch);
// "base", "cc" (overlap), "act" (recomputation), "cc+act"; empty where either is unknown.
std::string optimisationLabel(const LaunchConfig& launch);

plot::FigureRun nameOf(const Run& run);

// NotFound for one that was removed.
Result<Run> runOf(const store::Store& store, RunId id);

// Those asked for, else all; filtered by model and optimisation. By model, cluster, layout,
// micro-batch and optimisation, numbers in names as numbers; runs that were asked for in heat maps,
// kernels and spectra stay in the order of the query. NotFound for an unknown run.
Result<std::vector<FigureSubject>> figureSubjects(
    const store::Store& store, const plot::FigureQuery& query);

// Labels made of what differs between the runs; the names where that is not enough.
void labelRuns(std::vector<FigureSubject>& subjects);

// The facts that all of them share: "gpt3-175b · 32 × H200 · base".
std::string commonTitle(const std::vector<FigureSubject>& subjects);

// "model" where all are of one cluster, else "model, 32 × H200"; empty where all runs would
// have the same.
std::string groupLabel(const plot::FigureRun& run, const std::vector<FigureSubject>& all);

} // namespace trainscope::figures
