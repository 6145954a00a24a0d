#include "importers/operators/TimingFolder.h"

#include "core/model/LaunchConfig.h"
#include "importers/common/Number.h"
#include "importers/operators/FileName.h"
#include "importers/operators/OperatorRows.h"
#include "importers/operators/TimingFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace trainscope::importers::operators {

namespace {

using predict::CollectiveTimings;
using predict::OperatorTimings;

constexpr double kMicrosecond = 1e-6;
constexpr double kElementBytes = 2.0;

using ExchangeKey = std::tuple<std::string, std::string, std::string, int, int>;

// An error that the source states of its own model of an operator, or of an exchange between that
// many nodes and GPUs per node.
struct StatedError {
    std::string folder;
    std::string gpu;
    std::string work;
    std::string direction; // "fwd", "bwd", "dur"; empty for exchanges
    int nodes = 0;
    int gpusPerNode = 0;
    double error = 0.0;
};

std::string folderOf(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

bool hasSize(const predict::Operator& work) {
    const std::array sizes{work.batch, work.m, work.n, work.k};
    return std::all_of(
        sizes.begin(), sizes.end(), [](double size) { return size > 0.0 && std::isfinite(size); });
}

// 0 where it is no whole number of nodes or GPUs.
int countOf(double number) {
    return number >= 1.0 && number <= kMostGpus && number == std::floor(number)
        ? static_cast<int>(number)
        : 0;
}

class FolderReader {
public:
    FolderReader(const SourceTree& tree, TimingFolder& folder)
        : m_tree(tree)
        , m_folder(folder) { }

    void read(const SourceFile& file) {
        if (!file.problem.empty()) {
            warn(file.path, file.problem);
            return;
        }
        const FileName name = fileNameOf(file.path);
        if (name.work.empty())
            readStatedErrors(file.path, name.gpu);
        else if (const SampledOperator* known = findOperator(name.work))
            readOperator(file.path, name, *known);
        else if (const SampledCollective* exchange = findCollective(name.work))
            readCollective(file.path, name, *exchange);
        else
            warn(file.path,
                fmt::format("\"{}\" is no operator or exchange that is known.", name.work));
    }

    // Errors that the source states stand beside what they are of.
    void finish() {
        for (auto& [key, timings] : m_exchanges)
            m_folder.timings.collectives.push_back(std::move(timings));
        for (const StatedError& stated : m_stated)
            place(stated);
    }

private:
    void warn(const std::string& path, std::string text) {
        m_folder.report.warn(path, 0, std::move(text));
    }

    bool hasColumns(const std::string& path, const TimingTable& table, std::string_view names) {
        std::string missing;
        while (!names.empty()) {
            const auto end = std::min(names.find(' '), names.size());
            if (!table.has(names.substr(0, end)))
                missing += (missing.empty() ? "" : ", ") + std::string(names.substr(0, end));
            names.remove_prefix(std::min(end + 1, names.size()));
        }
        if (!missing.empty())
            warn(path, fmt::format("The columns {} are missing: the file is left out.", missing));
        return missing.empty();
    }

    void readOperator(const std::string& path, const FileName& name, const SampledOperator& known) {
        const TimingTable table = readTable(m_tree, path, m_folder.report);
        const bool isOneWay = table.has("dur(us)") || table.has("dur");
        const std::string_view forward = !isOneWay ? "F_dur(us)"
            : table.has("dur")                     ? "dur"
                                                   : "dur(us)";
        if (!hasColumns(path, table, known.needs)
            || !hasColumns(path, table, isOneWay ? forward : "F_dur(us) B_dur(us)"))
            return;
        ++m_folder.files;
        OperatorTimings timings{
            name.gpu, std::string(known.name), std::string(known.family), {}, {}, {}};
        for (const auto& values : table.rows) {
            const Columns row(table.names, values);
            const predict::Operator work = known.shapeOf(row);
            if (!hasSize(work)) {
                leaveOut(path, "A size of this shape is not above 0.");
                continue;
            }
            timings.rows.push_back({work, row[forward] * kMicrosecond,
                isOneWay ? predict::kNotTimed : row["B_dur(us)"] * kMicrosecond});
        }
        m_folder.timings.operators.push_back(std::move(timings));
        m_operatorFolders.push_back(folderOf(path));
    }

    void leaveOut(const std::string& path, const char* why) {
        --m_folder.report.rows;
        ++m_folder.report.skipped;
        m_folder.report.warn(path, 0, why);
    }

    // The same rows lie in files of one arrangement and in files of all.
    void readCollective(
        const std::string& path, const FileName& name, const SampledCollective& known) {
        const TimingTable table = readTable(m_tree, path, m_folder.report);
        if (!hasColumns(path, table, "shape nodes GPUsPerNode dur(us)"))
            return;
        ++m_folder.files;
        const std::string fabric = fabricOf(m_tree.displayPath(path));
        for (const auto& values : table.rows) {
            const Columns row(table.names, values);
            const int nodes = countOf(row["nodes"]);
            const int gpus = countOf(row["GPUsPerNode"]);
            if (believableGpus(std::int64_t{nodes} * gpus) == 0) {
                leaveOut(path,
                    "Nodes and GPUs of each have to be whole numbers above 0, and of a cluster.");
                continue;
            }
            const ExchangeKey key{fabric, name.gpu, name.work, nodes, gpus};
            if (!m_seen.insert({key, row["shape"], row["dur(us)"]}).second)
                continue;
            auto& timings = m_exchanges[key];
            if (timings.rows.empty())
                timings = {name.gpu, fabric, name.work, known.kind, nodes, gpus, {}, {}};
            const double ranks = known.isShard ? nodes * gpus : 1.0;
            timings.rows.push_back(
                {row["shape"] * kElementBytes * ranks, row["dur(us)"] * kMicrosecond});
        }
    }

    void readStatedErrors(const std::string& path, const std::string& gpu) {
        std::map<std::string, std::size_t> columns;
        forEachLine(m_tree, path, m_folder.report, [&](std::int64_t line, const Cells& cells) {
            if (columns.empty()) {
                for (std::size_t i = 0; i < cells.size(); ++i)
                    columns[std::string(cells[i])] = i;
                if (!columns.contains("Best_error%"))
                    warn(path, "This CSV file is neither timings nor errors of a model.");
            } else if (columns.contains("Best_error%")) {
                takeStated(path, line, gpu, columns, cells);
            }
        });
    }

    void takeStated(const std::string& path, std::int64_t line, const std::string& gpu,
        const std::map<std::string, std::size_t>& columns, const Cells& cells) {
        const auto cell = [&](const char* name) -> std::string {
            const auto found = columns.find(name);
            const bool isThere = found != columns.end() && found->second < cells.size();
            return std::string(isThere ? cells[found->second] : std::string_view());
        };
        const auto whole
            = [&](const char* name) { return countOf(parseNumber(cell(name)).value_or(0.0)); };
        const auto error = parseNumber(cell("Best_error%"));
        if (!error) {
            ++m_folder.report.skipped;
            m_folder.report.warn(path, line, "This line states no error.");
            return;
        }
        m_stated.push_back({folderOf(path), gpu, cell("Function"), cell("Propagation"),
            whole("Nodes"), whole("GPUsPerNode"), *error});
    }

    void place(const StatedError& stated) {
        auto& operators = m_folder.timings.operators;
        for (std::size_t i = 0; i < operators.size(); ++i) {
            OperatorTimings& one = operators[i];
            if (m_operatorFolders[i] == stated.folder && one.gpu == stated.gpu
                && one.name == stated.work)
                (stated.direction == "bwd" ? one.statedBackward : one.statedForward) = stated.error;
        }
        const std::string fabric
            = fabricOf(m_tree.displayPath(stated.folder + "/" + stated.gpu + ".csv"));
        for (CollectiveTimings& one : m_folder.timings.collectives) {
            if (one.fabric == fabric && one.gpu == stated.gpu && one.name == stated.work
                && one.nodes == stated.nodes && one.gpusPerNode == stated.gpusPerNode)
                one.statedError = stated.error;
        }
    }

    const SourceTree& m_tree;
    TimingFolder& m_folder;
    std::vector<std::string> m_operatorFolders; // of each of the timings
    std::map<ExchangeKey, CollectiveTimings> m_exchanges;
    std::set<std::tuple<ExchangeKey, double, double>> m_seen;
    std::vector<StatedError> m_stated;
};

bool isTable(const std::string& path) {
    for (const std::string_view ending : {".csv", ".csv.gz", ".csv.zst"}) {
        if (path.ends_with(ending))
            return true;
    }
    return false;
}

} // namespace

Result<TimingFolder> readTimings(const SourceTree& tree, const Progress& progress) {
    TimingFolder folder;
    FolderReader reader(tree, folder);
    ProgressState state{"Reading timings"};
    for (const SourceFile& file : tree.files())
        state.bytesTotal += file.size;
    for (const SourceFile& file : tree.files()) {
        if (progress && !progress(state))
            return cancelled();
        if (isTable(file.path) || !file.problem.empty())
            reader.read(file);
        state.bytesDone += file.size;
    }
    reader.finish();
    const auto& timings = folder.timings;
    if (timings.operators.empty() && timings.collectives.empty())
        return Error{ErrorCode::Unrecognised,
            "There are no timings of operators or exchanges here: expected CSV files such as "
            "<GPU>_linear1_fp16.csv or <GPU>_allreduce_fp16_2_4.csv.",
            tree.displayPath({})};
    return folder;
}

} // namespace trainscope::importers::operators
