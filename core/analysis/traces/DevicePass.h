#pragma once
// One pass over the traced devices of a run. Each device is asked on the pool of workers, which
// read with stores of their own; answers come one by one, in the order of the devices, whatever
// the number of threads.

#include "core/analysis/RunStudy.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace trainscope::analysis {

// A device and what reads it, on a worker.
struct DeviceReading {
    const store::Store& store; // the worker's
    const DeviceTracks& device;
    const Progress progress;

    // As walkDevice().
    template <typename... Visitors>
    Result<MarkEvidence> walk(TimeRange range, Visitors&... visitors) const {
        const std::array<DeviceVisitor*, sizeof...(Visitors)> all{&visitors...};
        return walkDevice(store, device, range, all, progress);
    }
    // The same without the host and the annotations: nothing tells launches, marks and phases.
    template <typename... Visitors>
    Status walkStreams(TimeRange range, Visitors&... visitors) const {
        DeviceTracks streams = device;
        streams.threads.clear();
        streams.annotations.clear();
        const auto walked = DeviceReading{store, streams, progress}.walk(range, visitors...);
        return walked.hasValue() ? Status() : Status(walked.error());
    }
};

// What the jobs of one pass share. Any thread, but for stop() and countTaken().
class SharedReading {
public:
    // Refers to the study.
    SharedReading(const RunStudy& study, std::size_t devices);

    // Without workers where the study's store may hold what others do not see.
    [[nodiscard]] WorkerPool& pool() { return m_isShared ? WorkerPool::shared() : m_none; }
    // ask(DeviceReading), with a store that nobody else uses meanwhile.
    template <typename Ask>
    auto read(const DeviceTracks& device, Ask& ask)
        -> decltype(ask(std::declval<DeviceReading>())) {
        const Progress progress = [this](const ProgressState&) { return goesOn(); };
        if (!m_isShared)
            return ask(DeviceReading{m_study.store, device, progress});
        ASSIGN_OR_RETURN(auto store, takeStore());
        auto answer = ask(DeviceReading{*store, device, progress});
        giveBack(std::move(store));
        return answer;
    }
    void countTaken() { ++m_taken; }
    // Devices that are being read end with cancelled().
    void stop() { m_isStopped = true; }

private:
    Result<std::unique_ptr<store::Store>> takeStore();
    void giveBack(std::unique_ptr<store::Store> store);
    bool goesOn();

    const RunStudy& m_study;
    const std::size_t m_devices;
    const bool m_isShared;
    WorkerPool m_none{0};
    std::atomic<std::size_t> m_taken = 0;
    std::atomic<bool> m_isStopped = false;
    std::mutex m_telling; // of the study's progress, which one thread at a time is asked
    std::mutex m_storing;
    std::vector<std::unique_ptr<store::Store>> m_stores; // that nobody uses
};

// For forEachDevice(): keeps the answers that there are.
template <typename Value>
auto collectInto(std::vector<Value>& values) {
    return [&values](const DeviceTracks&, std::optional<Value>&& value) {
        if (value)
            values.push_back(std::move(*value));
        return Status();
    };
}

// ask(DeviceReading) → Result<Answer>, on workers: it changes nothing that others see.
// take(const DeviceTracks&, Answer&&) → Status, in this thread. Ends with the first failure.
template <typename Ask, typename Take>
Status forEachDevice(
    const RunStudy& study, const std::vector<DeviceTracks>& devices, Ask&& ask, Take&& take) {
    using Answer = decltype(ask(std::declval<DeviceReading>()));
    SharedReading reading(study, devices.size());
    Status status;
    auto next = devices.begin();
    OrderedJobs<Answer> jobs(reading.pool(), 0, [&](Answer&& answer) {
        const DeviceTracks& device = *next++;
        reading.countTaken();
        if (!status.hasValue())
            return;
        status = answer.hasValue() ? take(device, std::move(answer).value()) : answer.error();
        if (!status.hasValue())
            reading.stop();
    });
    for (auto device = devices.begin(); device != devices.end() && status.hasValue(); ++device)
        jobs.submit([&reading, device, &ask] { return reading.read(*device, ask); });
    jobs.finish();
    return status;
}

} // namespace trainscope::analysis
