// Weights & Biases: run-ID.wandb is a log of LevelDB (log_format.md there): blocks of 32 KiB with
// fragments of records, each with its CRC-32, length and type in front; the file begins with
// ":W&B", a magic number and a version. A record is a message of wandb_internal.proto, whose values
// are JSON. Beside it lie files/config.yaml, wandb-metadata.json, wandb-summary.json and
// output.log.
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/MessageFields.h"
#include "importers/common/NodeValues.h"
#include "importers/common/Number.h"
#include "importers/common/RunFolders.h"
#include "importers/launch/LaunchFiles.h"
#include "importers/tracker/Lines.h"

#include <fmt/format.h>
#include <isa-l/crc.h>

namespace trainscope::importers::tracker {

namespace {

constexpr Confidence kSureOfWandb = 95;
constexpr std::string_view kWandbMark = ":W&B";
constexpr std::size_t kWandbHeader = 7; // bytes of the file
constexpr std::size_t kBlock = std::size_t{32} << 10;
constexpr std::size_t kFragmentHeader = 7;
constexpr std::size_t kMostConfig = std::size_t{4} << 20;

// Fields of messages in wandb_internal.proto.
namespace record_field {
constexpr std::uint32_t kHistory = 2;
constexpr std::uint32_t kConfig = 5;
constexpr std::uint32_t kStats = 7;
constexpr std::uint32_t kRun = 17;
} // namespace record_field
constexpr std::uint32_t kRunConfig = 4;
constexpr std::uint32_t kRunName = 8;
constexpr std::uint32_t kItemOfAll = 1; // in history and configuration
constexpr std::uint32_t kHistoryStep = 2;
constexpr std::uint32_t kStatsTime = 2;
constexpr std::uint32_t kStatsItem = 3;

std::uint32_t little(std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return value;
}

struct Item {
    std::string key;
    std::string json;
};

bool readItem(std::string_view message, Item& item) {
    constexpr std::uint32_t kKey = 1;
    constexpr std::uint32_t kNestedKey = 2;
    constexpr std::uint32_t kJson = 16;
    return eachField(message, [&item](const MessageField& field) {
        if (field.number == kKey && !field.bytes.empty())
            item.key = field.bytes;
        else if (field.number == kNestedKey)
            item.key += (item.key.empty() ? "" : "/") + std::string(field.bytes);
        else if (field.number == kJson)
            item.json = field.bytes;
    });
}

bool isCoreUse(std::string_view key) {
    return key.starts_with("cpu.") && key.ends_with(".cpu_percent");
}

class WandbLines final : public LineStream {
public:
    using LineStream::LineStream;

private:
    enum class Fragment : unsigned char { Whole = 1, First, Middle, Last };
    struct Piece {
        std::uint64_t at = 0;
        Fragment kind = Fragment::Whole;
        bool isSound = false;
        std::string_view data;
    };

    Result<bool> more() override {
        if (!m_isOpen) {
            m_isOpen = true;
            if (lines() == Lines::Training)
                readFilesBeside();
            RETURN_IF_ERROR(openInput(run().unit.files.front()));
            m_block = take(kBlock);
            m_at = std::min(kWandbHeader, m_block.size());
        }
        std::string record;
        std::uint64_t at = 0;
        if (!nextRecord(record, at))
            return false;
        if (!readRecord(record))
            damaged(at, fmt::format("The record at byte {} is no whole message: left out.", at));
        return true;
    }

    void readFilesBeside() {
        for (const std::string& path : run().unit.files) {
            const std::string_view name = namePart(path);
            const std::string text = name == "config.yaml" || name == "wandb-metadata.json"
                ? readHead(run().tree, path, kMostConfig).valueOr(std::string())
                : std::string();
            if (name == "config.yaml")
                readConfig(text);
            else if (!text.empty())
                readCommand(text);
        }
    }

    // Each setting is in a member "value".
    void readConfig(std::string_view yaml) {
        constexpr std::string_view kValue = ".value";
        for (const auto& [key, text] : launch::readYamlSettings(yaml, "config.yaml").valueOr({})) {
            const std::size_t at = key.find(kValue);
            if (at != std::string::npos && !key.starts_with("_wandb") && !key.ends_with('#'))
                setting(key.substr(0, at) + key.substr(at + kValue.size()), text);
        }
    }

