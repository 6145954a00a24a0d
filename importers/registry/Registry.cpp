#include "importers/registry/Registry.h"

#include "core/model/AsciiText.h"
#include "core/text/Numbers.h"
#include "importers/common/FileLines.h"
#include "importers/common/Formats.h"
#include "importers/common/RunFolders.h"
#include "importers/registry/FileKind.h"

#include <fmt/format.h>

namespace trainscope::importers {
namespace {

constexpr std::size_t kLastOfLog = std::size_t{64} << 10;
constexpr std::size_t kPackedLog = std::size_t{4} << 20; // read where the end is not at hand
constexpr std::size_t kLongestError = 200;

// Words of errors, with '|' between them; the greater weight says more of the cause, since one
// failure brings on others.
struct ErrorSigns {
    int weight = 0;
    std::string_view texts;
};
constexpr int kOfMemory = 5;
constexpr int kOfPython = 4;
constexpr int kOfLibrary = 3;
constexpr int kOfLauncher = 2;
constexpr int kOfOthers = 1;
constexpr auto kSigns = std::to_array<ErrorSigns>({
    {kOfMemory, "out of memory|OutOfMemoryError|oom-kill|oom_kill|std::bad_alloc"},
    {kOfLibrary,
        "NCCL error|ncclSystemError|ncclInternalError|ncclUnhandledCudaError|"
        "ncclRemoteError|CUDA error|HIP error|CUDA driver error|Segmentation fault|"
        "Bus error|core dumped"},
    {kOfLauncher,
        "srun: error:|slurmstepd: error:|sbatch: error:|docker: Error|"
        "error: unrecognized arguments|command not found|No such file or directory|"
        "Permission denied|can't open file|mpirun noticed|Connection refused"},
    {kOfOthers, "ChildFailedError|Killed|Exited with exit code|FATAL|fatal:"},
});

bool isOfName(char c) {
    return (lowerChar(c) >= 'a' && lowerChar(c) <= 'z') || isDigit(c) || c == '_' || c == '.';
}

// Python's last line of a traceback from its exception on: "torch.OutOfMemoryError: CUDA out of".
std::string_view exceptionIn(std::string_view line) {
    for (const std::string_view word : {"Error", "Exception", "KeyboardInterrupt"}) {
        const std::size_t at = line.find(word);
        if (at == std::string_view::npos)
            continue;
        const std::size_t end = at + word.size();
        std::size_t begin = at;
        while (begin > 0 && isOfName(line[begin - 1]))
            --begin;
        const bool isWhole = end == line.size() || line.substr(end).starts_with(": ");
        const bool isFirst = begin == 0 || line[begin - 1] == ' ' || line[begin - 1] == ':';
        if (isWhole && isFirst && !isDigit(line[begin]))
            return line.substr(begin);
    }
    return {};
}

struct FoundError {
    int weight = 0;
    std::string text;
};

FoundError errorIn(std::string_view line) {
    const std::string_view exception = exceptionIn(line);
    int weight = exception.empty() ? 0 : kOfPython;
    for (const ErrorSigns& signs : kSigns) {
        for (const std::string_view text : words(signs.texts, "|")) {
            if (line.find(text) == std::string_view::npos)
                continue;
            if (text == "ChildFailedError")
                weight = 0; // torchrun's, of a worker whose own exception stands before it
            weight = std::max(weight, signs.weight);
        }
    }
    std::string text(exception.empty() ? line : exception);
    if (text.size() > kLongestError)
        text = text.substr(0, text.rfind(' ', kLongestError)) + " …";
    return {weight, std::move(text)};
}

std::string lastLinesOf(const SourceTree& tree, const std::string& path) {
    std::string text = readTail(tree, path, kLastOfLog);
    if (text.empty())
        text = readHead(tree, path, kPackedLog).valueOr(std::string());
    return text.substr(text.size() - std::min(text.size(), kLastOfLog));
}

void makeAttempt(Unrecognised& file, std::string error) {
    file.isAttempt = true;
    if (!error.empty())
        file.reason += "; it ended by: " + error;
    file.error = std::move(error);
}

using FilesByFolder = std::map<std::string, std::vector<const Unrecognised*>>;

FilesByFolder byFolderAbove(const FilesByFolder& folders) {
    FilesByFolder above;
    for (const auto& [folder, files] : folders)
        std::ranges::copy(files, std::back_inserter(above[std::string(folderPart(folder))]));
    return above;
}

std::string attemptLine(const std::string& folder, const std::vector<const Unrecognised*>& files) {
    std::map<std::string, std::int64_t> errors; // logs that ended by it
    const Unrecognised* last = nullptr; // the last one with an error
    for (const Unrecognised* file : files) {
        if (file->isAttempt && !file->error.empty() && ++errors[file->error] > 0)
            last = file;
    }
    const auto attempts = std::ranges::count_if(files, &Unrecognised::isAttempt);
    const auto copies = std::ssize(files) - attempts;
    std::string text = fmt::format("{}: {} recorded nothing", folder.empty() ? "." : folder,
        text::counted(attempts, "attempt"));
    if (copies > 0)
        text += fmt::format(
            " ({} of their logs {} there twice)", copies, copies == 1 ? "is" : "are");
    const auto most
        = std::ranges::max_element(errors, {}, [](const auto& error) { return error.second; });
    if (most != errors.end() && most->second > 1)
        text += fmt::format("; {} ended by: {}", most->second, most->first);
    else if (last != nullptr)
        text += fmt::format("; {} ended by: {}", namePart(last->path), last->error);
    return text;
}

} // namespace

const std::vector<const Importer*>& registry() {
    // clang-format off
    static const std::vector<const Importer*> importers{
        &charllm::kImporter,
        &exported::kImporter,
        &operations::kImporter,
        &kineto::kImporter,
        &nsys::kImporter,
        &nsysstats::kImporter,
        &rocprof::kImporter,
        &perfetto::kImporter,
        &xplane::kImporter,
        &tracker::kWandbImporter,
        &tracker::kEventsImporter,
        &tracker::kMlflowImporter,
        &meters::kGpuImporter,
        &meters::kNodeImporter,
        &meters::kLogImporter,
        &exectrace::kImporter,
        &flightrecorder::kImporter,
        &memorysnapshot::kImporter,
        &nccl::kInspectorImporter,
        &nccl::kImporter,
        &trainlog::kImporter,
        &topology::kImporter,
    };
    // clang-format on
    return importers;
}

const Importer* findImporter(std::string_view id) {
    const auto& importers = registry();
    const auto found = std::find_if(importers.begin(), importers.end(),
        [id](const auto& importer) { return importer->format.id == id; });
    return found == importers.end() ? nullptr : *found;
}

std::string formatList(std::string_view Format::*words) {
    std::vector<std::string> all;
    for (const auto& importer : registry())
        all.emplace_back(importer->format.*words);
    return listNames(all, all.size());
}

std::string errorThatEnded(std::string_view lastLines) {
    FoundError worst;
    LineReader lines(memoryStream(lastLines));
    while (true) {
        const auto line = lines.next();
        if (!line.hasValue() || !line.value())
            return std::move(worst.text);
        FoundError found = errorIn(trimmed(*line.value()));
        if (found.weight > 0 && found.weight >= worst.weight)
            worst = std::move(found);
    }
}

void findAttempts(const SourceTree& tree, ImportPlan& plan) {
    for (Unrecognised& file : plan.unrecognised) {
        const bool isLog = file.reason == kLogText || file.reason == kSteplessLog;
        const std::string_view name = namePart(file.path);
        const bool isText = file.reason == kOtherText
            && (name.ends_with(".txt") || name.find('.') == std::string_view::npos);
        if (!isLog && !isText)
            continue;
        std::string error = errorThatEnded(lastLinesOf(tree, file.path));
        if (isLog || !error.empty())
            makeAttempt(file, std::move(error));
    }
    std::erase_if(plan.units, [&](const ImportUnit& unit) {
        std::string error = unit.importer == "nccl" && unit.part.empty()
            ? errorThatEnded(lastLinesOf(tree, unit.path))
            : std::string();
        if (error.empty())
            return false;
        makeAttempt(plan.unrecognised.emplace_back(Unrecognised{unit.path, std::string(kLogText)}),
            std::move(error));
        return true;
    });
}

std::vector<Unrecognised> onlyAttempts(std::vector<Unrecognised> files, bool areAttempts) {
    std::erase_if(files, [areAttempts](const Unrecognised& one) {
        return one.isAttempt != areAttempts || !one.copyOf.empty();
    });
    return files;
}

std::vector<std::string> attemptLines(const std::vector<Unrecognised>& files) {
    constexpr std::size_t kMostLines = 10;
    FilesByFolder folders;
    for (const Unrecognised& file : files) {
        if (file.isAttempt || !file.copyOf.empty())
            folders[std::string(folderPart(file.path))].push_back(&file);
    }
    while (folders.size() > kMostLines)
        folders = byFolderAbove(folders);
    std::vector<std::string> lines;
    for (const auto& [folder, own] : folders) {
        if (std::ranges::any_of(own, &Unrecognised::isAttempt))
            lines.push_back(attemptLine(folder, own));
    }
    return lines;
}

} // namespace trainscope::importers
