// TensorBoard: events.out.tfevents.* hold records of TensorFlow (record_writer.h there): length,
// its masked CRC-32C, data, their masked CRC-32C. A record is an Event of event.proto with the
// values of summary.proto, each with its own step: those of one step follow one another. Files of
// one folder are one run, in the order of their names, which begin with the time.
#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/common/MessageFields.h"
#include "importers/common/NodeValues.h"
#include "importers/common/RunFolders.h"
#include "importers/tracker/Lines.h"

#include <fmt/format.h>
#include <isa-l/crc.h>

#include <cmath>
#include <cstring>

namespace trainscope::importers::tracker {

namespace {

constexpr Confidence kSureOfEvents = 95;
constexpr std::string_view kEventsMark = "brain.Event:";
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kChecksumBytes = 4;

template <typename Number>
Number littleEndian(std::string_view bytes) {
    Number value{};
    if (bytes.size() >= sizeof value)
        std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

bool isSound(std::string_view data, std::string_view stored) {
    constexpr std::uint32_t kMask = 0xa282ead8;
    // It only reads, whatever its parameter's type says.
    auto* const bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(data.data()));
    const std::uint32_t crc = ~crc32_iscsi(bytes, static_cast<int>(data.size()), ~0U);
    return std::rotr(crc, 15) + kMask == littleEndian<std::uint32_t>(stored);
}

// A value of a summary.
struct Summary {
    std::string tag;
    std::optional<std::string> number; // as JSON
    std::string text;
    std::string plugin;
    std::string_view pluginData;
};

template <typename Number>
std::string numberText(Number number) {
    return fmt::format("{}", number);
}

// The only value of a tensor, by its type (types.proto).
void readTensor(std::string_view tensor, Summary& value) {
    enum Type : std::uint64_t { kFloat = 1, kDouble = 2, kInt32 = 3, kString = 7, kInt64 = 9 };
    enum Part : std::uint32_t {
        kType = 1,
        kContent = 4,
        kFloats = 5,
        kDoubles = 6,
        kInts = 7,
        kStrings = 8,
        kLongs = 10
    };
    std::uint64_t type = 0;
    std::string_view content;
    std::optional<std::string> number;
    eachField(tensor, [&](const MessageField& field) {
        const bool isNumber = field.bytes.empty();
        if (field.number == kType)
            type = field.value;
        else if (field.number == kStrings && value.text.empty())
            value.text = field.bytes;
        else if (field.number == kContent || (field.number >= kFloats && !isNumber))
            content = field.bytes;
        else if (field.number == kFloats)
            number = numberText(field.single());
        else if (field.number == kDoubles)
            number = numberText(field.real());
        else if (field.number == kInts || field.number == kLongs)
            number = numberText(field.whole());
    });
    const bool isLong = type == kDouble || type == kInt64;
    if (type == kFloat && content.size() == sizeof(float))
        number = numberText(littleEndian<float>(content));
    else if (type == kDouble && content.size() == sizeof(double))
        number = numberText(littleEndian<double>(content));
    else if (type == kInt32 && content.size() == sizeof(std::int32_t))
        number = numberText(littleEndian<std::int32_t>(content));
    else if (type == kInt64 && content.size() == sizeof(std::int64_t))
        number = numberText(littleEndian<std::int64_t>(content));
    else if (!content.empty() && (isLong || type == kFloat || type == kInt32))
        number.reset(); // several values
    if (number)
        value.number = number;
}

bool readSummary(std::string_view message, Summary& value) {
    enum Part : std::uint32_t { kTag = 1, kSimple = 2, kTensor = 8, kMetadata = 9 };
    return eachField(message, [&value](const MessageField& field) {
        if (field.number == kTag)
            value.tag = field.bytes;
        else if (field.number == kSimple)
            value.number = numberText(field.single());
        else if (field.number == kTensor)
            readTensor(field.bytes, value);
        else if (field.number == kMetadata)
            eachField(field.bytes, [&value](const MessageField& metadata) {
                if (metadata.number != 1)
                    return;
                eachField(metadata.bytes, [&value](const MessageField& plugin) {
                    if (plugin.number == 1)
                        value.plugin = plugin.bytes;
                    else if (plugin.number == 2)
                        value.pluginData = plugin.bytes;
                });
            });
    });
}

class EventLines final : public LineStream {
public:
    using LineStream::LineStream;

private:
    Result<bool> more() override {
        if (lines() == Lines::Machine)
            return false;
        if (!m_isOpen && m_next == run().unit.files.size()) {
            endGroup();
            return !std::exchange(m_isEnding, true);
        }
        if (!m_isOpen) {
            RETURN_IF_ERROR(openInput(run().unit.files[m_next++]));
            m_isOpen = true;
        }
        m_isOpen = readRecord();
        return true;
    }

