#include "core/analysis/traces/LateText.h"

#include "core/text/Numbers.h"
#include "core/text/Table.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::analysis {

namespace {

double sumOfReasons(const ByLateReason<double>& seconds) {
    double sum = 0.0;
    for (const LateReason reason : kLateReasons)
        sum += seconds[reason];
    return sum;
}

std::string kernelText(const std::string& kernel) {
    constexpr std::size_t longest = 48; // characters of a mangled or generated name in a sentence
    return kernel.empty() ? std::string() : ", most of all " + text::elided(kernel, longest);
}

std::string whatItDid(LateReason reason, const std::string& slower, const std::string& more) {
    switch (reason) {
    case LateReason::HostLate:
        return "its GPU waits for its host, which launches late";
    case LateReason::Stalled:
        return "its GPU stands idle though work was launched, as if another stream or process "
               "held it";
    case LateReason::Idle:
        return "its GPU stands idle (no launches are recorded that say why)";
    case LateReason::SlowerKernels:
        return "its kernels take longer" + kernelText(slower);
    case LateReason::LowerClock:
        return "its kernels take longer as its clock is lower than the others'";
    case LateReason::Heat:
        return "its kernels take longer as heat holds its clock below the others'";
    case LateReason::PowerLimit:
        return "its kernels take longer as the power limit holds its clock below the others'";
    case LateReason::MoreKernels:
        return "it runs more kernels" + kernelText(more);
    case LateReason::Copies:
        return "its copies take longer";
    case LateReason::SlowTransfers:
        return "its transfers take longer, as of a slower link";
    case LateReason::LateMessages:
        return "its messages come late";
    case LateReason::InTurn:
        return "the stages of a pipeline go in turn";
    case LateReason::Unrecorded:
        return "before the recording of all ranks began";
    case LateReason::Other:
        break;
    }
    return "what is not known";
}

} // namespace

bool isExplanation(LateReason reason) {
    return reason != LateReason::Idle && reason != LateReason::Unrecorded
        && reason != LateReason::Other;
}

std::optional<LateReason> namedReason(const ByLateReason<double>& seconds) {
    const double sum = sumOfReasons(seconds);
    const double inCollectives = sum - seconds[LateReason::LateMessages];
    const bool tells = inCollectives >= kTellsOfMessages * sum;
    const double lateness = tells ? inCollectives : sum;
    for (const LateReason reason : kLateReasons) {
        if (isExplanation(reason) && (reason != LateReason::LateMessages || !tells)
            && lateness > 0.0 && seconds[reason] >= kNamedCause * lateness)
            return reason;
    }
    return std::nullopt;
}

std::string lateText(
    const ByLateReason<double>& seconds, const std::string& kernel, bool mayBeNamed) {
    std::vector<LateReason> reasons(kLateReasons.begin(), kLateReasons.end());
    std::ranges::stable_sort(
        reasons, [&](LateReason a, LateReason b) { return seconds[a] > seconds[b]; });
    const bool runsMore = seconds[LateReason::MoreKernels] > seconds[LateReason::SlowerKernels];
    const double sum = sumOfReasons(seconds);
    double rest = sum;
    std::string text;
    for (const LateReason reason : reasons) {
        if (!text.empty() && seconds[reason] < kToldReason * sum)
            continue;
        text += fmt::format("{}{} ({})", text.empty() ? "" : "; ",
            whatItDid(reason, runsMore ? "" : kernel, runsMore ? kernel : ""),
            text::seconds(seconds[reason]));
        rest -= seconds[reason];
    }
    if (rest > 0.001 * sum)
        text += fmt::format("; the rest is {}", text::seconds(rest));
    return (mayBeNamed && namedReason(seconds) ? "because " : "meanwhile ") + text;
}

} // namespace trainscope::analysis
