#pragma once
// A run in words, for the run list, the status bar and the filter. Any thread.

#include "core/model/Run.h"
#include "core/text/Names.h"

#include <QString>
#include <QStringList>

namespace trainscope::app {

// Its name, with start and GPUs, which tell it from one that reads alike.
text::Named namedRun(const Run& run);
QString gpuText(const Run& run); // "32 × H200", maker's name left out
QString layoutText(const LaunchConfig& launch); // "TP8 · PP4 · DP1"
QString runDetail(const Run& run); // "gpt3-175b · 32 × H200"
QString runFacts(const Run& run); // "32 × H200 · 4 nodes · TP8 · PP4 · micro-batch 1"
QStringList runTags(const Run& run); // "simulated", "predicted", "out of memory", …
QString strongTag(const Run& run); // the tag that needs attention, or empty
QString runDescription(const Run& run);
QString runSearchText(const Run& run); // lower-case
// Words of a view that has nothing to show.
QString noRunsText(); // the database is empty
QString chooseRunText(); // no run is chosen

} // namespace trainscope::app