    // False where no record follows in this file.
    bool readRecord() {
        const std::uint64_t at = offset();
        const std::string head = take(kLengthBytes + kChecksumBytes);
        if (head.empty())
            return false;
        if (head.size() < kLengthBytes + kChecksumBytes) {
            cut(at);
            return false;
        }
        const std::string_view view = head;
        const auto length = littleEndian<std::uint64_t>(view);
        if (!isSound(view.substr(0, kLengthBytes), view.substr(kLengthBytes))) {
            damaged(at,
                fmt::format("The length of the record at byte {} is damaged: what follows cannot "
                            "be read.",
                    at));
            return false;
        }
        if (length > kLongestRecord) { // pictures and graphs
            pass(length + kChecksumBytes);
            return true;
        }
        const std::string data = take(static_cast<std::size_t>(length) + kChecksumBytes);
        if (data.size() < length + kChecksumBytes) {
            cut(at);
            return false;
        }
        const std::string_view event = std::string_view(data).substr(0, length);
        if (!isSound(event, std::string_view(data).substr(length)) || !readEvent(event))
            damaged(at, fmt::format("The record at byte {} is damaged: left out.", at));
        return true;
    }

    bool readEvent(std::string_view event) {
        enum Part : std::uint32_t { kTime = 1, kStep = 2, kSummary = 5 };
        double time = 0.0;
        std::int64_t step = 0;
        std::string_view summary;
        const bool isMessage = eachField(event, [&](const MessageField& field) {
            if (field.number == kTime)
                time = field.real();
            else if (field.number == kStep)
                step = field.whole();
            else if (field.number == kSummary)
                summary = field.bytes;
        });
        bool isWhole = isMessage;
        return eachField(summary, [&](const MessageField& field) {
            Summary value;
            if (field.number == 1 && readSummary(field.bytes, value))
                takeSummary(value, time, step);
            else
                isWhole = false;
        }) && isWhole;
    }

    void takeSummary(const Summary& value, double time, std::int64_t step) {
        constexpr std::string_view kText = "/text_summary";
        if (value.plugin == "hparams")
            return readHyperparameters(value.pluginData);
        if (!value.text.empty()) {
            const bool isNamed = value.tag.ends_with(kText);
            return readText(
                value.tag.substr(0, value.tag.size() - (isNamed ? kText.size() : 0)), value.text);
        }
        if (!value.number || isOverSamples(value.tag))
            return;
        // Hugging Face's summary at the end is of all the run.
        const bool isOther
            = m_step != step || has(value.tag) || value.tag.ends_with("train_runtime");
        if (isOther)
            endGroup();
        if (isEmpty()) {
            m_step = step;
            m_time = std::isfinite(time) ? fmt::format("{:.6f}", time) : std::string();
        }
        this->value(value.tag, *value.number);
    }

    void endGroup() { endTraining("step", m_step, m_time); }

    // A dumped configuration, a table of Markdown ("|name|value|"), or one value by its tag.
    void readText(const std::string& tag, std::string_view text) {
        text = trimmed(text);
        if (text.starts_with('{'))
            return settingFromJson({}, text);
        if (!text.starts_with('|') && text.find('\n') == std::string_view::npos)
            return setting(tag, std::string(text));
        for (const std::string_view line : words(text, "\n")) {
            const auto cells = words(line, "|");
            if (cells.size() == 2 && cells[1].find_first_not_of("-: ") != std::string_view::npos)
                setting(std::string(trimmed(cells[0])), std::string(trimmed(cells[1])));
        }
    }

