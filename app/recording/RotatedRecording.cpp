#include "app/recording/RotatedRecording.h"

#include "core/model/Try.h"
#include "core/store/Connection.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace trainscope::app {

namespace {

constexpr DurationNs kRemoveEvery{60'000'000'000};
constexpr DurationNs kTryAgain{60'000'000'000};

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

} // namespace trainscope::app
