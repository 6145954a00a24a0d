#pragma once
// Figures of a replayed step: its critical path from track to track with the rows that are longest
// on it, the step as measured, replayed, ideal and changed, and who makes the others wait. Pure.

#include "core/analysis/replay/StepReplay.h"
#include "core/plot/Sheet.h"

namespace trainscope::plot {

struct ReplayFigureData : SheetTexts {
    RunId run;
    std::string runName;
    std::shared_ptr<const analysis::StepReplay> replay; // nullptr: nothing to draw
};

// The path is that of the first iteration with one. Targets are its pieces of at least a pixel and
// the rows below; areas are the tracks, then the bars of the rows.
Picture buildCriticalPath(const ReplayFigureData& data, const FigureStyle& style);
// Targets are the bars.
Picture buildReplay(const ReplayFigureData& data, const FigureStyle& style);
Picture buildWaits(const ReplayFigureData& data, const FigureStyle& style);

// A row per piece of the path, per step, and per part of each wait; SI.
std::string criticalPathCsv(const ReplayFigureData& data);
std::string replayCsv(const ReplayFigureData& data);
std::string waitsCsv(const ReplayFigureData& data);

} // namespace trainscope::plot
