#include "app/cli/commands/Command.h"
#include "app/cli/console/ProgressLine.h"
#include "app/cli/output/RunExport.h"
#include "app/cli/text/TextFile.h"
#include "core/analysis/statistics/Accumulators.h"

#include <iterator>

namespace trainscope::cli {
namespace {

// The samples of a run as OpenMetrics text (prometheus/OpenMetrics 1.0), for backfilling a
// monitoring engine: `promtool tsdb create-blocks-from openmetrics FILE`. A metric is a family
// "trainscope_gpu_power_watts"; a counter counts on over wraps and resets. Missing samples are left
// out. Labels: run, and rank, node, gpu, uuid, device as far as they apply.

// The units of OpenMetrics are words in the plural.
std::string_view unitWord(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 8> words{{{"W", "watts"},
        {"°C", "celsius"}, {"Hz", "hertz"}, {"B", "bytes"}, {"B/s", "bytes_per_second"},
        {"J", "joules"}, {"s", "seconds"}, {"FLOP/s", "flops_per_second"}}};
    for (const auto& [symbol, word] : words) {
        if (symbol == unit)
            return word;
    }
    return {};
}

constexpr bool isNamePart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string familyOf(const Metric& metric) {
    std::string name = "trainscope_";
    for (const char c : metric.name)
        name += isNamePart(c) ? c : '_';
    const auto unit = unitWord(metric.unit);
    return unit.empty() ? name : fmt::format("{}_{}", name, unit);
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\n') {
            result += "\\n";
            continue;
        }
        if (c == '\\' || c == '"')
            result += '\\';
        result += c;
    }
    return result;
}

// Unix seconds without zeros behind.
void appendStamp(std::string& text, TimeNs time) {
    appendDecimals(text, time.ns, 9);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
}

class MetricsWriter {
public:
    MetricsWriter(const store::Store& store, const ExportRequest& request,
        const KeepGoing& keepGoing, TextFile& file)
        : m_store(store)
        , m_request(request)
        , m_keepGoing(keepGoing)
        , m_file(file) { }

    Result<std::int64_t> write() {
        ASSIGN_OR_RETURN(const auto metrics, chosenSeries(m_store, m_request));
        ASSIGN_OR_RETURN(const auto gpus, m_store.gpus(m_request.run.id));
        for (const Gpu& gpu : gpus)
            m_gpus[gpu.rank] = gpu;
        for (const auto& [name, group] : metrics)
            RETURN_IF_ERROR(writeFamily(group));
        m_file.write("# EOF\n");
        RETURN_IF_ERROR(m_file.close());
        return m_samples;
    }

private:
    Status writeFamily(const std::vector<Series>& group) {
        const Metric& metric = group.front().description.metric;
        const bool isCounter = metric.kind == MetricKind::Counter;
        const std::string family = familyOf(metric);
        m_file.write(fmt::format("# TYPE {} {}\n", family, isCounter ? "counter" : "gauge"));
        if (const auto unit = unitWord(metric.unit); !unit.empty())
            m_file.write(fmt::format("# UNIT {} {}\n", family, unit));
        m_file.write(fmt::format("# HELP {} {}\n", family, escaped(metric.label)));
        for (const Series& series : group)
            RETURN_IF_ERROR(writeSeries(family + (isCounter ? "_total" : ""), series));
        return {};
    }

    Status writeSeries(const std::string& name, const Series& series) {
        const std::string head = name + labelsOf(series.description.subject);
        std::optional<analysis::CounterTotal> counted;
        if (series.description.metric.kind == MetricKind::Counter)
            counted.emplace(series.description);
        std::optional<double> first;
        std::string block;
        bool stopped = false;
        const auto status
            = m_store.forEachSample(series.id, kAllTime, [&](auto times, auto values) {
                  block.clear();
                  for (std::size_t i = 0; i < times.size(); ++i) {
                      if (std::isnan(values[i]))
                          continue;
                      double value = values[i];
                      if (counted) {
                          first = first.value_or(value);
                          counted->add(times.subspan(i, 1), values.subspan(i, 1));
                          value = *first + counted->total().value_or(0.0);
                      }
                      fmt::format_to(std::back_inserter(block), "{} {} ", head, value);
                      appendStamp(block, times[i]);
                      block += '\n';
                      ++m_samples;
                  }
                  m_file.write(block);
                  stopped = !m_keepGoing(name);
                  return !stopped;
              });
        return stopped ? Status(cancelled()) : status;
    }

