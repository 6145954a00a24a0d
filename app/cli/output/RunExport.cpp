#include "app/cli/output/RunExport.h"

#include "app/cli/options/TraceOptions.h"
#include "app/cli/text/TextFile.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/model/SpanFacts.h"
#include "core/store/tables/Catalogue.h"

#include <iterator>
#include <system_error>

namespace trainscope::cli {
namespace {

// Traces of a run as CSV: kernels.csv, spans.csv and iterations.csv, see RunExport.h.

using Names = std::unordered_map<NameId, std::string>;

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
    return {};
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
    return {};
}

Status writeIterations(const std::vector<Iteration>& iterations, TextFile& file) {
    file.write("index,rank,start_ns,duration_ns,warmup\n");
    for (const auto& iteration : iterations) {
        file.write(fmt::format("{},{},{},{},{}\n", iteration.index,
            iteration.rank < 0 ? std::string() : std::to_string(iteration.rank),
            iteration.range.begin.ns, iteration.range.length().ns, iteration.warmup ? 1 : 0));
    }
    return {};
}

std::string fileNameOf(std::string_view metric) {
    std::string name;
    for (const char c : metric) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
            || (c >= '0' && c <= '9') || c == '_' || c == '-';
        name += plain ? c : '_';
    }
    return name + ".csv";
}

Status prepareFolder(const ExportRequest& request) {
    std::error_code problem;
    const bool exists = std::filesystem::exists(request.out, problem);
    if (exists && !std::filesystem::is_directory(request.out, problem))
        return Error{
            ErrorCode::Usage, "This is a file; --out needs a folder.", request.out.string()};
    if (exists && !request.overwrite && !std::filesystem::is_empty(request.out, problem)
        && !problem) {
        return Error{ErrorCode::Usage,
            "The folder is not empty. Choose a new one, or replace files of the same names with "
            "--force.",
            request.out.string()};
    }
    std::filesystem::create_directories(request.out, problem);
    if (problem)
        return Error{ErrorCode::Io, "The folder cannot be made (" + problem.message() + ").",
            request.out.string()};
    return {};
}

class Exporter {
public:
    Exporter(const store::Store& store, const ExportRequest& request, const KeepGoing& keepGoing)
        : m_store(store)
        , m_request(request)
        , m_keepGoing(keepGoing) { }

    Result<std::vector<std::filesystem::path>> run() {
        ASSIGN_OR_RETURN(const auto metrics, chosenSeries(m_store, m_request));
        ASSIGN_OR_RETURN(const auto gpus, m_store.gpus(m_request.run.id));
        RETURN_IF_ERROR(prepareFolder(m_request));
        for (const Gpu& gpu : gpus)
            m_gpus[gpu.rank] = gpu;
        RETURN_IF_ERROR(writeMetrics(metrics));
        if (m_request.metrics.empty())
            RETURN_IF_ERROR(writeTraced());
        return placeAll();
    }

private:
    // One file, which stays beside its place until all of them are whole.
    template <typename Body>
    Status write(const std::string& name, const Body& body) {
        ASSIGN_OR_RETURN(auto file, TextFile::create(m_request.out / name));
        RETURN_IF_ERROR(body(file));
        RETURN_IF_ERROR(file.finish());
        m_files.push_back(std::move(file));
        return {};
    }

    // All of them: half an export is taken for a whole one.
    Result<std::vector<std::filesystem::path>> placeAll() {
        std::error_code ignored;
        for (const TextFile& file : m_files) {
            if (!m_request.overwrite && std::filesystem::exists(file.path(), ignored))
                return Error{ErrorCode::Usage,
                    "Somebody put this file there during the export. Choose another folder, or "
                    "replace it with --force.",
                    file.path().string()};
        }
        std::vector<std::filesystem::path> placed;
        for (TextFile& file : m_files) {
            RETURN_IF_ERROR(file.close());
            placed.push_back(file.path());
        }
        return placed;
    }

    Status writeTraced() {
        const Run& run = m_request.run;
        ASSIGN_OR_RETURN(const auto tracks, m_store.tracks(run.id));
        ASSIGN_OR_RETURN(const auto iterations, m_store.iterations(run.id));
        if (!tracks.empty()) {
            RETURN_IF_ERROR(write(
                "kernels.csv", [&](TextFile& file) { return writeKernels(m_store, run, file); }));
            RETURN_IF_ERROR(write("spans.csv", [&](TextFile& file) {
                return writeSpans(m_store, run, tracks, file, m_keepGoing);
            }));
        }
        return iterations.empty() ? Status() : write("iterations.csv", [&](TextFile& file) {
            return writeIterations(iterations, file);
        });
    }

