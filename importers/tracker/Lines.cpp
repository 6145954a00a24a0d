#include "importers/tracker/Lines.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/common/NodeValues.h"
#include "importers/common/Stamp.h"

#include <fmt/format.h>

#include <cstring>

namespace trainscope::importers::tracker {

namespace {

constexpr std::size_t kLongestLine = std::size_t{60} << 10;
constexpr std::size_t kLongestValue = 64;
constexpr std::size_t kLongestSetting = 4096;
constexpr std::size_t kMostValues = 250; // a line
constexpr std::size_t kMostSettings = 4000;
constexpr int kQuietRecords
    = 256; // behind which an empty line lets the reader ask whether to go on

std::string quoted(const std::string& text) {
    return dumpedJson(NodeJson(text));
}

} // namespace

std::string secondsText(TimeNs time) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    return time.ns < 0 ? "0" : fmt::format("{}.{:09}", time.ns / kSecond, time.ns % kSecond);
}

Result<std::size_t> LineStream::read(std::span<std::byte> buffer) {
    for (int quiet = 0; m_at == m_text.size() && !m_atEnd; ++quiet) {
        m_text.clear();
        m_at = 0;
        ASSIGN_OR_RETURN(const bool goesOn, more());
        m_atEnd = !goesOn;
        if (quiet == kQuietRecords && m_text.empty())
            m_text = "\n";
    }
    const std::size_t count = std::min(buffer.size(), m_text.size() - m_at);
    std::memcpy(buffer.data(), m_text.data() + m_at, count);
    m_at += count;
    return count;
}

Status LineStream::openInput(const std::string& path) {
    m_bytesBefore = bytesConsumed();
    m_input.reset();
    ASSIGN_OR_RETURN(m_input, m_run.tree.open(path));
    m_path = path;
    m_offset = 0;
    return {};
}

std::string LineStream::take(std::size_t count) {
    std::string bytes;
    const Status read = readUpTo(*m_input, count, bytes);
    if (!read.hasValue()) {
        m_run.told.isCut = true;
        damaged(m_offset, "The file breaks off here: " + read.error().message);
    }
    m_offset += bytes.size();
    return bytes;
}

void LineStream::damaged(std::uint64_t at, const std::string& text) {
    if (m_run.told.damages.size() < Told::kMostDamages)
        m_run.told.damages.try_emplace({m_path, at}, text);
}

void LineStream::cut(std::uint64_t at) {
    m_run.told.isCut = true;
    damaged(at,
        fmt::format("The file ends inside the record at byte {}, as that of a job that was killed "
                    "does. The records before are whole.",
            at));
}

void LineStream::setting(const std::string& key, const std::string& text) {
    if (key.empty() || text.size() > kLongestSetting || m_run.told.settings.size() >= kMostSettings)
        return;
    m_run.told.settings.insert_or_assign(key, text);
    m_text += '{' + quoted(key) + ':' + quoted(text) + "}\n";
}

void LineStream::settingFromJson(const std::string& key, std::string_view json) {
    const NodeJson value = parsedJson(json);
    if (value.is_string())
        return setting(key, value.get<std::string>());
    const auto members = value.is_object() ? launch::readJsonSettings(json, m_path)
                                           : Result<launch::Settings>(launch::Settings());
    if (!value.is_object() && !value.is_array())
        setting(key, std::string(trimmed(json)));
    for (const auto& [name, text] : members.valueOr({}))
        setting(key.empty() ? name : key + '.' + name, text);
}

bool isOverSamples(std::string_view key) {
    return key.ends_with(" vs samples") || key.ends_with("-vs-samples");
}

bool LineStream::has(std::string_view key) const {
    return std::ranges::any_of(m_values, [key](const auto& each) { return each.first == key; });
}

void LineStream::value(std::string key, std::string json) {
    const bool isShort = !isOverSamples(key) && !json.empty() && json.size() <= kLongestValue;
    if (isShort && m_values.size() < kMostValues && json.find_first_of("[\r\n") != 0
        && json.find('\n') == std::string::npos)
        m_values.emplace_back(std::move(key), std::move(json));
}

// Frameworks name some values otherwise to trackers than in their logs.
void LineStream::useWordsOfLogs() {
    const bool isMegatron = has("lm loss") || has("iteration-time");
    const bool isSummary = has("train_runtime") || has("train/train_runtime"); // Hugging Face's
    for (auto& [key, json] : m_values) {
        if (isMegatron && key == "throughput")
            key = "throughput per gpu (tflop/s/gpu)";
        else if (isMegatron && key == "batch-size")
            key = "global batch size";
        else if (isMegatron && key == "iteration-time")
            key = "elapsed time per iteration (s)";
        else if (isSummary && key.ends_with("train_loss"))
            key = kMeanLoss;
        else if (key.starts_with("lr-")) // Lightning's, of an optimizer
            key = "lr";
    }
}

void LineStream::endTraining(std::string_view stepKey, std::int64_t step, std::string_view time) {
    useWordsOfLogs();
    std::string line;
    if (!m_values.empty() && !stepKey.empty() && !has(stepKey))
        line = fmt::format("\"{}\":{}", stepKey, step);
    if (!m_values.empty() && !time.empty())
        line += fmt::format("{}\"timestamp\":{}", line.empty() ? "" : ",", time);
    endLine(std::move(line));
}

void LineStream::endMachine(std::string_view time) {
    for (auto& [key, json] : m_values)
        key.insert(0, "system.");
    endLine(m_values.empty() ? std::string() : fmt::format("\"_timestamp\":{}", time));
}

void LineStream::endLine(std::string line) {
    for (const auto& [key, json] : m_values) {
        if (line.size() < kLongestLine)
            line += (line.empty() ? "" : ",") + quoted(key) + ':' + json;
    }
    if (!m_values.empty())
        m_text += '{' + line + "}\n";
    m_values.clear();
}

std::string firstLinesOf(
    const RunFiles& run, std::unique_ptr<ByteStream> (*open)(const RunFiles&, Lines), Lines lines) {
    constexpr std::size_t kLooked = std::size_t{64} << 10;
    std::string text;
    (void)readUpTo(*open(run, lines), kLooked, text); // failures are told later
    return text;
}

std::string givenName(
    const std::string& name, const std::string& id, std::set<std::string>& taken) {
    constexpr std::size_t kShort = 8;
    std::string own = name.empty() ? id : name;
    if (!taken.insert(own).second)
        taken.insert(own += ' ' + id.substr(0, kShort));
    return own;
}

std::optional<TimeNs> firstStampIn(std::string_view text) {
    constexpr std::string_view kMark = "timestamp\":";
    const std::size_t at = text.find(kMark);
    if (at == std::string_view::npos)
        return std::nullopt;
    text.remove_prefix(at + kMark.size());
    const auto stamp = parseStamp(text.substr(0, text.find_first_of(",}")));
    return stamp && stamp->kind == StampKind::Unix ? std::optional(stamp->time) : std::nullopt;
}

} // namespace trainscope::importers::tracker
