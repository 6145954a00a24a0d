#pragma once
// One pass over parts of a run: its devices, its GPUs, its series. Each part is asked on the pool
// of workers, which read with stores of their own; answers come one by one, in the order of the
// parts, whatever the number of threads.

#include "core/analysis/RunStudy.h"
#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"

namespace trainscope::analysis {

// The jobs of one pass share it. Any thread, but for stop() and countTaken().
class SharedReading {
public:
    // Refers to the study; phase: of its progress.
    SharedReading(const RunStudy& study, std::string_view phase, std::size_t parts);

    // Without workers where the study's store may hold what others do not see.
    [[nodiscard]] WorkerPool& pool() { return m_isShared ? WorkerPool::shared() : m_none; }
    // ask(store, part, progress), with a store that nobody else uses meanwhile.
    template <typename Part, typename Ask>
    auto read(const Part& part, Ask& ask)
        -> decltype(ask(std::declval<const store::Store&>(), part, Progress())) {
        const Progress progress = [this](const ProgressState&) { return goesOn(); };
        if (!m_isShared)
            return ask(m_study.store, part, progress);
        ASSIGN_OR_RETURN(auto store, takeStore());
        auto answer = ask(std::as_const(*store), part, progress);
        giveBack(std::move(store));
        return answer;
    }
    void countTaken() { ++m_taken; }
    // Parts that are being read end with cancelled().
    void stop() { m_isStopped = true; }

private:
    Result<std::unique_ptr<store::Store>> takeStore();
    void giveBack(std::unique_ptr<store::Store> store);
    bool goesOn();

    const RunStudy& m_study;
    const std::string_view m_phase;
    const std::size_t m_parts;
    const bool m_isShared;
    WorkerPool m_none{0};
    std::atomic<std::size_t> m_taken = 0;
    std::atomic<bool> m_isStopped = false;
    std::mutex m_telling; // one thread at a time asks the study's progress
    std::mutex m_storing;
    std::vector<std::unique_ptr<store::Store>> m_stores; // idle ones
};

// ask(const store::Store&, const Part&, const Progress&) → Result<Answer>, on workers: it changes
// nothing that others see. take(const Part&, Answer&&) → Status, in this thread. Ends with the
// first failure.
template <typename Part, typename Ask, typename Take>
Status forEachPart(const RunStudy& study, std::string_view phase, const std::vector<Part>& parts,
    Ask&& ask, Take&& take) {
    using Answer = decltype(ask(study.store, parts.front(), Progress()));
    SharedReading reading(study, phase, parts.size());
    Status status;
    auto next = parts.begin();
    OrderedJobs<Answer> jobs(reading.pool(), 0, [&](Answer&& answer) {
        const Part& part = *next++;
        reading.countTaken();
        if (!status.hasValue())
            return;
        status = answer.hasValue() ? take(part, std::move(answer).value()) : answer.error();
        if (!status.hasValue())
            reading.stop();
    });
    for (auto part = parts.begin(); part != parts.end() && status.hasValue(); ++part)
        jobs.submit([&reading, part, &ask] { return reading.read(*part, ask); });
    jobs.finish();
    return status;
}

// For forEachPart(): keeps the answers that there are.
template <typename Value>
auto collectInto(std::vector<Value>& values) {
    return [&values](const auto& /*part*/, std::optional<Value>&& value) {
        if (value)
            values.push_back(std::move(*value));
        return Status();
    };
}

} // namespace trainscope::analysis