    Status writeMetrics(const SeriesByMetric& metrics) {
        if (metrics.empty())
            return {};
        std::set<std::string> names{"metrics.csv", "kernels.csv", "spans.csv", "iterations.csv"};
        std::string index
            = "metric,unit,kind,file,series,samples,missing,scale,counter_bits,sensor\n";
        for (const auto& [metric, group] : metrics) {
            std::string name = fileNameOf(metric);
            while (!names.insert(name).second)
                name.insert(0, "_");
            if (auto status = writeMetric(metric, group, name); !status.hasValue())
                return status;
            index += indexRow(metric, group, name);
        }
        return write("metrics.csv", [&index](TextFile& file) -> Status {
            file.write(index);
            return {};
        });
    }

    static std::string indexRow(
        const std::string& metric, const std::vector<Series>& group, const std::string& name) {
        std::int64_t samples = 0;
        std::int64_t missing = 0;
        for (const Series& series : group) {
            samples += series.count;
            missing += series.missing;
        }
        const SeriesDescription& described = group.front().description;
        return fmt::format("{},{},{},{},{},{},{},{},{},{}\n", text::csvCell(metric),
            text::csvCell(described.metric.unit), toString(described.metric.kind), name,
            group.size(), samples, missing, described.scale, described.counterBits,
            toString(described.sensor));
    }

    Status writeMetric(
        const std::string& metric, const std::vector<Series>& group, const std::string& name) {
        return write(name, [&](TextFile& file) -> Status {
            file.write("time_ns,unix_s,rank,node,local,device,value\n");
            for (const Series& series : group)
                RETURN_IF_ERROR(writeSeries(metric, series, file));
            return {};
        });
    }

    Status writeSeries(const std::string& metric, const Series& series, TextFile& file) {
        const std::string subject = subjectCells(series.description.subject);
        bool stopped = false;
        std::string block;
        const auto status
            = m_store.forEachSample(series.id, kAllTime, [&](auto times, auto values) {
                  block.clear();
                  for (std::size_t i = 0; i < times.size(); ++i) {
                      fmt::format_to(std::back_inserter(block), "{},", times[i].ns);
                      appendDecimals(block, times[i].ns, 9);
                      block += subject;
                      if (!std::isnan(values[i]))
                          fmt::format_to(std::back_inserter(block), "{}", values[i]);
                      block += '\n';
                  }
                  file.write(block);
                  stopped = !m_keepGoing(metric);
                  return !stopped;
              });
        return stopped ? Status(cancelled()) : status;
    }

    // ",rank,node,local,device,"; what does not apply is empty.
    std::string subjectCells(const Subject& subject) const {
        if (subject.kind != SubjectKind::Gpu)
            return fmt::format(",,{},,{},",
                subject.node < 0 ? std::string() : std::to_string(subject.node),
                text::csvCell(subject.device));
        const auto gpu = m_gpus.find(subject.rank);
        if (gpu == m_gpus.end())
            return fmt::format(",{},,,{},", subject.rank, text::csvCell(subject.device));
        return fmt::format(",{},{},{},{},", subject.rank, gpu->second.node, gpu->second.local,
            text::csvCell(subject.device));
    }

    const store::Store& m_store;
    const ExportRequest& m_request;
    const KeepGoing& m_keepGoing;
    std::map<int, Gpu> m_gpus;
    std::vector<TextFile> m_files; // finished ones
};

} // namespace

void appendDecimals(std::string& line, std::int64_t count, int decimals) {
    std::uint64_t whole = 1;
    for (int i = 0; i < decimals; ++i)
        whole *= 10;
    const bool negative = count < 0;
    const auto size
        = negative ? ~static_cast<std::uint64_t>(count) + 1 : static_cast<std::uint64_t>(count);
    fmt::format_to(std::back_inserter(line), "{}{}.{:0{}}", negative ? "-" : "", size / whole,
        size % whole, decimals);
}

Result<SeriesByMetric> chosenSeries(const store::Store& store, const ExportRequest& request) {
    ASSIGN_OR_RETURN(auto series, store.series(request.run.id));
    SeriesByMetric all;
    for (Series& one : series)
        all[one.description.metric.name].push_back(std::move(one));
    if (request.metrics.empty())
        return all;
    SeriesByMetric chosen;
    for (const auto& metric : request.metrics) {
        const auto found = all.find(metric);
        if (found == all.end()) {
            std::string known;
            for (const auto& [name, group] : all)
                known += (known.empty() ? "" : ", ") + name;
            return Error{ErrorCode::NotFound,
                "The run has no metric '" + metric
                    + "'. It has: " + (known.empty() ? "none" : known) + ".",
                request.run.name};
        }
        chosen.insert(*found);
    }
    return chosen;
}

Result<TextFile> newFile(const ExportRequest& request) {
    std::error_code problem;
    if (std::filesystem::is_directory(request.out, problem))
        return Error{ErrorCode::Usage, "This is a folder; --out needs a file for this format.",
            request.out.string()};
    return TextFile::create(request.out);
}

Result<std::vector<std::filesystem::path>> exportRun(
    const store::Store& store, const ExportRequest& request, const KeepGoing& keepGoing) {
    return Exporter(store, request, keepGoing).run();
}

} // namespace trainscope::cli
