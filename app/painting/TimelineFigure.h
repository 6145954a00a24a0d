#pragma once
// The timeline as a file: what the timeline view shows, or what `trainscope-cli figure` asks for,
// as a figure or as the numbers behind it. Any thread: each call opens its own read-only Store.

#include "app/painting/FigureExport.h"
#include "core/model/Import.h"
#include "core/model/Result.h"
#include "core/plot/timeline/Timeline.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace trainscope::app {

// The state of a timeline view. Lane heights are those of the screen; figures scale them to their
// size.
struct TimelineRequest {
    std::filesystem::path database;
    std::vector<plot::ShownRun> runs;
    plot::Arrangement arrangement; // without lanes: the default arrangement
    plot::ViewWindow window; // empty (end <= begin): everything the runs have
    plot::TimeDisplay time = plot::TimeDisplay::Relative;
    std::int64_t utcOffsetSeconds = 0; // for TimeDisplay::Local
    // Of the runs, drawn over the lanes; nullptr: none.
    std::shared_ptr<const std::vector<plot::RunOverlay>> overlays;
};

// All runs of that database by name, aligned at their starts; no names: the first run.
Result<TimelineRequest> timelineOf(
    const std::filesystem::path& database, const std::vector<std::string>& runNames);

// Puts the traces of each run's ranks on one clock; the runs start where the first rank does.
Status alignClocks(TimelineRequest& request, const Progress& progress = {});

// Writes the figure; the value are warnings for the user. The options' metadata are filled in from
// the database where they are empty: the title from the runs' names, the hashes from the sources of
// the runs.
Result<QStringList> exportTimeline(const TimelineRequest& request, const QString& path,
    const FigureOptions& options, const std::function<bool()>& isCancelled = {});

// Columns that exportTimeline() draws there, for a CSV with the very numbers of a figure.
int timelineColumns(const QString& path, const FigureOptions& options);

// Writes timelineCsv() with `columns` columns over the window.
Status exportTimelineCsv(const TimelineRequest& request, const QString& path, int columns = 1920,
    const std::function<bool()>& isCancelled = {});

} // namespace trainscope::app
