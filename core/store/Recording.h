#pragma once
// A recording: a source of one run that is written while it happens. Each commit() is a transaction
// of its own; what it held stays, whatever happens to the program, and others see it at once. A
// commit that fails (a full disk, another writer) loses nothing either: the samples wait for the
// next.

#include "core/model/StepFacts.h"
#include "core/store/Writing.h"

namespace trainscope::store {

class Recording {
public:
    // The run is marked partial until finish(). The store lives longer, is open for writing and
    // writes nothing else meanwhile, else the answer is Refused.
    static Result<std::unique_ptr<Recording>> begin(
        Store& store, const SourceDescription& source, const Run& run);
    // Goes on with a recording that ended, or died: the source of that path in the run of that
    // name, behind what it holds. series() gives those that are there already, each with a missing
    // sample between its last one and the next, since nothing is known of the time between.
    // NotFound: there is no such source.
    static Result<std::unique_ptr<Recording>> resume(
        Store& store, const std::string& path, const Run& run);
    virtual ~Recording() = default;
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    // In the database at once.
    virtual Status gpu(const Gpu& gpu) = 0;
    virtual Result<SeriesId> series(const SeriesDescription& description) = 0;

    // These wait for the next commit. Times of a series do not decrease: one before the last, as of
    // a clock that was set back, counts as that.
    virtual void sample(SeriesId series, TimeNs time, double value) = 0; // NaN for missing
    virtual void iteration(const Iteration& iteration) = 0;
    // All phases of the run that this recording knows of, in order; replaces those before.
    virtual void phases(std::vector<NamedPhase> phases) = 0;
    virtual void describe(const Run& run) = 0; // replaces what was said of it

    virtual Status commit(const ImportReport& report) = 0;
    // Size of the database, with what other files hold for it.
    [[nodiscard]] virtual Result<std::uint64_t> bytes() const = 0;
    // The last commit, with everything that makes reading quick; the run has the status that was
    // described.
    virtual Status finish(const ImportReport& report, const Progress& progress) = 0;

protected:
    Recording() = default;
};

} // namespace trainscope::store
