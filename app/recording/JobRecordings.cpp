#include "app/recording/JobRecordings.h"

#include "core/model/Try.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace trainscope::app {

namespace {

constexpr int kStepsOfLook = 2; // a list of processes costs the driver more than a reading
constexpr int kStepsOfRemoval = 60;
constexpr int kSettledLooks = 2; // ranks come to their GPUs one after the other
constexpr int kMissedLooks = 2; // a call may fail once

} // namespace

Result<std::unique_ptr<JobRecordings>> JobRecordings::start(Request request) {
    std::unique_ptr<JobRecordings> recordings(new JobRecordings(std::move(request)));
    const RotationRequest& rotation = recordings->m_request.rotation;
    if (::geteuid() == 0)
        RETURN_IF_ERROR(
            requireFolderOfRoot(recordedPath(recordings->m_request.pattern, rotation.record.job)));
    record::Devices& devices = recordings->m_devices;
    devices = record::openDevices(rotation.environment);
    const bool isTold = std::ranges::any_of(
        devices.libraries, [](const auto& library) { return library->processes().has_value(); });
    if (!isTold)
        return Error{ErrorCode::NotFound,
            fmt::format("Nothing on this node tells which processes work on its GPUs, as NVIDIA's "
                        "library and AMD's driver do (/sys/class/kfd): {}",
                devices.absent.empty() ? std::string("they do not.") : devices.absent.front()),
            "--per-job"};
    recordings->look();
    return recordings;
}

std::vector<record::GpuJob> JobRecordings::jobs() const {
    std::vector<record::GpuProcess> all;
    for (const auto& library : m_devices.libraries) {
        const auto found = library->processes();
        if (found)
            all.insert(all.end(), found->begin(), found->end());
    }
    return record::gpuJobs(all, m_devices.systemRoot);
}

void JobRecordings::removeOld() {
    if (m_request.rotation.keep)
        (void)RecordedFiles(m_request.pattern)
            .removeOlder(*m_request.rotation.keep, m_request.rotation.record.job, wallClock(), {});
}

void JobRecordings::step() {
    for (auto& [key, recorded] : m_recorded)
        recorded.recording->commit();
    if (++m_steps % kStepsOfLook == 0)
        look();
    if (m_steps % kStepsOfRemoval == 1)
        removeOld();
}

void JobRecordings::look() {
    const std::vector<record::GpuJob> found = jobs();
    for (auto& [key, recorded] : m_recorded)
        ++recorded.missed;
    std::erase_if(m_waiting, [&found](const auto& waiting) {
        return std::ranges::none_of(
            found, [&waiting](const record::GpuJob& job) { return job.key == waiting.first; });
    });
    for (const record::GpuJob& job : found)
        meet(job);
    std::vector<std::string> over;
    for (const auto& [key, recorded] : m_recorded) {
        if (recorded.missed >= kMissedLooks)
            over.push_back(key);
    }
    for (const std::string& key : over)
        end(key);
}

void JobRecordings::meet(const record::GpuJob& job) {
    const auto recorded = m_recorded.find(job.key);
    if (recorded != m_recorded.end()) {
        Recorded& one = recorded->second;
        one.missed = 0;
        const bool hasMore = !std::includes(
            one.job.gpus.begin(), one.job.gpus.end(), job.gpus.begin(), job.gpus.end());
        if (hasMore && !std::exchange(one.toldMore, true))
            m_request.rotation.warn(fmt::format(
                "Job {} works on GPUs {} now, and on {} when its recording began: the others are "
                "not in it.",
                job.name, fmt::join(job.gpus, ", "), fmt::join(one.job.gpus, ", ")));
        return;
    }
    Waiting& waiting = m_waiting[job.key];
    waiting.looks = waiting.gpus == job.gpus ? waiting.looks + 1 : 1;
    waiting.gpus = job.gpus;
    if (waiting.looks >= kSettledLooks)
        begin(job);
}

RotationRequest JobRecordings::rotationFor(const record::GpuJob& job) const {
    RotationRequest request = m_request.rotation;
    const record::JobDescription& own = m_request.rotation.record.job;
    request.record.job = record::describeJob(job.command, job.environment, own.host);
    if (request.record.job.job == "none")
        request.record.job.job.clear();
    request.record.launch = m_request.launch(job.command);
    request.record.gpus.clear();
    for (const int gpu : job.gpus)
        request.record.gpus.push_back(std::to_string(gpu));
    record::JobDescription named = request.record.job;
    named.job = request.jobInNames = job.name;
    request.keep.reset(); // this one removes
    request.owner = job.user;
    const bool isNamed = m_request.pattern.find("%j") != std::string::npos;
    request.onlyFile = recordedPath(m_request.pattern, named);
    // Two users may have jobs of one name.
    if (!isNamed || m_request.pattern.find("%d") != std::string::npos
        || !makeFileFor(job.user, request.onlyFile).hasValue())
        request.onlyFile = RecordedFiles(m_request.pattern).next(named, wallClock());
    return request;
}

void JobRecordings::begin(const record::GpuJob& job) {
    RotationRequest request = rotationFor(job);
    const std::string file = request.onlyFile;
    auto recording = RotatedRecording::start(std::move(request));
    if (!recording.hasValue()) {
        m_waiting[job.key].looks = 0; // tried again
        m_request.rotation.warn(
            fmt::format("Job {} is not recorded: {}", job.name, recording.error().describe()));
        return;
    }
    m_waiting.erase(job.key);
    m_request.tell(fmt::format("Job {} on GPUs {} is recorded into {}{}.", job.name,
        fmt::join(job.gpus, ", "), recording.value()->file(),
        job.environment.empty() ? "; its environment may not be read, so that it is known by its "
                                  "processes alone"
                                : ""));
    m_recorded[job.key] = {std::move(recording.value()), job};
}

void JobRecordings::end(const std::string& key) {
    const auto found = m_recorded.find(key);
    found->second.recording->finish();
    m_recorded.erase(found);
}

void JobRecordings::finish() {
    while (!m_recorded.empty())
        end(m_recorded.begin()->first);
}

} // namespace trainscope::app