    void readCommand(std::string_view metadata) {
        const NodeJson json = parsedJson(metadata);
        const NodeJson* args = json.is_object() ? jsonMember(json, "args") : nullptr;
        std::string command;
        for (const NodeJson& each : args != nullptr && args->is_array() ? *args : NodeJson::array())
            command += ' ' + jsonText(&each);
        for (const auto& [key, text] : launch::readArguments(command))
            setting(key, text);
    }

    [[nodiscard]] std::uint64_t here() const { return offset() - m_block.size() + m_at; }

    // The bytes of the next whole record; false at the end.
    bool nextRecord(std::string& record, std::uint64_t& begin) {
        bool isWithin = false;
        while (const auto fragment = nextFragment()) {
            const bool isFirst
                = fragment->kind == Fragment::Whole || fragment->kind == Fragment::First;
            if (!fragment->isSound)
                leaveOut(fragment->at);
            else if (isFirst && isWithin)
                leaveOut(begin);
            isWithin = fragment->isSound && (isFirst || isWithin);
            if (!isWithin)
                continue;
            if (isFirst) {
                record.clear();
                begin = fragment->at;
            }
            record += fragment->data;
            if (fragment->kind == Fragment::Whole || fragment->kind == Fragment::Last)
                return true;
            isWithin = record.size() <= kLongestRecord;
        }
        if (isWithin || m_cutAt)
            cut(isWithin ? begin : *m_cutAt);
        return false;
    }

    // A damaged one has no data. Absent at the end.
    std::optional<Piece> nextFragment() {
        while (isBlockDone()) {
            const bool isLast = m_block.size() < kBlock;
            if (isLast && m_at < m_block.size())
                m_cutAt = here();
            if (isLast)
                return std::nullopt;
            m_block = take(kBlock);
            m_at = 0;
        }
        const std::string_view rest = std::string_view(m_block).substr(m_at);
        const std::size_t size = little(rest.substr(4, 2));
        Piece found{here(), static_cast<Fragment>(rest[6]), false, {}};
        if (size > rest.size() - kFragmentHeader) {
            m_at = m_block.size();
            if (m_block.size() == kBlock)
                return found;
            m_cutAt = found.at;
            return std::nullopt;
        }
        m_at += kFragmentHeader + size;
        // The type counts in the checksum.
        const auto* const bytes = reinterpret_cast<const unsigned char*>(rest.data()) + 6;
        found.isSound = crc32_gzip_refl(0, bytes, size + 1) == little(rest.substr(0, 4));
        if (found.isSound)
            found.data = rest.substr(kFragmentHeader, size);
        return found;
    }

    // Room at its end is too small for a fragment, or was not written.
    bool isBlockDone() {
        const std::string_view head = std::string_view(m_block).substr(m_at, kFragmentHeader);
        if (head.size() == kFragmentHeader && head.find_first_not_of('\0') == head.npos)
            m_at = m_block.size();
        return m_block.size() - m_at < kFragmentHeader;
    }

    void leaveOut(std::uint64_t at) {
        damaged(at, fmt::format("The record at byte {} is damaged: left out.", at));
    }

    bool readRecord(std::string_view record) {
        bool isSound = true;
        const bool isMessage = eachField(record, [&](const MessageField& field) {
            const bool isTraining = lines() == Lines::Training;
            if (field.number == record_field::kHistory && isTraining)
                isSound = readHistory(field.bytes);
            else if (field.number == record_field::kStats && !isTraining)
                isSound = readStats(field.bytes);
            else if (field.number == record_field::kConfig && isTraining)
                isSound = readSettings(field.bytes);
            else if (field.number == record_field::kRun && isTraining)
                isSound = eachField(field.bytes, [this](const MessageField& part) {
                    if (part.number == kRunConfig)
                        readSettings(part.bytes);
                    else if (part.number == kRunName)
                        run().told.name = part.bytes;
                });
        });
        return isMessage && isSound;
    }

