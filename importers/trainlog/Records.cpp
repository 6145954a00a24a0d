// Logs of one record a line. JSON objects: {"step": 10, "loss": 2.31, "lr": 1e-4, "time": …}, as
// scripts of many kinds, mmengine, DLLogger and the histories of experiment trackers write them;
// the members of an inner object count like those outside, "train/loss" is "loss". Rows of a table
// with a head: Lightning's metrics.csv, and those that trackers export.
//
// A time is a stamp where it is a date or as large as unix time; for smaller numbers see
// Dialect.h.
#include "importers/trainlog/Dialect.h"

#include "importers/common/Cells.h"
#include "importers/common/JsonCursor.h"
#include "importers/common/Number.h"
#include "importers/common/Stamp.h"
#include "importers/trainlog/KeyTable.h"

namespace trainscope::importers::trainlog {

namespace {

constexpr std::size_t kLongestObject = std::size_t{64} << 10;
constexpr std::size_t kMostMembers = 256;
constexpr int kDeepest = 2; // objects in objects

// The first of them that an object has numbers its iteration.
constexpr std::array<std::string_view, 10> kIndexKeys{"step", "global_step", "iteration", "iter",
    "train_step", "current_step", "current_steps", "_step", "num_updates", "update"};
constexpr std::array<std::string_view, 14> kStampKeys{"timestamp", "time", "ts", "wall_time",
    "walltime", "_timestamp", "@timestamp", "datetime", "date", "asctime", "created", "created_at",
    "timestamp_ms", "unix_time"};
constexpr std::string_view kLoggerMark = "DLLL "; // before an object of NVIDIA's DLLogger
constexpr std::array<std::string_view, 3> kRankKeys{"rank", "global_rank", "process_index"};
constexpr std::array<std::string_view, 5> kModeKeys{"mode", "phase", "split", "stage", "type"};

template <std::size_t N>
std::size_t placeOf(const std::array<std::string_view, N>& keys, std::string_view key) {
    const auto found = std::find_if(keys.begin(), keys.end(),
        [key](std::string_view known) { return equalsIgnoringCase(known, key); });
    return static_cast<std::size_t>(found - keys.begin());
}

// "train/loss" → "loss"; what is of a validation keeps its name.
std::string_view plainKey(std::string_view key) {
    for (const std::string_view before : {"train/", "training/", "trainer/"}) {
        if (key.starts_with(before))
            return key.substr(before.size());
    }
    return key;
}

bool isOfValidation(std::string_view text) {
    return text.starts_with("val") || text.starts_with("eval") || text.starts_with("test");
}

constexpr std::int64_t kSecondNs = 1'000'000'000;

std::optional<LogStamp> stampIn(std::string_view text) {
    std::string_view rest = text;
    if (const auto dated = takeStamp(rest))
        return dated;
    const auto stamp = parseStamp(text);
    if (!stamp || stamp->kind == StampKind::Relative)
        return std::nullopt;
    return LogStamp{stamp->time, stamp->kind != StampKind::Local,
        {stamp->hasFraction ? 1'000'000 : 1'000'000'000}};
}

bool isFigure(const LoggedValue& value) {
    const KnownKey* known = findKey(value.key);
    return known != nullptr && known->metric != nullptr;
}

// Reads records of all spellings.
class RecordReader : public DialectReader {
public:
    // `isTable`: an iteration may have several rows, and every number of them is kept.
    explicit RecordReader(bool isTable)
        : m_isTable(isTable) { }

    bool readStep(const LineHead& line, StepLine& step) override {
        if (!read(line) || !m_index)
            return false;
        step.index = *m_index;
        step.stamp = m_stamp;
        step.rank = m_rank;
        step.values = m_values;
        rateOfTokens(step);
        if (step.values.empty())
            return false;
        const bool hasLoss = std::any_of(step.values.begin(), step.values.end(),
            [](const LoggedValue& value) { return isLoss(value.key); });
        // A second line of an iteration has more to say of it.
        const bool isMore = m_lastIndex == m_index && (!hasLoss || (m_isTable && m_rank.empty()));
        if (m_isValidation || isMore) {
            if (m_isValidation || !m_isTable)
                nameOfValidation(step);
            step.kind = StepLine::Kind::Values;
            return true;
        }
        if (!std::any_of(step.values.begin(), step.values.end(), isFigure)) {
            step.kind = StepLine::Kind::Values;
            return m_isTable
                || std::any_of(step.values.begin(), step.values.end(),
                    [](const LoggedValue& value) { return isOfValidation(value.key); });
        }
        if (m_time)
            m_running.note(*m_time, step);
        m_lastIndex = m_index;
        return true;
    }

    // Objects before the first iteration, which list what the program was started with.
    void readSetting(const LineHead& line, launch::Settings& settings) override {
        if (!read(line) || m_index)
            return;
        for (const LoggedValue& value : m_texts)
            setSetting(settings, value.key, value.text);
        for (const LoggedValue& value : m_values)
            setSetting(settings, value.key, value.text);
    }

protected:
    // The members of the line's record, by clear() and readMember(); false for other lines.
    virtual bool parse(const LineHead& line) = 0;

    void clear() {
        m_index.reset();
        m_stamp.reset();
        m_time.reset();
        m_rank = {};
        m_isValidation = false;
        m_values.clear();
        m_texts.clear();
        m_indexPlace = kIndexKeys.size();
        m_stampPlace = kStampKeys.size();
    }

    void readMember(std::string_view key, const JsonToken& value) {
        if (takeIndexOf(key, value) || takeStampOf(key, value.text))
            return;
        if (placeOf(kRankKeys, key) < kRankKeys.size() && parseNumber(value.text))
            m_rank = value.text;
        else if (value.kind == TokenKind::String && placeOf(kModeKeys, key) < kModeKeys.size())
            m_isValidation = m_isValidation || isOfValidation(value.text);
        else if (m_values.size() + m_texts.size() < kMostMembers)
            keep(key, value);
    }

private:
    bool read(const LineHead& line) {
        return parse(line) && (m_index || !m_values.empty() || !m_texts.empty());
    }

    void keep(std::string_view key, const JsonToken& value) {
        const bool isNumber = value.kind == TokenKind::Number || parseNumber(value.text)
            || (value.kind == TokenKind::Literal && measured(value.text))
            || (value.text.find(':') != std::string_view::npos && measured(value.text));
        if (value.text == "null")
            return;
        (isNumber ? m_values : m_texts).push_back({key, value.text});
    }

    bool takeIndexOf(std::string_view key, const JsonToken& value) {
        const std::size_t place = placeOf(kIndexKeys, key);
        const auto index = place < kIndexKeys.size() ? indexIn(value.text) : std::nullopt;
        if (!index || *index < 0)
            return false;
        if (place < m_indexPlace) {
            m_indexPlace = place;
            m_index = *index;
        }
        return true;
    }

    // "Time (s)" is "Time".
    bool takeStampOf(std::string_view key, std::string_view text) {
        std::int64_t unit = kSecondNs;
        if (const std::size_t open = key.find_last_of("([");
            open != std::string_view::npos && open > 0 && key.size() > open + 2) {
            const auto named = timeUnit(key.substr(open + 1, key.size() - open - 2));
            unit = named.value_or(unit);
            key = named ? trimmed(key.substr(0, open)) : key;
        }
        const std::size_t place = placeOf(kStampKeys, key);
        if (place == kStampKeys.size())
            return false;
        if (const auto stamp = stampIn(text)) {
            if (place < m_stampPlace) {
                m_stampPlace = place;
                m_stamp = stamp;
            }
        } else if (const auto number = parseNumber(text)) {
            m_time = *number * static_cast<double>(unit) / static_cast<double>(kSecondNs);
        }
        return true;
    }

    // The logged throughput of a log that counts all its tokens is their number over the time of
    // the process, which is wrong behind a restart: that of this line is what was added.
    void rateOfTokens(StepLine& step) {
        const auto numberOf = [&step](std::string_view key) -> std::optional<double> {
            for (const LoggedValue& value : step.values) {
                if (value.key == key)
                    return secondsIn(value.key, value.text);
            }
            return std::nullopt;
        };
        const auto tokens = numberOf("total_tokens");
        const auto elapsed = numberOf("elapsed_time");
        if (!tokens || !elapsed)
            return;
        std::erase_if(
            step.values, [](const LoggedValue& value) { return value.key == "throughput"; });
        const bool isSame = m_lastElapsed && *elapsed >= *m_lastElapsed;
        const double seconds = isSame ? *elapsed - *m_lastElapsed : *elapsed;
        if (m_lastTokens && *tokens > *m_lastTokens && seconds > 0.0) {
            m_rateText = std::to_string((*tokens - *m_lastTokens) / seconds);
            step.values.push_back({"tokens_per_second", m_rateText});
        }
        m_lastTokens = tokens;
        m_lastElapsed = elapsed;
    }

    // The loss of a validation is none of training.
    static void nameOfValidation(StepLine& step) {
        for (LoggedValue& value : step.values) {
            if (isLoss(value.key))
                value.key = "val_loss";
        }
    }

    bool m_isTable = false;
    std::optional<std::int64_t> m_index;
    std::optional<LogStamp> m_stamp;
    std::optional<double> m_time; // under a stamp's key, but no stamp
    std::string_view m_rank;
    bool m_isValidation = false;
    std::vector<LoggedValue> m_values; // numbers
    std::vector<LoggedValue> m_texts;
    std::size_t m_indexPlace = 0;
    std::size_t m_stampPlace = 0;
    std::optional<std::int64_t> m_lastIndex; // in the lines before
    RunningTime m_running;
    std::optional<double> m_lastTokens; // over all lines
    std::optional<double> m_lastElapsed;
    std::string m_rateText;
};

class JsonLinesReader final : public RecordReader {
public:
    JsonLinesReader()
        : RecordReader(false) { }

private:
    bool parse(const LineHead& line) override {
        std::string_view text = trimmed(line.rest);
        if (text.starts_with(kLoggerMark))
            text.remove_prefix(kLoggerMark.size());
        if (!text.starts_with('{') || !text.ends_with('}') || text.size() > kLongestObject)
            return false;
        m_line.assign(text);
        m_line.append(JsonScanner::kPadding, '\0');
        clear();
        readMembers(std::string_view(m_line).substr(0, text.size()), 0);
        return true;
    }

    void readMembers(std::string_view object, int depth) {
        forEachMember(object, [this, depth](std::string_view key, const JsonToken& value) {
            if (value.kind == TokenKind::Object && depth < kDeepest)
                readMembers(value.text, depth + 1);
            else if (value.kind != TokenKind::Object && value.kind != TokenKind::Array)
                readMember(plainKey(key), value);
        });
    }

    std::string m_line; // the text that the views lie in
};

constexpr std::string_view kBehindRun = " - ";

// "run-a" of "run-a - train/loss"; empty where no run is named.
std::string_view runOf(std::string_view head) {
    const std::size_t at = head.rfind(kBehindRun);
    return at == std::string_view::npos ? std::string_view() : head.substr(0, at);
}

// "epoch,step,train_loss,val_loss" and rows with empty cells; a tracker's export names its run
// before each column, and one file may have several: "Step","my-run - train/loss",
// "my-run - train/loss__MIN".
class TableRowReader final : public RecordReader {
public:
    TableRowReader()
        : RecordReader(true) { }

    bool readStep(const LineHead& line, StepLine& step) override {
        m_otherCells = 0;
        const bool isStep = RecordReader::readStep(line, step);
        if (m_otherCells > 0 && m_left.count++ == 0)
            m_left = {1, m_otherCells, m_keys.size()};
        return isStep;
    }
    [[nodiscard]] LeftOutRows leftOut() const override { return m_left; }
    void keepRun(std::string_view run) override { m_run = run; }

private:
    bool parse(const LineHead& line) override {
        if (isHead(line.whole)) {
            takeHead(line.whole);
            return false;
        }
        if (m_keys.empty() || line.whole.find(m_separator) == std::string_view::npos)
            return false;
        m_line = line.whole;
        const auto& cells = m_splitter.split(m_line, m_separator);
        const bool isTrailing = cells.size() == m_keys.size() + 1 && cells.back().empty();
        if (cells.size() != m_keys.size() && !isTrailing) {
            m_otherCells = parseNumber(cells.front()) ? cells.size() : 0;
            return false;
        }
        clear();
        for (std::size_t i = 0; i < m_keys.size(); ++i) {
            if (m_keys[i].empty() || cells[i].empty())
                continue;
            JsonToken token;
            token.kind = parseNumber(cells[i]) ? TokenKind::Number : TokenKind::String;
            token.text = cells[i];
            readMember(m_keys[i], token);
        }
        return true;
    }

    // A line of names, of which one counts iterations and one is a figure of training.
    bool isHead(std::string_view line) {
        const bool mayBe = !line.empty() && line.size() <= kLongestObject && !isDigit(line.front())
            && line.find_first_of(",;\t") != std::string_view::npos
            && line.find_first_of(":{=") == std::string_view::npos;
        if (!mayBe)
            return false;
        bool hasIndex = false;
        bool hasFigure = false;
        const auto& cells = m_splitter.split(line, separatorOf(line));
        for (const std::string_view cell : cells) {
            const std::string_view key = keyOf(cell);
            if (parseNumber(cell))
                return false;
            hasIndex = hasIndex || placeOf(kIndexKeys, key) < kIndexKeys.size();
            hasFigure = hasFigure || isFigure({key, {}});
        }
        return hasIndex && hasFigure && cells.size() > 1 && cells.size() <= kMostMembers;
    }

    void takeHead(std::string_view line) {
        m_separator = separatorOf(line);
        m_keys.clear();
        bool hasRate = false;
        for (const std::string_view cell : m_splitter.split(line, m_separator)) {
            const bool isOther = !m_run.empty() && !runOf(cell).empty() && runOf(cell) != m_run;
            std::string_view key = isOther ? std::string_view() : keyOf(cell);
            // The first stands for several optimizers or groups of parameters.
            if (!hasRate && key.starts_with("lr-")) {
                hasRate = true;
                key = "lr";
            }
            m_keys.emplace_back(key);
        }
    }

    static std::string_view keyOf(std::string_view cell) {
        if (cell.ends_with("__MIN") || cell.ends_with("__MAX"))
            return {};
        if (const std::string_view run = runOf(cell); !run.empty())
            cell.remove_prefix(run.size() + kBehindRun.size());
        return plainKey(cell);
    }

    CellSplitter m_splitter;
    std::string m_run; // empty: all
    std::vector<std::string> m_keys; // by column; empty: passed over
    std::string m_line; // the text that the views lie in
    char m_separator = ',';
    std::size_t m_otherCells = 0; // the last line's, which is a row of another length; 0: it is not
    LeftOutRows m_left;
};

} // namespace

std::vector<std::string> runsOfHead(std::string_view line) {
    std::vector<std::string> runs;
    CellSplitter splitter;
    for (const std::string_view cell : splitter.split(line, separatorOf(line))) {
        const std::string_view run = runOf(cell);
        if (!run.empty() && std::ranges::find(runs, run) == runs.end())
            runs.emplace_back(run);
    }
    return runs.size() > 1 ? runs : std::vector<std::string>{};
}

std::unique_ptr<DialectReader> jsonLinesReader() {
    return std::make_unique<JsonLinesReader>();
}

std::unique_ptr<DialectReader> tableReader() {
    return std::make_unique<TableRowReader>();
}

} // namespace trainscope::importers::trainlog
