#include "importers/registry/FileKind.h"

#include "importers/common/JsonCursor.h"
#include "importers/common/Number.h"
#include "importers/common/RunFolders.h"
#include "importers/common/Stamp.h"
#include "importers/common/TextCleaning.h"
#include "importers/sqlite/DatabaseFile.h"

namespace trainscope::importers {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSqlite = "SQLite format 3\0"sv;

struct Mark {
    std::string_view bytes;
    std::size_t at = 0;
    std::string_view kind;
};
constexpr auto kMarks = std::to_array<Mark>({
    {"\xff\xd8\xff"sv, 0, "JPEG image"},
    {"\x89PNG"sv, 0, "PNG image"},
    {"GIF8"sv, 0, "GIF image"},
    {"%PDF-"sv, 0, "PDF document"},
    {"PK\x03\x04"sv, 0, "ZIP archive (or a file built on one: .pt, .npz, .docx)"},
    {"\x7f"
     "ELF"sv,
        0, "program or library (ELF)"},
    {"\x89HDF\r\n"sv, 0, "HDF5 file"},
    {"PAR1"sv, 0, "Parquet file"},
    {"ustar"sv, 257, "tar archive: unpack it first"},
    {"BZh"sv, 0, "bzip2 archive: unpack it first"},
    {"\xfd"
     "7zXZ"sv,
        0, "xz archive: unpack it first"},
    {"7z\xbc\xaf"sv, 0, "7-Zip archive: unpack it first"},
    {"\x93NUMPY"sv, 0, "NumPy array"},
    {"NSYS"sv, 0, "Nsight Systems report: export it with nsys export --type sqlite"},
    {"RIFF"sv, 0, "RIFF file (sound or picture)"},
    {"\x80\x02"sv, 0, "Python pickle that is no memory snapshot"},
    {"\x80\x03"sv, 0, "Python pickle that is no memory snapshot"},
    {"\x80\x04"sv, 0, "Python pickle that is no memory snapshot"},
    {"\x80\x05"sv, 0, "Python pickle that is no memory snapshot"},
});

// Stores of experiment trackers that are not read, told by a folder of their path.
struct Store {
    std::string_view folder;
    std::string_view tracker;
};
constexpr auto kStores = std::to_array<Store>({{".aim/", "Aim"}, {".neptune/", "Neptune"},
    {".cometml-runs/", "Comet"}, {".clearml/", "ClearML"}});

// Texts of other tools, told by something near their beginning.
struct Sign {
    std::string_view texts; // with '|' between them
    std::string_view kind;
};
constexpr std::string_view kXla
    = "trace of JAX or TensorFlow for viewers, without its moments: import "
      "the .xplane.pb of the same profile";
constexpr auto kJson = std::to_array<Sign>({
    {"\"/host:CPU\"|\"/device:", kXla},
    {"chakra", "execution trace without nodes that could be read"},
    {"\"panels\"", "Grafana dashboard, not telemetry"},
    {"\"iter_energy\"", "Perseus profile of a pipeline, not telemetry"},
    {"\"power_states\"", "Perseus schedule, not telemetry"},
    {"\"nbformat\"", "Jupyter notebook, not telemetry"},
    {"\"ops\"", "JSON of another tool"},
    {"\"log_history\"", "training log of Hugging Face's Trainer without steps that are known"},
    {"loss\"", kSteplessLog},
    {"\"zero_optimization\"|\"train_batch_size\"", "DeepSpeed configuration, not telemetry"},
    {"\"hidden_size\"", "configuration of a model, not telemetry"},
    {"\"weight_map\"", "index of a model's weights, not telemetry"},
});
constexpr auto kText = std::to_array<Sign>({
    {":::MLLOG", "MLPerf log without a run, steps, evaluations or power"},
    {"DCGM_FI_", "list of fields of dcgm-exporter, not telemetry"},
    {"time_per_epoch,average_power", "Zeus summary of runs by power limit, not telemetry"},
    {"SPEC PTDaemon", "messages of SPEC PTDaemon; the power is in its log beside it"},
    {"ROCm System Management", "rocm-smi output without readings that are known"},
    {"AMD-SMI", "amd-smi output without readings that are known"},
    {"elapsed time per iteration|lm loss|train_loss|[deepspeed|[real_accelerator.py|torchrun",
        kSteplessLog},
});

std::string_view firstText(std::string_view head) {
    const std::size_t at = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    return at == std::string_view::npos ? std::string_view() : head.substr(at);
}

std::string suffixOf(std::string_view path) {
    std::string_view name = namePart(path);
    for (const std::string_view packed : {".gz", ".zst"}) {
        if (name.ends_with(packed))
            name.remove_suffix(packed.size());
    }
    const std::size_t dot = name.rfind('.');
    return lowered(dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1));
}

bool isLogName(std::string_view path) {
    const std::string suffix = suffixOf(path);
    return suffix == "log" || suffix == "out" || suffix == "err";
}

