#pragma once
// A run that is being studied: where it is stored, whom to tell of the progress, and what was found
// of it, each thing once. Questions that share a study share its iterations, clocks, layout and
// sums. One thread at a time; the store outlives the study.

#include "core/store/Store.h"

namespace trainscope::analysis {

class RunStudy {
public:
    RunStudy(const store::Store& in, Run of, Progress told = {})
        : store(in)
        , run(std::move(of))
        , progress(std::move(told)) { }
    RunStudy(const RunStudy&) = delete;
    RunStudy& operator=(const RunStudy&) = delete;
    ~RunStudy() = default;

    const store::Store& store;
    const Run run;
    const Progress progress;

    // The value that `find` finds, looked for at the first call only. Errors are not kept: who
    // cancelled may ask again.
    template <typename Value>
    Result<Value> once(Result<Value> (*find)(const RunStudy&)) const {
        std::shared_ptr<const void>& kept = m_found[reinterpret_cast<Finder>(find)];
        if (!kept) {
            Result<Value> found = find(*this);
            if (!found.hasValue())
                return found;
            // Finding may have kept other values, but places in a map stay.
            kept = std::make_shared<const Value>(std::move(found).value());
        }
        return *static_cast<const Value*>(kept.get());
    }

private:
    using Finder = void (*)();
    mutable std::map<Finder, std::shared_ptr<const void>> m_found;
};

// Studies of the runs of a store, each made when it is first asked for. One thread at a time; the
// store outlives them.
class RunStudies {
public:
    RunStudies(const store::Store& in, Progress told = {})
        : store(in)
        , progress(std::move(told)) { }

    const store::Store& store;
    const Progress progress;

    const RunStudy& of(const Run& run) const {
        return m_studies.try_emplace(run.id, store, run, progress).first->second;
    }

private:
    mutable std::map<RunId, RunStudy> m_studies;
};

} // namespace trainscope::analysis