    std::string labelsOf(const Subject& subject) const {
        std::string labels = fmt::format("{{run=\"{}\"", escaped(m_request.run.name));
        const auto add = [&labels](std::string_view name, std::string_view value) {
            labels += fmt::format(",{}=\"{}\"", name, escaped(value));
        };
        if (subject.rank >= 0)
            add("rank", std::to_string(subject.rank));
        const auto gpu = m_gpus.find(subject.rank);
        if (gpu != m_gpus.end()) {
            add("node", std::to_string(gpu->second.node));
            add("gpu", std::to_string(gpu->second.local));
            if (!gpu->second.uuid.empty())
                add("uuid", gpu->second.uuid);
        } else if (subject.node >= 0) {
            add("node", std::to_string(subject.node));
        }
        if (!subject.device.empty())
            add("device", subject.device);
        return labels + "}";
    }

    const store::Store& m_store;
    const ExportRequest& m_request;
    const KeepGoing& m_keepGoing;
    TextFile& m_file;
    std::map<int, Gpu> m_gpus;
    std::int64_t m_samples = 0;
};

struct ExportOptions : OneRunOptions {
    std::vector<std::string> metrics;
    std::string format = "csv";
    std::string out;
    bool force = false;
};

// The files written.
Result<std::vector<std::filesystem::path>> writeAs(const std::string& format,
    const store::Store& store, const ExportRequest& request, const KeepGoing& keepGoing,
    const Console& console) {
    if (format == "csv")
        return exportRun(store, request, keepGoing);
    if (format == "chrome-json") {
        ASSIGN_OR_RETURN(const auto written, exportChromeTrace(store, request, keepGoing));
        for (const std::string& remark : written.remarks)
            console.warn(remark);
    } else {
        ASSIGN_OR_RETURN(auto file, newFile(request));
        ASSIGN_OR_RETURN(
            const auto samples, MetricsWriter(store, request, keepGoing, file).write());
        if (samples == 0)
            console.warn("The run '" + request.run.name + "' holds no samples; the file has none.");
    }
    return std::vector{request.out};
}

Outcome exportTo(const ExportOptions& options, const Console& console, const store::Store& store,
    const Run& run) {
    ProgressLine line(console);
    const auto keepGoing = [&](std::string_view phase) {
        line.updateCount("Writing " + std::string(phase), 0, 0);
        return !console.isCancelled();
    };
    ASSIGN_OR_RETURN(const auto files,
        writeAs(options.format, store, {run, options.metrics, options.out, options.force},
            keepGoing, console));
    if (files.empty())
        console.warn("The run '" + run.name + "' holds no data; nothing was written.");
    for (const auto& file : files)
        console.out() << file.string() << '\n';
    return ExitStatus::Done;
}

} // namespace

void addExportCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<ExportOptions>(
        app, "export", "Write a run's samples, kernels and spans as CSV, as a trace or as metrics");
    addOption(
        *command, "--metric", options->metrics, "Only this metric; may be given several times", "M")
        ->check(suggesting(metricNames()))
        ->expected(1)
        ->take_all();
    addOption(*command, "--format", options->format,
        "Format: CSV files in a folder, a trace for Perfetto, or samples for a monitoring "
        "engine",
        "FORMAT")
        ->check(CLI::IsMember({"csv", "chrome-json", "openmetrics"}));
    addOption(*command, "--out", options->out,
        "The folder, made when it does not exist; of other formats the file, compressed where its "
        "name ends in .gz",
        "PATH")
        ->required();
    command->add_flag(
        "--force", options->force, "Replace files of the same names in a folder that is not empty");
    runsOnRun(*command, context, options, exportTo);
}

} // namespace trainscope::cli
