#include "importers/record/EarlierPart.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::record {

namespace {

constexpr const char* kResumedFact = "resumed";
constexpr DurationNs kSurelyQuiet{10'000'000'000}; // commits come every second
constexpr std::string_view kProcess = "process ";
constexpr std::string_view kOn = " on ";

std::string_view factOf(const ImportReport& report, const char* name) {
    const auto found = report.facts.find(name);
    return found == report.facts.end() ? std::string_view() : std::string_view(found->second);
}

bool isOf(const ImportReport& report, const JobDescription& job) {
    const std::string_view node = factOf(report, "node"); // "0 of 2"
    return factOf(report, "job") == job.job && factOf(report, "command") == job.command
        && node.substr(0, node.find(' ')) == std::to_string(job.node);
}

// Numbers of processes are given again.
bool isRecorder(int process) {
    std::ifstream file(fmt::format("/proc/{}/comm", process));
    std::string name;
    return file >> name && name.starts_with("trainscope");
}

// "process 123 on node3": of that host, and there.
bool isRunningHere(std::string_view words, const std::string& host) {
    const std::size_t on = words.find(kOn);
    if (!words.starts_with(kProcess) || on == std::string_view::npos
        || words.substr(on + kOn.size()) != host)
        return false;
    const auto process
        = wholeNumber<int>(words.substr(kProcess.size(), on - kProcess.size())).value_or(0);
    return process > 0 && process != ::getpid() && isRecorder(process);
}

} // namespace

std::string recorderWords(const std::string& host) {
    return fmt::format("{}{}{}{}", kProcess, ::getpid(), kOn, host);
}

Result<std::optional<EarlierPart>> earlierPart(
    const store::Store& store, const std::string& run, const JobDescription& job) {
    const auto found = store.findRun(run);
    if (job.job.empty() || !found.hasValue() || found.value().range.end > wallClock())
        return std::optional<EarlierPart>();
    ASSIGN_OR_RETURN(const auto sources, store.sources());
    for (const store::Source& source : sources) {
        const bool isOfRun = std::find(source.runs.begin(), source.runs.end(), found.value().id)
            != source.runs.end();
        if (isOfRun && source.path.starts_with("record:") && isOf(source.report, job))
            return std::optional(EarlierPart{source.path, source.report, found.value().range.end,
                found.value().status == RunStatus::Partial});
    }
    return std::optional<EarlierPart>();
}

Status requireEnded(const EarlierPart& part, const JobDescription& job) {
    const std::string_view recorder = factOf(part.report, kRecorderFact);
    const bool isElsewhere
        = recorder.size() < job.host.size() || !recorder.ends_with(std::string(kOn) + job.host);
    const bool isFresh = isElsewhere && wallClock() - part.end < kSurelyQuiet;
    if (!part.isUnfinished || (!isFresh && !isRunningHere(recorder, job.host)))
        return {};
    return Error{ErrorCode::Refused,
        fmt::format("Job {} is being recorded into this run already, by {}. Record into another "
                    "file (%h and %n in its name), or under another --name{}.",
            job.job, recorder.empty() ? "another process" : recorder,
            isElsewhere ? ", or again in ten seconds if that one has died" : ""),
        {}};
}

void takeOver(ImportReport part, DurationNs hole, ImportReport& report) {
    const std::string words
        = fmt::format("{}, after a hole of {}", text::moment(wallClock()), text::duration(hole));
    const auto before = part.facts.find(kResumedFact);
    report.facts[kResumedFact] = before == part.facts.end() ? words : before->second + "; " + words;
    report.samples = part.samples;
    report.missing = part.missing;
    report.skipped = part.skipped;
    report.counts = std::move(part.counts);
    const std::vector<ImportWarning> again
        = std::exchange(report.warnings, std::move(part.warnings));
    report.warningCount = part.warningCount;
    for (const ImportWarning& warning : again) {
        const bool isKnown = std::any_of(report.warnings.begin(), report.warnings.end(),
            [&warning](const ImportWarning& old) { return old.text == warning.text; });
        if (!isKnown)
            report.warn(warning.file, warning.line, warning.text);
    }
}

} // namespace trainscope::record