    // HParamsPluginData of plugin_data.proto: a map of names to google.protobuf.Value.
    void readHyperparameters(std::string_view data) {
        constexpr std::uint32_t kSessionStart = 3;
        eachField(data, [this](const MessageField& session) {
            if (session.number != kSessionStart)
                return;
            eachField(session.bytes, [this](const MessageField& entry) {
                if (entry.number == 1)
                    readHyperparameter(entry.bytes);
            });
        });
    }

    void readHyperparameter(std::string_view entry) {
        enum Kind : std::uint32_t { kNumber = 2, kText = 3, kFlag = 4 };
        std::string key;
        std::string text;
        eachField(entry, [&](const MessageField& field) {
            if (field.number == 1)
                key = field.bytes;
            else if (field.number == 2)
                eachField(field.bytes, [&text](const MessageField& value) {
                    if (value.number == kNumber)
                        text = numberText(value.real());
                    else if (value.number == kText)
                        text = value.bytes;
                    else if (value.number == kFlag)
                        text = value.value != 0 ? "true" : "false";
                });
        });
        if (!text.empty())
            setting(key, text);
    }

    std::size_t m_next = 0; // file
    bool m_isOpen = false;
    bool m_isEnding = false;
    std::int64_t m_step = 0;
    std::string m_time;
};

// The first of its names among the lines; empty where there is none.
std::string lossNamedIn(std::string_view text) {
    for (const std::string_view line : words(text, "\n")) {
        const NodeJson record = parsedJson(line);
        for (const auto& [key, number] : record.items()) {
            const bool isOther = key.find("val") != std::string::npos
                || key.find("test") != std::string::npos || key == kMeanLoss;
            if (record.contains("step") && key.find("loss") != std::string::npos && !isOther)
                return key;
        }
    }
    return {};
}

struct EventRun {
    ImportUnit unit;
    std::string loss;
};

} // namespace

Confidence sniffEvents(std::string_view head, std::string_view /*path*/) {
    constexpr std::size_t kWithin = 512; // bytes, in which the first record names the version
    return head.substr(0, kWithin).find(kEventsMark) != std::string_view::npos
            && littleEndian<std::uint64_t>(head) < kWithin
        ? kSureOfEvents
        : 0;
}

// Files of a folder are one run, unless their losses of training have two names: programs differ.
std::vector<ImportUnit> eventRuns(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    const RunFolders folders(tree);
    std::map<std::string, std::vector<EventRun>> runs; // by folder; files come sorted
    for (const SourceFile& file : mine) {
        EventRun own;
        own.unit.path = file.path;
        own.unit.files = {file.path};
        own.unit.bytes = file.size;
        own.unit.summary = "TensorBoard events";
        Told told;
        const std::string first = firstLinesOf({tree, own.unit, told}, eventLines, Lines::Training);
        own.unit.start = firstStampIn(first);
        own.loss = lossNamedIn(first);
        auto& all = runs[std::string(folderPart(file.path))];
        const auto same = std::ranges::find_if(all, [&own](const EventRun& run) {
            return run.loss.empty() || own.loss.empty() || run.loss == own.loss;
        });
        if (same == all.end()) {
            all.push_back(std::move(own));
            continue;
        }
        same->unit.files.push_back(file.path);
        same->unit.bytes += file.size;
        if (same->loss.empty())
            same->loss = own.loss;
    }
    std::vector<ImportUnit> units;
    for (auto& [folder, all] : runs) {
        for (EventRun& run : all) {
            run.unit.runName = all.size() == 1 ? folders.nameOf(folder) : run.unit.path;
            units.push_back(std::move(run.unit));
        }
    }
    return units;
}

std::unique_ptr<ByteStream> eventLines(const RunFiles& run, Lines lines) {
    return std::make_unique<EventLines>(run, lines);
}

} // namespace trainscope::importers::tracker
