#pragma once
// The lanes of linked runs: columns that the engine has reduced, from the cache at once, and asked
// for in the background where they are not there. Whoever draws never waits: what came is told by
// `changed`, and read by asking again. If an engine is gone, the cache stays; it is asked again
// on tryAgain(), and by itself after a while.
//
// Columns are of a ladder of lengths, each √2 of the one before, so that zooming back and forth
// finds what was there. Up to kMostRows series are asked for one by one; above, lines and bands are
// quantiles over all of them, and heat has a row for each node. If that is much to read, a few of
// the series in longer columns stand for all of them first. If a tile alone has
// tens of millions of samples, the engine looks at the end of each column only. The lane says both.

#include "app/engine/EngineLink.h"
#include "app/engine/KnownEngines.h"
#include "app/engine/LaneTiles.h"
#include "core/figures/timeline/RemoteLanes.h"

namespace trainscope::app {

struct EngineState {
    bool isAsking = false;
    std::optional<Error> error; // reason that nothing comes
    // The engine of a link that was looked at, which the user has not agreed to ask; `error` says
    // so.
    std::optional<importers::engine::Address> unnamed;
};

// Figures of a stretch of a linked run, computed by the engine metric by metric, after the lanes.
struct StretchFigures {
    std::vector<SeriesFigure> series;
    std::size_t metrics = 0; // there are
    std::size_t told = 0; // are here
    std::optional<Error> error; // reason that nothing comes
};

class EngineLanes : public figures::RemoteLanes {
public:
    static constexpr std::size_t kMostRows = 256;

    struct Settings {
        std::string cacheFolder; // empty: no files
        std::size_t mostBytes = std::size_t{96} << 20U; // in memory
        std::uint64_t mostFileBytes = 512ULL << 20U;
        bool waits = false; // for the answers, as a program without a window does
        EngineAccessOf access = accessForLinked; // none but engines that the user has named
        std::function<void()> changed; // by any thread; often
    };
    // Lanes of the linked runs of the store; nullptr where it has none.
    static Result<std::shared_ptr<EngineLanes>> open(const store::Store& store, Settings settings);

    // Statistics of a linked run, as far as they are known; `changed` tells of more. Absent for
    // others.
    virtual std::optional<StretchFigures> figures(RunId run, TimeRange stretch) = 0;
    [[nodiscard]] virtual EngineState state() const = 0;
    virtual void tryAgain() = 0;
    // The runs that go on until now.
    [[nodiscard]] virtual std::vector<RunId> liveRuns() const = 0;
};

} // namespace trainscope::app
