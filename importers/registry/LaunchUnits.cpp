#include "importers/registry/LaunchUnits.h"

#include "core/model/LaunchConfig.h"
#include "importers/launch/LaunchFiles.h"
#include "importers/registry/MachineUnits.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace trainscope::importers {

namespace {

constexpr std::string_view kReadsItself = "charllm";

// The run's folder, and the one above where it is that run's alone.
std::vector<std::string> foldersOf(
    const RunFolders& runs, const std::vector<ImportUnit>& units, const ImportUnit& unit) {
    const std::string& first = unit.files.front();
    const std::string run = runs.folderOf(first).value_or(std::string(folderPart(first)));
    std::vector<std::string> folders;
    for (std::string folder = run; folders.size() < 2; folder = folderPart(folder)) {
        if (runsInside(units, folder).size() == 1)
            folders.push_back(folder);
        if (folder.empty() || folders.empty())
            break;
    }
    return folders;
}

class LaunchSink final : public Sink {
public:
    LaunchSink(Sink& sink, LaunchConfig launch)
        : m_sink(sink)
        , m_launch(std::move(launch)) { }

    Result<RunId> run(const Run& run) override {
        Run more = run;
        fillLaunch(more.launch, m_launch);
        return m_sink.run(more);
    }
    Status gpu(RunId run, const Gpu& gpu) override { return m_sink.gpu(run, gpu); }
    Result<SeriesId> series(RunId run, const SeriesDescription& description) override {
        return m_sink.series(run, description);
    }
    Status samples(
        SeriesId series, std::span<const TimeNs> times, std::span<const double> values) override {
        return m_sink.samples(series, times, values);
    }
    Status counterBits(SeriesId series, int bits) override {
        return m_sink.counterBits(series, bits);
    }
    Result<TrackId> track(RunId run, const TrackDescription& description) override {
        return m_sink.track(run, description);
    }
    Status spans(TrackId track, std::span<const Span> spans) override {
        return m_sink.spans(track, spans);
    }
    Result<NameId> intern(std::string_view text) override { return m_sink.intern(text); }
    Status iteration(RunId run, const Iteration& iteration) override {
        return m_sink.iteration(run, iteration);
    }

private:
    Sink& m_sink;
    LaunchConfig m_launch;
};

} // namespace

void attachLaunchFiles(const SourceTree& tree, std::vector<ImportUnit>& units) {
    const RunFolders runs(tree);
    const launch::LaunchFiles files(tree, runs);
    for (ImportUnit& unit : units) {
        if (unit.importer == kReadsItself || unit.machine || unit.files.empty())
            continue;
        for (const std::string& folder : foldersOf(runs, units, unit)) {
            launch::LaunchMatch match = files.find(folder);
            if (!match.paths.empty()) {
                unit.notes.push_back("Launch configuration: " + match.config.origin + ".");
                unit.launchFiles = std::move(match.paths);
                break;
            }
            if (!match.note.empty())
                unit.notes.push_back(match.note);
        }
    }
}

std::unique_ptr<Sink> launchSink(const SourceTree& tree, const ImportUnit& unit, Sink& sink) {
    LaunchConfig launch;
    for (const std::string& path : unit.launchFiles) {
        const auto more = launch::readLaunchFile(tree, path);
        if (!more.hasValue())
            continue; // changed since the plan; the run does without, as if it had never been there
        const std::string before = launch.origin;
        fillLaunch(launch, more.value());
        if (!before.empty())
            launch.origin = before + ", " + more.value().origin;
    }
    if (launch == LaunchConfig{})
        return nullptr;
    return std::make_unique<LaunchSink>(sink, std::move(launch));
}

} // namespace trainscope::importers