    bool readSettings(std::string_view config) {
        return eachField(config, [this](const MessageField& field) {
            Item item;
            if (field.number == kItemOfAll && readItem(field.bytes, item)
                && !item.key.starts_with("_wandb"))
                settingFromJson(item.key, item.json);
        });
    }

    bool readHistory(std::string_view history) {
        std::int64_t step = 0;
        std::string time;
        const bool isSound = eachField(history, [&](const MessageField& field) {
            Item item;
            if (field.number == kHistoryStep)
                eachField(field.bytes, [&step](const MessageField& number) {
                    step = number.number == 1 ? number.whole() : step;
                });
            else if (field.number == kItemOfAll && readItem(field.bytes, item))
                takeHistory(item, time);
        });
        endTraining("_step", step, time);
        return isSound;
    }

    void takeHistory(const Item& item, std::string& time) {
        if (item.key == "_timestamp") {
            const auto seconds = parseNumber(item.json);
            time = seconds && std::isfinite(*seconds) ? fmt::format("{:.6f}", *seconds)
                                                      : std::string();
        } else if (item.json.starts_with('{')) {
            const NodeJson members = parsedJson(item.json);
            for (const auto& [name, member] : members.items()) {
                if (member.is_number())
                    value(item.key + '/' + name, dumpedJson(member));
            }
        } else {
            value(item.key, item.json);
        }
    }

    bool readStats(std::string_view stats) {
        TimeNs time;
        std::vector<Item> items;
        const bool isSound = eachField(stats, [&](const MessageField& field) {
            if (field.number == kStatsTime)
                eachField(field.bytes, [&time](const MessageField& part) {
                    constexpr std::int64_t kSecond = 1'000'000'000;
                    constexpr std::int64_t kLast = 7'000'000'000; // s
                    if (part.number == 1)
                        time.ns += std::clamp<std::int64_t>(part.whole(), 0, kLast) * kSecond;
                    else if (part.number == 2)
                        time.ns += std::clamp<std::int64_t>(part.whole(), 0, kSecond - 1);
                });
            else if (field.number == kStatsItem && !readItem(field.bytes, items.emplace_back()))
                items.pop_back();
        });
        writeStats(items);
        endMachine(secondsText(time));
        return isSound;
    }

    // The use of a node is that of its processors; "cpu" beside them is that of the program.
    void writeStats(const std::vector<Item>& items) {
        double sum = 0.0;
        int cores = 0;
        for (const Item& item : items) {
            const auto use = isCoreUse(item.key) ? parseNumber(item.json) : std::nullopt;
            sum += use.value_or(0.0);
            cores += use ? 1 : 0;
        }
        if (cores > 0)
            value("cpu", fmt::format("{}", sum / cores));
        for (const Item& item : items) {
            if (!isCoreUse(item.key))
                value(item.key == "cpu" && cores > 0 ? "proc.cpu.percent" : item.key, item.json);
        }
    }

