#include "app/recording/JobRecordings.h"

#include "core/store/Connection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

namespace trainscope::app {

namespace {

constexpr DurationNs kRemoveEvery{60'000'000'000};
constexpr DurationNs kTryAgain{60'000'000'000};

constexpr int kStepsOfLook = 2; // a list of processes costs the driver more than a reading
constexpr int kStepsOfRemoval = 60;
constexpr int kSettledLooks = 2; // ranks come to their GPUs one after the other
constexpr int kMissedLooks = 2; // a call may fail once

} // namespace

Result<std::unique_ptr<RotatedRecording>> RotatedRecording::start(RotationRequest request) {
    const std::string file = request.onlyFile;
    return store::fenced(file, [&]() -> Result<std::unique_ptr<RotatedRecording>> {
        std::unique_ptr<RotatedRecording> recording(new RotatedRecording(std::move(request)));
        ASSIGN_OR_RETURN(recording->m_part, recording->begin(wallClock()));
        recording->removeOld(wallClock());
        return recording;
    });
}

RotatedRecording::~RotatedRecording() {
    takeEnding();
}

Result<std::unique_ptr<RotatedRecording::Part>> RotatedRecording::begin(TimeNs now) {
    record::JobDescription named = m_request.record.job;
    if (!m_request.jobInNames.empty())
        named.job = m_request.jobInNames;
    const std::string file
        = m_request.rule.isNever() ? m_request.onlyFile : m_request.files.next(named, now);
    if (m_request.owner)
        RETURN_IF_ERROR(makeFileFor(*m_request.owner, file));
    ASSIGN_OR_RETURN(auto store, store::Store::openOrCreate(file));
    auto part = std::make_unique<Part>(Part{std::move(store), file, now, nullptr});
    ASSIGN_OR_RETURN(part->recorder,
        record::Recorder::start(
            part->store, record::openDevices(m_request.environment), m_request.record));
    return part;
}

void RotatedRecording::commit() {
    const Status status = m_part->recorder->commit();
    if (!status.hasValue() && m_isGood)
        m_request.warn(status.error().describe()
            + " The recording goes on in memory and is tried to be written every second.");
    if (status.hasValue() && !m_isGood)
        m_request.warn("The recording is written again.");
    m_isGood = status.hasValue();
    if (m_ending.valid() && m_ending.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
        takeEnding();
    const TimeNs now = wallClock();
    if (m_isGood && !m_ending.valid() && now >= m_nextTry
        && m_request.rule.isFull(m_part->begin, now, m_part->recorder->fileBytes()))
        rotate(now);
    if (now >= m_nextRemoval)
        removeOld(now);
}

void RotatedRecording::rotate(TimeNs now) {
    m_request.record.waits = true;
    auto next = begin(now);
    if (!next.hasValue()) {
        m_nextTry = now + kTryAgain;
        m_request.warn(next.error().describe() + " The recording goes on in " + m_part->file
            + ", and another file is tried in a minute.");
        return;
    }
    // Its readings end before those of the next begin, so that no moment is in both files.
    record::Recorder& full = *m_part->recorder;
    full.stop();
    next.value()->recorder->beginSampling();
    next.value()->recorder->setMarks(full.giveMarks());
    m_endingPart = std::exchange(m_part, std::move(next.value()));
    m_ending = std::async(std::launch::async, [&full] { return full.finish({}); });
    removeOld(now);
}

void RotatedRecording::takeEnding() {
    if (!m_ending.valid())
        return;
    const Status status = m_ending.get();
    m_request.ended(*m_endingPart->recorder, m_endingPart->file, status);
    m_endingPart.reset();
}

void RotatedRecording::removeOld(TimeNs now) {
    m_nextRemoval = now + kRemoveEvery;
    if (!m_request.keep)
        return;
    const auto removed
        = m_request.files.removeOlder(*m_request.keep, m_request.record.job, now, m_part->file);
    if (!removed.left.empty() && !std::exchange(m_toldLeft, true))
        m_request.warn(fmt::format(
            "{} is older than what is kept and stays: it holds more than recordings, or cannot be "
            "read.",
            removed.left.front()));
}

void RotatedRecording::finish() {
    takeEnding();
    const Status status = m_part->recorder->finish({});
    m_request.ended(*m_part->recorder, m_part->file, status);
}

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
        const bool hasMore = !std::ranges::includes(one.job.gpus, job.gpus);
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
