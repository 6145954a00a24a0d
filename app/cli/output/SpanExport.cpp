#include "app/cli/output/SpanExport.h"

#include "app/cli/options/CategoryOption.h"
#include "app/cli/text/TextFile.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/model/AutogradLink.h"
#include "core/model/Try.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <iterator>
#include <unordered_map>

namespace trainscope::cli {

namespace {

using Names = std::unordered_map<NameId, std::string>;
using KeepGoing = std::function<bool(std::string_view)>;

Status writeKernels(const store::Store& store, const Run& run, TextFile& file) {
    ASSIGN_OR_RETURN(const auto categories, chosenCategories({}));
    ASSIGN_OR_RETURN(const auto devices, analysis::traceBreakdown({store, run}, categories));
    file.write("rank,device,name,category,count,time_us\n");
    for (const auto& device : devices) {
        for (const auto& kernel : device.kernels) {
            file.write(fmt::format("{},{},{},{},{},{}\n", device.rank, device.device,
                text::csvCell(kernel.name), text::csvCell(kernel.category), kernel.count,
                static_cast<double>(kernel.time.ns) / 1000.0));
        }
    }
    return file.close();
}

Status writeTrack(const store::Store& store, const Track& track, const Names& names, TextFile& file,
    const KeepGoing& keepGoing) {
    const auto& description = track.description;
    const std::string prefix = fmt::format(
        "{},{},{},", description.rank, description.device, text::csvCell(description.name));
    bool stopped = false;
    std::string block;
    const auto status = store.forEachSpan(track.id, kAllTime, [&](std::span<const Span> spans) {
        block.clear();
        for (const Span& span : spans) {
            const auto name = names.find(span.name);
            fmt::format_to(std::back_inserter(block), "{}{},{},{},{},{},{}\n", prefix,
                toString(span.kind), name == names.end() ? "" : name->second, span.start.ns,
                span.duration.ns, launchOf(span), span.depth);
        }
        file.write(block);
        stopped = !keepGoing("spans");
        return !stopped;
    });
    return stopped ? Status(cancelled()) : status;
}

Status writeSpans(const store::Store& store, const Run& run, const std::vector<Track>& tracks,
    TextFile& file, const KeepGoing& keepGoing) {
    ASSIGN_OR_RETURN(auto listed, store.names(run.id));
    Names names;
    for (const auto& [id, text] : listed)
        names.emplace(id, text::csvCell(text));
    file.write("rank,device,track,kind,name,start_ns,duration_ns,correlation,depth\n");
    for (const Track& track : tracks) {
        if (auto status = writeTrack(store, track, names, file, keepGoing); !status.hasValue())
            return status;
    }
    return file.close();
}

Status writeIterations(const std::vector<Iteration>& iterations, TextFile& file) {
    file.write("index,rank,start_ns,duration_ns,warmup\n");
    for (const auto& iteration : iterations) {
        file.write(fmt::format("{},{},{},{},{}\n", iteration.index,
            iteration.rank < 0 ? std::string() : std::to_string(iteration.rank),
            iteration.range.begin.ns, iteration.range.length().ns, iteration.warmup ? 1 : 0));
    }
    return file.close();
}

} // namespace

Result<std::vector<std::filesystem::path>> exportTraced(const store::Store& store, const Run& run,
    const std::filesystem::path& folder, const KeepGoing& keepGoing) {
    ASSIGN_OR_RETURN(const auto tracks, store.tracks(run.id));
    const auto iterations = store.iterations(run.id);
    if (!iterations.hasValue())
        return iterations.error();
    std::vector<std::filesystem::path> files;
    const auto write = [&](const char* name, const auto& body) -> Status {
        ASSIGN_OR_RETURN(auto file, TextFile::create(folder / name));
        files.push_back(folder / name);
        return body(file);
    };
    Status status;
    if (!tracks.empty()) {
        status
            = write("kernels.csv", [&](TextFile& file) { return writeKernels(store, run, file); });
        if (status.hasValue()) {
            status = write("spans.csv",
                [&](TextFile& file) { return writeSpans(store, run, tracks, file, keepGoing); });
        }
    }
    if (status.hasValue() && !iterations.value().empty())
        status = write("iterations.csv",
            [&](TextFile& file) { return writeIterations(iterations.value(), file); });
    return status.hasValue() ? Result<std::vector<std::filesystem::path>>(std::move(files))
                             : status.error();
}

} // namespace trainscope::cli
