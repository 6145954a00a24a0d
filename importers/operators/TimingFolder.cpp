#include "importers/operators/TimingFolder.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/predict/Job.h"
#include "core/predict/profile/Timings.h"
#include "importers/common/Cells.h"
#include "importers/common/FileLines.h"
#include "importers/common/NamedTable.h"
#include "importers/common/Number.h"
#include "importers/common/RunFolders.h"
#include "importers/common/Source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <tuple>

namespace trainscope::importers::operators {
namespace {

// The operator that a name of the source stands for, and the shape that its files' columns mean.

using Cells = std::vector<std::string_view>;

std::optional<std::vector<double>> numbersOf(const Cells& cells) {
    std::vector<double> numbers;
    numbers.reserve(cells.size());
    for (const std::string_view cell : cells) {
        const auto number = parseNumber(cell);
        if (!number || !std::isfinite(*number))
            return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

// A row's numbers by the name of their column.
class Columns {
public:
    Columns(const TableHeader& header, std::vector<double> values)
        : m_header(header)
        , m_values(std::move(values)) { }

    [[nodiscard]] bool has(std::string_view name) const { return m_header.has(name); }
    // 1 where there is none.
    [[nodiscard]] double operator[](std::string_view name) const {
        const int found = m_header.find(name);
        return found < 0 ? 1.0 : m_values[static_cast<std::size_t>(found)];
    }

private:
    const TableHeader& m_header;
    std::vector<double> m_values;
};

// Sums of products and quotients of columns, of numbers, and of "words", which a GPU has of the
// vocabulary: batch, m, n and k of an operator's shape (OperatorKind); empty: 1.
using Sizes = std::array<std::string_view, 4>;
struct SampledOperator {
    std::string_view name; // as files are called
    std::string_view family; // see predict::OperatorTimings
    predict::OperatorKind kind;
    Sizes sizes;
};

struct SampledCollective {
    std::string_view name;
    predict::CollectiveKind kind;
    bool isShard; // sizes are of one rank's part
};

using predict::CollectiveKind;
using predict::OperatorKind;

constexpr double kVocabulary = 50257.0; // GPT-2's
constexpr double kPaddedTo = 128.0;

double wordsOf(const Columns& row) {
    const double unit = kPaddedTo * row["mp"];
    return std::ceil(kVocabulary / unit) * kPaddedTo;
}

double factorOf(std::string_view name, const Columns& row) {
    const auto number = parseNumber(name);
    return number ? *number : name == "words" ? wordsOf(row) : row[name];
}

double sizeOf(std::string_view sum, const Columns& row) {
    double size = sum.empty() ? 1.0 : 0.0;
    for (const std::string_view term : words(sum, "+")) {
        double product = 1.0;
        for (std::size_t at = 0; at < term.size();) {
            const std::size_t end = std::min(term.find_first_of("*/", at), term.size());
            const double factor = factorOf(term.substr(at, end - at), row);
            product = at > 0 && term[at - 1] == '/' ? product / factor : product * factor;
            at = end + 1;
        }
        size += product;
    }
    return size;
}

// With blanks between.
std::string columnsOf(const Sizes& sizes) {
    std::set<std::string_view> columns;
    for (const std::string_view sum : sizes) {
        for (const std::string_view name : words(sum, "+*/")) {
            if (!parseNumber(name))
                columns.insert(name == "words" ? "mp" : name);
        }
    }
    return fmt::format("{}", fmt::join(columns, " "));
}

constexpr Sizes kScores{"b*h/mp", "l", "l"};
constexpr Sizes kHidden{"", "b*l", "dim"};
// Adam on all parameters of a share of a stage: 12 squares of the hidden size and 12 tensors an
// encoder (2 norms, 4 matrices), and at the ends a table of words.
constexpr Sizes kEndOptimizer{"", "12*encoders*dim*dim/mp+words*dim", "12*encoders+1"};

constexpr std::array kOperators{
    SampledOperator{"linear1", "gemm", OperatorKind::Gemm, {"", "b*l", "3*dim/mp", "dim"}},
    SampledOperator{"linear2", "gemm", OperatorKind::Gemm, {"", "b*l", "dim", "dim/mp"}},
    SampledOperator{"linear3", "gemm", OperatorKind::Gemm, {"", "b*l", "4*dim/mp", "dim"}},
    SampledOperator{"linear4", "gemm", OperatorKind::Gemm, {"", "b*l", "dim", "4*dim/mp"}},
    SampledOperator{"linear_final", "gemm", OperatorKind::Gemm, {"", "b*l", "words", "dim"}},
    SampledOperator{"baddbmm", "attention_scores", OperatorKind::AttentionScores,
        {"b*h/mp", "l", "l", "dim/h"}},
    SampledOperator{
        "bmm", "attention_values", OperatorKind::AttentionValues, {"b*h/mp", "l", "dim/h", "l"}},
    SampledOperator{"flash_atten", "flash_attention", OperatorKind::FlashAttention,
        {"b*h/mp", "l", "dim/h", "l"}},
    SampledOperator{"ScaledUpperTriangMaskedSoftmax", "softmax", OperatorKind::Softmax, kScores},
    SampledOperator{"softmax", "softmax_without_mask", OperatorKind::Softmax, kScores},
    SampledOperator{"fillmask", "fill_mask", OperatorKind::Dropout, kScores},
    // Queries and keys together.
    SampledOperator{"RoPE", "rope", OperatorKind::Rope, {"b", "l", "2*dim/mp"}},
    SampledOperator{"gelu", "gelu", OperatorKind::Gelu, {"", "b*l", "4*dim/mp"}},
    SampledOperator{"layernorm", "layer_norm", OperatorKind::LayerNorm, kHidden},
    SampledOperator{"RMSlayernorm", "rms_norm", OperatorKind::RmsNorm, kHidden},
    SampledOperator{"res_add", "residual", OperatorKind::Residual, kHidden},
    SampledOperator{"embedding", "embedding", OperatorKind::Embedding, {"", "b*l", "dim", "words"}},
    SampledOperator{"parallel_cross_entropy_128", "cross_entropy", OperatorKind::CrossEntropy,
        {"", "b*l", "words"}},
    SampledOperator{"firstStage_optimizer", "optimizer", OperatorKind::Optimizer, kEndOptimizer},
    SampledOperator{"middleStage_optimizer", "optimizer", OperatorKind::Optimizer,
        {"", "12*encoders*dim*dim/mp", "12*encoders"}},
    SampledOperator{"lastStage_optimizer", "optimizer", OperatorKind::Optimizer, kEndOptimizer},
    SampledOperator{"optimizer", "optimizer_by_tensor", OperatorKind::Optimizer,
        {"", "params", "param_tensors"}},
};

constexpr std::array kCollectives{
    SampledCollective{"allreduce", CollectiveKind::AllReduce, false},
    SampledCollective{"allreduce_large", CollectiveKind::AllReduce, false},
    SampledCollective{"allgather", CollectiveKind::AllGather, true},
    SampledCollective{"allgather_large", CollectiveKind::AllGather, true},
    SampledCollective{"reducescatter", CollectiveKind::ReduceScatter, true},
    SampledCollective{"reducescatter_large", CollectiveKind::ReduceScatter, true},
    SampledCollective{"alltoall", CollectiveKind::AllToAll, false},
    SampledCollective{"p2p", CollectiveKind::SendRecv, false},
};

template <typename Table>
auto findIn(const Table& table, std::string_view name) { // nullptr: not known
    const auto found = std::find_if(
        table.begin(), table.end(), [&](const auto& one) { return one.name == name; });
    return found == table.end() ? nullptr : &*found;
}

// The name of a file of timings: NVIDIAA100-SXM4-80GB_allreduce_large_fp16_2_4.csv. Pure.

struct FileName {
    std::string gpu; // "NVIDIAA100-SXM4-80GB"
    std::string work; // "allreduce_large"; empty: the errors of the source's own models
};

// By the path; the name is cut at the precision, where what follows are nodes and GPUs per node.
FileName fileNameOf(std::string_view path) {
    const std::string stem = std::filesystem::path(path).stem().string();
    const auto gpuEnd = stem.find('_');
    if (gpuEnd == std::string::npos)
        return {stem, {}};
    FileName name{stem.substr(0, gpuEnd), stem.substr(gpuEnd + 1)};
    for (auto at = name.work.find('_'); at != std::string::npos; at = name.work.find('_', at + 1)) {
        const auto end = name.work.find('_', at + 1);
        if (predict::precisionFrom(name.work.substr(at + 1, end - at - 1))) {
            name.work.resize(at);
            break;
        }
    }
    return name;
}

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
        else if (const SampledOperator* known = findIn(kOperators, name.work))
            readOperator(file.path, name, *known);
        else if (const SampledCollective* exchange = findIn(kCollectives, name.work))
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
        m_folder.report.lost(path, 0, std::move(text));
    }

    // Each line as cells, the first one included; empty ones are passed over.
    void forEachLine(const std::string& path,
        const std::function<void(std::int64_t line, const Cells& cells)>& take) {
        CellSplitter splitter;
        const auto read = readLines(
            m_tree, path, {}, {}, m_folder.report, [&](std::string_view line, std::int64_t number) {
                const Cells& cells = splitter.split(line, ',');
                if (cells.size() > 1 || !cells.front().empty())
                    take(number, cells);
                return Status();
            });
        if (!read.hasValue())
            warn(path, read.error().message);
    }

    bool hasColumns(const std::string& path, const TableHeader& header, std::string_view names) {
        std::string missing;
        for (const std::string_view name : words(names, " ")) {
            const int at = header.find(name);
            const auto unit = at < 0 ? std::string() : header.units[static_cast<std::size_t>(at)];
            if (at < 0 || (!unit.empty() && unit != "us"))
                missing += (missing.empty() ? "" : ", ") + std::string(name);
        }
        if (!missing.empty())
            warn(path, fmt::format("The columns {} are missing: the file is left out.", missing));
        return missing.empty();
    }

    // The rows of numbers below a line of names; lines that are none are counted and told. True
    // where the file has the columns that it needs.
    bool readRows(const std::string& path,
        const std::function<std::string(const TableHeader&)>& needs,
        const std::function<void(const Columns&)>& take) {
        std::optional<TableHeader> header;
        bool hasAll = false;
        forEachLine(path, [&](std::int64_t line, const Cells& cells) {
            if (!header) {
                header.emplace(cells);
                hasAll = hasColumns(path, *header, needs(*header));
                return;
            }
            if (!hasAll)
                return;
            const std::size_t wanted = header->names.size();
            auto numbers = cells.size() == wanted ? numbersOf(cells) : std::nullopt;
            if (numbers) {
                ++m_folder.report.rows;
                return take(Columns(*header, std::move(*numbers)));
            }
            ++m_folder.report.skipped;
            m_folder.report.lost(path, line,
                cells.size() == wanted
                    ? "A cell of this line is no number."
                    : fmt::format(
                        "This line has {} cells where the first has {}.", cells.size(), wanted));
        });
        m_folder.files += hasAll ? 1 : 0;
        return hasAll;
    }

    void readOperator(const std::string& path, const FileName& name, const SampledOperator& known) {
        OperatorTimings timings{
            name.gpu, std::string(known.name), std::string(known.family), {}, {}, {}};
        const auto needs = [&known](const TableHeader& header) {
            return columnsOf(known.sizes) + (header.has("dur") ? "" : " f_dur b_dur");
        };
        const bool isRead = readRows(path, needs, [&](const Columns& row) {
            const auto size = [&](std::size_t which) { return sizeOf(known.sizes[which], row); };
            const predict::Operator work{.kind = known.kind,
                .batch = size(0),
                .m = size(1),
                .n = size(2),
                .k = size(3),
                .precision = predict::Precision::Fp16};
            if (!hasSize(work))
                return leaveOut(path, "A size of this shape is not above 0.");
            const bool isOneWay = row.has("dur");
            timings.rows.push_back({work, row[isOneWay ? "dur" : "f_dur"] * kMicrosecond,
                isOneWay ? predict::kNotTimed : row["b_dur"] * kMicrosecond});
        });
        if (!isRead)
            return;
        m_folder.timings.operators.push_back(std::move(timings));
        m_operatorFolders.emplace_back(folderPart(path));
    }

    void leaveOut(const std::string& path, const char* why) {
        --m_folder.report.rows;
        ++m_folder.report.skipped;
        m_folder.report.lost(path, 0, why);
    }

    // The same rows lie in files of one arrangement and in files of all.
    void readCollective(
        const std::string& path, const FileName& name, const SampledCollective& known) {
        const std::string fabric(fabricOf(m_tree.displayPath(path)));
        const auto needs
            = [](const TableHeader&) { return std::string("shape nodes gpuspernode dur"); };
        readRows(path, needs, [&](const Columns& row) {
            const int nodes = countOf(row["nodes"]);
            const int gpus = countOf(row["gpuspernode"]);
            if (believableGpus(std::int64_t{nodes} * gpus) == 0)
                return leaveOut(path,
                    "Nodes and GPUs of each have to be whole numbers above 0, and of a cluster.");
            const ExchangeKey key{fabric, name.gpu, name.work, nodes, gpus};
            if (!m_seen.insert({key, row["shape"], row["dur"]}).second)
                return;
            auto& timings = m_exchanges[key];
            if (timings.rows.empty())
                timings = {name.gpu, fabric, name.work, known.kind, nodes, gpus, {}, {}};
            const double ranks = known.isShard ? nodes * gpus : 1.0;
            timings.rows.push_back(
                {row["shape"] * kElementBytes * ranks, row["dur"] * kMicrosecond});
        });
    }

    void readStatedErrors(const std::string& path, const std::string& gpu) {
        std::optional<TableHeader> columns;
        forEachLine(path, [&](std::int64_t line, const Cells& cells) {
            if (!columns) {
                columns.emplace(cells);
                if (!columns->has("best_error%"))
                    warn(path, "This CSV file is neither timings nor errors of a model.");
            } else if (columns->has("best_error%")) {
                takeStated(path, line, gpu, NamedRow(*columns, cells));
            }
        });
    }

    void takeStated(
        const std::string& path, std::int64_t line, const std::string& gpu, const NamedRow& row) {
        const auto cell = [&](std::string_view name) { return std::string(row.text(name)); };
        const auto whole = [&](std::string_view name) {
            return countOf(parseNumber(row.text(name)).value_or(0.0));
        };
        const auto error = parseNumber(row.text("best_error%"));
        if (!error) {
            ++m_folder.report.skipped;
            m_folder.report.lost(path, line, "This line states no error.");
            return;
        }
        m_stated.push_back({std::string(folderPart(path)), gpu, cell("function"),
            cell("propagation"), whole("nodes"), whole("gpuspernode"), *error});
    }

    void place(const StatedError& stated) {
        auto& operators = m_folder.timings.operators;
        for (std::size_t i = 0; i < operators.size(); ++i) {
            OperatorTimings& one = operators[i];
            if (m_operatorFolders[i] == stated.folder && one.gpu == stated.gpu
                && one.name == stated.work)
                (stated.direction == "bwd" ? one.statedBackward : one.statedForward) = stated.error;
        }
        const std::string fabric(
            fabricOf(m_tree.displayPath(stated.folder + "/" + stated.gpu + ".csv")));
        for (CollectiveTimings& one : m_folder.timings.collectives) {
            if (one.fabric == fabric && one.gpu == stated.gpu && one.name == stated.work
                && one.nodes == stated.nodes && one.gpusPerNode == stated.gpusPerNode)
                one.statedError = stated.error;
        }
    }

    const SourceTree& m_tree;
    TimingFolder& m_folder;
    std::vector<std::string> m_operatorFolders; // one for each of the timings
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
    RETURN_IF_ERROR(readFiles(tree, "Reading timings", progress, [&](const SourceFile& file) {
        if (isTable(file.path) || !file.problem.empty())
            reader.read(file);
        return Status();
    }));
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
