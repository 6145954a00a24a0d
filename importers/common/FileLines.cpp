#include "importers/common/FileLines.h"

#include "core/model/Try.h"
#include "importers/common/LineBlocks.h"

namespace trainscope::importers {

Result<bool> readLines(const SourceTree& tree, const std::string& path, std::string_view phase,
    const Progress& progress, ImportReport& report,
    const std::function<Status(std::string_view line, std::int64_t number)>& visit) {
    constexpr std::int64_t kLinesPerReport = 2048;
    ASSIGN_OR_RETURN(auto stream, tree.open(path));
    LineReader lines(std::move(stream));
    while (true) {
        if (lines.lineNumber() % kLinesPerReport == 0 && progress
            && !progress({phase, lines.bytesConsumed(), tree.sizeOf(path)}))
            return cancelled();
        const auto line = lines.next();
        if (!line.hasValue())
            report.lost(path, lines.lineNumber(), line.error().message);
        if (!line.hasValue() || !line.value())
            return line.hasValue();
        report.bytes += line.value()->size() + 1;
        RETURN_IF_ERROR(visit(*line.value(), lines.lineNumber()));
    }
}

std::vector<std::string> linesOfHead(std::string_view head, std::size_t most) {
    constexpr std::size_t kLongestLine = 8192; // a header, or a row that is guessed from
    const bool isCut = head.size() >= kHeadOfLines;
    std::vector<std::string> lines;
    const std::string_view looked = head.substr(0, kHeadOfLines);
    LineReader reader(memoryStream(looked), looked.size() + 1);
    while (lines.size() < most) {
        const auto line = reader.next();
        if (!line.hasValue() || !line.value())
            break;
        lines.emplace_back(line.value()->size() <= kLongestLine ? *line.value() : "");
    }
    if (isCut && lines.size() > 1 && lines.size() < most)
        lines.pop_back();
    return lines;
}

Result<ObjectsRead> readObjects(const SourceTree& tree, const std::string& path,
    std::vector<std::string_view> paths, std::string_view phase, const Progress& progress,
    const std::function<Result<bool>(const JsonPaths::Found&)>& visit) {
    constexpr std::int64_t kObjectsPerReport = 1024;
    ASSIGN_OR_RETURN(auto stream, tree.open(path));
    JsonPaths objects(*stream, std::move(paths));
    ObjectsRead read;
    for (std::int64_t count = 1;; ++count) {
        const auto found = objects.next();
        read.bytes = objects.bytes();
        read.leftOut = objects.leftOut();
        if (!found.hasValue())
            read.problem = found.error().message;
        if (!found.hasValue() || !found.value())
            return read;
        ASSIGN_OR_RETURN(const bool goesOn, visit(*found.value()));
        if (!goesOn)
            return read;
        if (count % kObjectsPerReport == 0 && progress
            && !progress({phase, stream->bytesConsumed(), tree.sizeOf(path)}))
            return cancelled();
    }
}

Status readFiles(const SourceTree& tree, std::string_view phase, const Progress& progress,
    const std::function<Status(const SourceFile&)>& visit) {
    ProgressState state{phase};
    for (const SourceFile& file : tree.files())
        state.bytesTotal += file.size;
    for (const SourceFile& file : tree.files()) {
        if (progress && !progress(state))
            return cancelled();
        RETURN_IF_ERROR(visit(file));
        state.bytesDone += file.size;
    }
    return {};
}

} // namespace trainscope::importers
