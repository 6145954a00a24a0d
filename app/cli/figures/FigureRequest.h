#pragma once
// From the options of `trainscope-cli figure` to what the timeline figure needs.

#include "app/painting/TimelineFigure.h"
#include "core/model/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::cli {

constexpr double kDefaultWidthMm = 177.8; // 7 in, the text width of a conference page

// The options of `figure`, as typed.
struct FigureArguments {
    std::string database;
    std::string kind = "timeline";
    std::vector<std::string> runs;
    std::vector<std::string> metrics;
    std::optional<int> rank;
    std::optional<double> fromSeconds;
    std::optional<double> toSeconds;
    bool alignClocks = false;
    // Of the kinds that compare runs.
    std::string statistic;
    std::string per;
    std::string categories;
    std::string model;
    std::string optimisation;
    bool log = false;
    bool wholeRun = false;
    bool normalise = false;
    // Of the kinds that set runs side by side.
    std::optional<std::int64_t> iteration;
    bool stacked = false;
    bool stretched = false;
    std::string saved; // a comparison that the database keeps
    std::string sortedBy;
    // Of layouts.
    std::string colour;
    std::optional<double> atSeconds;
    bool plannedOnly = false; // of schedules
    std::string out;
    std::string csv;
    std::string theme = "paper";
    double widthMm = kDefaultWidthMm;
    double heightMm = 0.0;
};

// Runs, lanes and window; NotFound names the runs or metrics there are.
Result<app::TimelineRequest> timelineRequest(const FigureArguments& arguments);

} // namespace trainscope::cli