template <typename Signs>
std::optional<std::string> bySign(std::string_view head, const Signs& signs) {
    for (const Sign& sign : signs) {
        for (const std::string_view text : words(sign.texts, "|")) {
            if (head.find(text) != std::string_view::npos)
                return std::string(sign.kind);
        }
    }
    return std::nullopt;
}

// Logs, too, begin with a bracket: "[2024-10-10 07:25:56] …", "[rank0]: …".
bool isJson(std::string_view text) {
    if (text.front() != '[')
        return text.front() == '{';
    const std::string_view rest = trimmed(text.substr(1));
    if (rest.find_first_of("{[\"]") == 0)
        return true;
    const std::string_view word = trimmed(rest.substr(0, rest.find_first_of(", ]\t\r\n")));
    return parseNumber(word) || word == "true" || word == "false" || word == "null";
}

constexpr std::array kSources{"py"sv, "pyi"sv, "pyx"sv, "ipynb"sv, "sh"sv, "bash"sv, "zsh"sv,
    "slurm"sv, "sbatch"sv, "c"sv, "cc"sv, "cpp"sv, "cu"sv, "cuh"sv, "h"sv, "hpp"sv, "js"sv,
    "java"sv, "go"sv, "rs"sv, "cmake"sv};

std::string byName(std::string_view path) {
    const std::string suffix = suffixOf(path);
    const std::string_view name = namePart(path);
    if (suffix == "yaml" || suffix == "yml")
        return "YAML, not telemetry";
    if (suffix == "md" || suffix == "rst" || suffix == "tex" || name.starts_with("README")
        || name.starts_with("LICENSE"))
        return "documentation, not telemetry";
    if (std::ranges::find(kSources, suffix) != kSources.end() || name == "Dockerfile"
        || name == "Makefile")
        return "script or source text, not telemetry";
    if (suffix == "toml" || suffix == "ini" || suffix == "cfg" || suffix == "conf")
        return "configuration, not telemetry";
    return {};
}

// The store that the file is of; empty for any other file.
std::string storeOf(std::string_view path) {
    for (const Store& store : kStores) {
        if (path.starts_with(store.folder)
            || path.find('/' + std::string(store.folder)) != path.npos)
            return std::string(store.tracker)
                + "'s own store, which is not read: export the run's metrics as a CSV table with a "
                  "column \"step\" and one for each metric";
    }
    return {};
}

bool isPacked(const SourceTree& tree, const SourceFile& file) {
    return readTail(tree, file.path, 1).empty();
}

std::string describeDatabase(
    const SourceTree& tree, const SourceFile& file, std::string_view head) {
    const std::uint64_t whole = databaseHeaderOf(head).bytes();
    if (whole <= file.size || isPacked(tree, file))
        return "SQLite database";
    return "SQLite database that is cut short (" + std::to_string(file.size) + " of "
        + std::to_string(whole) + " bytes): copy it again";
}

// True for a first line of a stamp and numbers.
bool isBareTable(std::string_view text) {
    const std::string_view line = trimmed(text.substr(0, text.find('\n')));
    const auto cells = words(line, ",;\t");
    if (cells.size() < 2 || !parseStamp(cells.front()))
        return false;
    return std::all_of(cells.begin() + 1, cells.end(),
        [](std::string_view cell) { return parseNumber(trimmed(cell)).has_value(); });
}

} // namespace

std::string describeFile(const SourceTree& tree, const SourceFile& file, std::string_view head) {
    const std::string& path = file.path;
    if (file.size == 0)
        return "empty";
    if (auto store = storeOf(path); !store.empty())
        return store;
    if (head.starts_with(kSqlite))
        return describeDatabase(tree, file, head);
    for (const Mark& mark : kMarks) {
        if (head.size() >= mark.at && head.substr(mark.at).starts_with(mark.bytes))
            return std::string(mark.kind);
    }
    const std::string suffix = suffixOf(path);
    if (suffix == "nsys-rep" || suffix == "qdrep")
        return "Nsight Systems report: export it with nsys export --type sqlite";
    if (suffix == "pftrace" || suffix == "perfetto-trace")
        return "no packets of a Perfetto trace, as its name says";
    if (!isText(head))
        return "binary file of an unknown kind";
    const std::string_view text = firstText(head);
    if (text.empty())
        return "empty: nothing but blanks";
    if (isJson(text)) {
        if (const auto kind = bySign(head.substr(0, 4096), kJson))
            return *kind == kSteplessLog && isOneJsonValue(text)
                ? "settings or results as JSON, no log"
                : *kind;
        return head.find("\"nodes\"") != std::string_view::npos
            ? "execution trace without nodes that could be read"
            : "JSON without trace events or readings that are known";
    }
    if (text.front() == '<')
        return "XML or HTML, not telemetry";
    if (auto named = byName(text.starts_with("#!") ? ".sh" : path); !named.empty())
        return named;
    if (const auto kind = bySign(head, kText))
        return *kind;
    if (isBareTable(text))
        return "table of numbers without heads: say what its columns are, as --column 'column "
               "2=gpu_power[W]'";
    return std::string(isLogName(path) ? kLogText : kOtherText);
}

bool isWritten(std::string_view path) {
    return !byName(path).empty();
}

} // namespace trainscope::importers
