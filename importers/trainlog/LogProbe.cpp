#include "importers/trainlog/LogProbe.h"

#include "importers/common/TextCleaning.h"
#include "importers/trainlog/LogLines.h"
#include "importers/trainlog/LogReader.h"

#include <algorithm>
#include <string>
#include <utility>

namespace trainscope::importers::trainlog {

namespace {

constexpr std::size_t kProbedHead = std::size_t{64} << 10;
constexpr std::size_t kProbedPacked = std::size_t{4}
    << 20; // of a compressed file, whose end is far
constexpr std::size_t kProbedPart = std::size_t{32} << 10;
constexpr std::uint64_t kProbedParts = 16;
constexpr std::size_t kFirstStamps = 64;

// The first that is not damaged: not far from the others.
std::optional<TimeNs> firstOf(const std::vector<TimeNs>& stamps) {
    static constexpr DurationNs kFarStamp{std::int64_t{366} * 86'400 * 1'000'000'000};
    if (stamps.empty())
        return std::nullopt;
    auto sorted = stamps;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *std::find_if(stamps.begin(), stamps.end(), [middle](TimeNs stamp) {
        return stamp - *middle <= kFarStamp && *middle - stamp <= kFarStamp;
    });
}

void join(LogProbe& all, const LogProbe& part) {
    if (all.dialect == nullptr)
        all.dialect = part.dialect;
    all.steps += part.steps;
    all.marks += part.marks;
    if (all.clock == ClockKind::None)
        all.clock = part.clock;
    if (!all.firstStamp)
        all.firstStamp = part.firstStamp;
}

} // namespace

bool mayHoldSteps(std::string_view part) {
    return part.find("loss") != std::string_view::npos
        || part.find("Loss") != std::string_view::npos
        || part.find("iteration") != std::string_view::npos
        || part.find(":::MLL") != std::string_view::npos
        || part.find("SamplesPerSec=") != std::string_view::npos
        || part.find("step=") != std::string_view::npos
        || part.find("train_time") != std::string_view::npos;
}

LogProbe probePart(std::string_view part) {
    LogProbe probe;
    if (!mayHoldSteps(part))
        return probe;
    std::int64_t stamped = 0;
    std::int64_t dated = 0; // with a zone
    std::vector<TimeNs> stamps;
    std::optional<TimeNs> firstMark;
    bool markIsUtc = false;
    LogReader reader([&](const LoggedStep& step) {
        const bool isMark = step.line.kind != StepLine::Kind::Step;
        probe.marks += isMark ? 1 : 0;
        if (isMark && (probe.steps > 0 || !step.line.stamp))
            return Status();
        if (isMark) {
            markIsUtc = step.line.stamp->isUtc;
            firstMark = firstMark.value_or(step.line.stamp->time);
            return Status();
        }
        const auto& stamp = step.line.stamp ? step.line.stamp : step.nearby;
        ++probe.steps;
        // Stamps before the first step may lie far back.
        if (stamp && (step.line.stamp || probe.steps > 1)) {
            ++stamped;
            dated += stamp->isUtc ? 1 : 0;
        }
        if (stamp && stamps.size() < kFirstStamps)
            stamps.push_back(stamp->time);
        return Status();
    });
    while (!part.empty()) {
        const std::size_t end = std::min(part.find_first_of("\r\n"), part.size());
        std::string_view line = part.substr(0, std::min(end, LogLines::kLongest));
        std::string plain;
        if (line.find('\x1b') != std::string_view::npos)
            line = plain = withoutEscapes(line);
        if (!reader.read(line).hasValue())
            break;
        part.remove_prefix(std::min(end + 1, part.size()));
    }
    if (reader.dialect() == nullptr && reader.finish().hasValue() && firstMark) {
        probe.clock = markIsUtc ? ClockKind::Utc : ClockKind::Local;
        probe.firstStamp = firstMark;
        probe.dialect = reader.dialect();
        return probe;
    }
    probe.dialect = reader.dialect();
    probe.firstStamp = firstOf(stamps);
    const bool isDated = stamped > 0 && 2 * stamped >= probe.steps - 1;
    if (isDated)
        probe.clock = dated == stamped ? ClockKind::Utc : ClockKind::Local;
    else
        probe.firstStamp.reset();
    return probe;
}

LogProbe probeFile(const SourceTree& tree, const std::string& path) {
    LogProbe all;
    const std::string tail = readTail(tree, path, kProbedHead);
    const auto head = readHead(tree, path, tail.empty() ? kProbedPacked : kProbedHead);
    if (head.hasValue())
        join(all, probePart(head.value()));
    if (tail.empty())
        return all;
    const std::uint64_t size = tree.sizeOf(path);
    for (std::uint64_t i = 1; i < kProbedParts && all.clock == ClockKind::None; ++i)
        join(all,
            probePart(
                readBeforeEnd(tree, path, size * (kProbedParts - i) / kProbedParts, kProbedPart)));
    if (all.clock == ClockKind::None)
        join(all, probePart(tail));
    return all;
}

} // namespace trainscope::importers::trainlog