    bool m_isOpen = false;
    std::string m_block;
    std::size_t m_at = 0;
    std::optional<std::uint64_t> m_cutAt; // inside a fragment
};

// The files of a run's folder that W&B writes itself.
bool isWandbsOwn(std::string_view name) {
    constexpr std::array<std::string_view, 8> kOwn{"config.yaml", "wandb-metadata.json",
        "wandb-summary.json", "output.log", "requirements.txt", "conda-environment.yaml",
        "debug.log", "debug-internal.log"};
    return std::ranges::find(kOwn, name) != kOwn.end();
}

// The folder of the run whose part the file is: "run-20241012_153325-jnyhr7aj".
std::optional<std::string> wandbFolderOf(std::string_view path) {
    if (namePart(path).ends_with(".wandb") || namePart(path).find(".wandb.") != path.npos)
        return std::string(folderPart(path));
    const std::string_view inner = folderPart(path);
    if (namePart(inner) == "wandb" && namePart(path).starts_with("debug")) // the last run's
        return std::string(inner);
    const bool isInner = namePart(inner) == "files" || namePart(inner) == "logs";
    const std::string_view folder = folderPart(inner);
    const std::string_view name = namePart(folder);
    const bool isRun = folder.empty() || name.starts_with("run-")
        || name.starts_with("offline-run-") || name == "latest-run";
    return isInner && isRun && isWandbsOwn(namePart(path)) ? std::optional(std::string(folder))
                                                           : std::nullopt;
}

// "jnyhr7aj" of "run-jnyhr7aj.wandb".
std::string idOf(std::string_view path) {
    const std::string_view name = withoutSuffixes(namePart(path));
    return std::string(name.substr(name.find('-') + 1));
}

// The GPUs that the run's machine had, as W&B saw them.
void readMachine(const SourceTree& tree, const std::string& path, ImportUnit& unit) {
    const NodeJson json = parsedJson(readHead(tree, path, kMostConfig).valueOr(std::string()));
    if (!json.is_object())
        return;
    const auto count = jsonInteger(jsonMember(json, "gpu_count")).value_or(0);
    unit.gpusPerNode = believableGpus(count);
    unit.gpuModel = jsonText(jsonMember(json, "gpu"));
    for (const char* key : {"gpu_nvidia", "gpu_amd"}) {
        const NodeJson* gpus = jsonMember(json, key);
        if (gpus != nullptr && gpus->is_array() && !gpus->empty() && gpus->front().is_object())
            unit.gpuModel = jsonText(jsonMember(gpus->front(), "name"));
    }
    // "[NVIDIA H100 80GB HBM3, NVIDIA H100 80GB HBM3]".
    if (unit.gpuModel.starts_with('['))
        unit.gpuModel = unit.gpuModel.substr(1, unit.gpuModel.find_first_of(",]") - 1);
}

} // namespace

Confidence sniffWandb(std::string_view head, std::string_view path) {
    if (head.starts_with(kWandbMark))
        return kSureOfWandb;
    return !namePart(path).ends_with(".wandb") && wandbFolderOf(path) ? kSureOfWandb : 0;
}

std::vector<ImportUnit> wandbRuns(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    const RunFolders folders(tree);
    std::map<std::string, std::vector<SourceFile>> logs;
    std::map<std::string, std::vector<SourceFile>> others;
    for (const SourceFile& file : mine) {
        const auto folder = wandbFolderOf(file.path);
        const bool isLog
            = readHead(tree, file.path, kWandbHeader).valueOr("").starts_with(kWandbMark);
        (isLog ? logs : others)[folder.value_or(std::string(folderPart(file.path)))].push_back(
            file);
    }
    // Files beside the runs' folders are the last one's.
    for (const auto& [folder, files] : others) {
        const auto after = logs.upper_bound(folder + "/\x7f");
        const auto last = after == logs.begin() ? after : std::prev(after);
        if (!logs.contains(folder) && last != logs.end() && last->first.starts_with(folder + '/'))
            std::ranges::copy(files, std::back_inserter(others[last->first]));
    }
    std::vector<ImportUnit> units;
    std::set<std::string> taken;
    for (auto& [folder, files] : logs) {
        for (const SourceFile& log : files) {
            ImportUnit unit;
            unit.path = log.path;
            unit.files.push_back(log.path);
            unit.bytes = log.size;
            for (const SourceFile& file : others[folder]) {
                unit.files.push_back(file.path);
                unit.bytes += file.size;
                if (namePart(file.path) == "wandb-metadata.json")
                    readMachine(tree, file.path, unit);
            }
            Told told;
            const RunFiles run{tree, unit, told};
            unit.start = firstStampIn(firstLinesOf(run, wandbLines, Lines::Machine)
                + firstLinesOf(run, wandbLines, Lines::Training));
            const std::string place = files.size() > 1 ? std::string(withoutSuffixes(log.path))
                                                       : folders.nameOf(folder);
            unit.runName = told.name.empty() ? place : givenName(told.name, idOf(log.path), taken);
            unit.summary = "Weights & Biases run";
            units.push_back(std::move(unit));
        }
    }
    return units;
}

std::unique_ptr<ByteStream> wandbLines(const RunFiles& run, Lines lines) {
    return std::make_unique<WandbLines>(run, lines);
}

} // namespace trainscope::importers::tracker
