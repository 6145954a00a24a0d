#include "importers/charllm/CharllmImporter.h"

#include "importers/charllm/PlainLine.h"
#include "importers/charllm/RunImport.h"
#include "importers/charllm/RunPlan.h"
#include "importers/charllm/TelemetryLine.h"
#include "importers/common/RunFolders.h"
#include "importers/common/TelemetryName.h"

#include <exception>

namespace trainscope::importers::charllm {

namespace {

constexpr int kLinesToJudge = 50;

struct Judgement {
    int usable = 0;
    int bad = 0;
};

// Of the line at the front, which ends at `end`.
LineKind kindOf(std::string_view head, std::size_t end) {
    PlainLine line;
    if (end < head.size() && head.size() - end > kPlainPadding
        && parsePlainLine(head.data(), head.data() + end + 1, line) != nullptr)
        return LineKind::Sample;
    return parseTelemetryLine(head.substr(0, end)).kind;
}

Judgement judge(std::string_view head) {
    Judgement judgement;
    if (head.starts_with("\xEF\xBB\xBF"))
        head.remove_prefix(3);
    for (int i = 0; i < kLinesToJudge && !head.empty(); ++i) {
        const std::size_t end = head.find('\n');
        const LineKind kind = kindOf(head, end);
        judgement.usable += kind == LineKind::Sample || kind == LineKind::Missing ? 1 : 0;
        judgement.bad += kind == LineKind::Bad ? 1 : 0;
        head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    }
    return judgement;
}

} // namespace

const Format& CharllmImporter::format() const {
    static constexpr Format kFormat{"charllm", "CharLLM-PPT telemetry",
        "CharLLM-PPT and Zeus result trees, with their launch YAML", Joins::OwnRun,
        LaunchSettings::OwnFiles};
    return kFormat;
}

Confidence CharllmImporter::sniff(std::string_view head, std::string_view path) const {
    const auto name = telemetryName(namePart(path));
    if (!name)
        return 0;
    const Judgement judgement = judge(head);
    const bool isTelemetry = judgement.usable > judgement.bad;
    if (!name->isKnown)
        return isTelemetry ? 20 : 0;
    return isTelemetry ? 90 : 40;
}

std::vector<ImportUnit> CharllmImporter::plan(
    const SourceTree& tree, const std::vector<SourceFile>& mine) const {
    return planRuns(tree, mine);
}

Result<ImportReport> CharllmImporter::import(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) const {
    try {
        return importRun(tree, unit, sink, progress);
    } catch (const std::exception& failure) {
        return Error{ErrorCode::Internal, std::string("Reading stopped: ") + failure.what(),
            tree.displayPath(unit.path)};
    }
}

} // namespace trainscope::importers::charllm
