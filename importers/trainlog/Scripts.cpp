// Lines that people's own loops print: a word that counts iterations, and keys with numbers, in any
// of the usual spellings: "step 10: loss=2.31, dt 120ms", "Epoch [1/5], Step [100/500], Loss:
// 0.23", "Iter 20 | train loss 2.3 | 8200 tok/s", "global step 100, loss: 9.1, avg_batch_cost: 0.50
// sec", "Epoch(train)  [1][ 50/500]  lr: 1.0e-02  time: 0.5000  loss: 2.3", and the bars of tqdm.
#include "core/model/AsciiText.h"
#include "importers/common/Stamp.h"
#include "importers/trainlog/Dialect.h"
#include "importers/trainlog/KeyTable.h"
#include "importers/trainlog/StepLine.h"

#include <cmath>

namespace trainscope::importers::trainlog {

namespace {

// The logs of parameter-golf runs: "100/20000 train_loss: 3.6449 train_time: 0.2m tok/s: 8282812",
// behind the settings ("  train_batch_tokens: 786432") and the script's own source. The time is
// rounded to six seconds; the rate, which is the mean since the start, gives it exactly.

constexpr double kRounded = 3.1; // s: half a digit of the time, and the digits of the rate

class ParameterGolfReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        std::string_view text = line.rest;
        if (text.starts_with("stopping_early:"))
            return readEnd(text, step);
        if (text.empty() || !isDigit(text.front()))
            return false;
        if (!takeIndex(text, step) || !text.starts_with('/'))
            return false;
        skipTotal(text);
        text = trimmed(text);
        if (text.starts_with("val_loss:")) {
            readWords(text, step.values);
            step.kind = StepLine::Kind::Pause;
            return true;
        }
        if (!text.starts_with("train_loss:"))
            return false;
        readWords(text, step.values);
        readTime(step);
        return step.elapsedS.has_value();
    }

    void readSetting(const LineHead& line, launch::Settings& settings) override {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kNames{
            {{"num_layers: ", "num_layers"}, {"model_dim: ", "hidden_size"},
                {"num_heads: ", "num_attention_heads"}, {"num_kv_heads: ", "num_kv_heads"},
                {"vocab_size: ", "vocab_size"}, {"tie_embeddings: ", "tie_word_embeddings"},
                {"train_seq_len: ", "seq_length"}, {"world_size: ", "world_size"},
                {"grad_accum_steps: ", "gradient_accumulation_steps"},
                {"iterations: ", "train_iters"}}};
        const std::string_view text = line.rest;
        for (const auto& [mark, key] : kNames) {
            if (text.starts_with(mark))
                setSetting(settings, key, behind(text, mark, " "));
        }
        if (const auto tokens = measured(behind(text, "train_batch_tokens: ", " "));
            tokens && text.starts_with("train_batch_tokens: "))
            m_batchTokens = tokens->number;
        const auto length = settings.find("seq_length");
        const auto tokens = length == settings.end() ? std::nullopt : measured(length->second);
        if (m_batchTokens > 0.0 && tokens && tokens->number >= 1.0)
            setWhole(settings, "global_batch_size", m_batchTokens / tokens->number);
    }

private:
    // "stopping_early: wallclock_cap train_time: 596165ms step: 4872/20000".
    static bool readEnd(std::string_view text, StepLine& step) {
        std::string_view index = behind(text, " step: ", " ");
        step.elapsedS = secondsIn("train_time", behind(text, "train_time: ", " "));
        return takeIndex(index, step) && step.elapsedS;
    }

    void readTime(StepLine& step) {
        double rounded = 0.0;
        double rate = 0.0;
        for (LoggedValue& value : step.values) {
            if (value.key == "train_time")
                rounded = secondsIn(value.key, value.text).value_or(-1.0);
            if (value.key != "tok/s")
                continue;
            rate = measured(value.text).value_or(Measured{}).number;
            value.key = "mean tokens per second";
        }
        const double exact
            = rate > 0.0 ? static_cast<double>(step.index) * m_batchTokens / rate : 0.0;
        if (rounded < 0.0)
            return;
        const bool agrees = exact > 0.0 && std::abs(exact - rounded) <= kRounded;
        step.elapsedS = agrees ? exact : rounded;
        std::erase_if(
            step.values, [](const LoggedValue& value) { return value.key == "train_time"; });
    }

    double m_batchTokens = 0.0;
};

constexpr std::size_t kMostScriptPairs = 64;
constexpr std::string_view kBlanks = " \t";
// Ends are looked for no further, so that a line of brackets or commas takes time as its length.
constexpr std::size_t kLongestNumber = 64;
constexpr std::size_t kLongestBracket = 256;

// The first of them that a line has numbers its iteration.
constexpr std::array<std::string_view, 14> kCounters{"global step", "global_step", "num_updates",
    "step", "steps", "iteration", "iterations", "iter", "it", "train step", "train_step", "update",
    "batch", "batch_idx"};
constexpr std::size_t kEpochalFrom = 3; // these may be counted anew in each epoch

struct ScriptPair {
    std::string_view key; // empty: a number in brackets that none stands before
    std::string_view value;
    bool isBracketed = false;
    bool isAssigned = false; // ':' or '=' stands between
};

std::string_view lastWordOf(std::string_view key) {
    const std::size_t blank = key.find_last_of(kBlanks);
    return blank == std::string_view::npos ? key : key.substr(blank + 1);
}

std::size_t counterPlace(std::string_view key) {
    const std::string_view last = lastWordOf(key);
    const auto found = std::ranges::find_if(kCounters, [&](std::string_view known) {
        return equalsIgnoringCase(key, known) || equalsIgnoringCase(last, known);
    });
    return static_cast<std::size_t>(found - kCounters.begin());
}

bool isEpoch(std::string_view key) {
    return equalsIgnoringCase(key, "epoch") || equalsIgnoringCase(key, "ep");
}

// A count of iterations or epochs.
bool isCounted(std::string_view key) {
    return counterPlace(key) < kCounters.size() || isEpoch(key);
}

bool isKeyChar(char c) {
    const char low = lowerChar(c);
    return (low >= 'a' && low <= 'z') || isDigit(c) || c == '_' || c == '/' || c == '@' || c == '.'
        || c == '-';
}

// Cuts a line into keys and numbers.
class ScriptPairs {
public:
    explicit ScriptPairs(std::string_view text)
        : m_text(text) { }

    std::vector<ScriptPair> all() {
        std::vector<ScriptPair> pairs;
        while (!m_text.empty() && pairs.size() < kMostScriptPairs) {
            if (const auto pair = next())
                pairs.push_back(*pair);
        }
        return pairs;
    }

private:
    std::optional<ScriptPair> next() {
        const char c = m_text.front();
        if (startsNumber())
            return number();
        if ((c == '(' || c == '[') && takeUnitOfKey())
            return std::nullopt;
        if (c == '(' || c == '[')
            return bracketed(c == '(');
        if (isKeyChar(c)) {
            takeWord();
            return std::nullopt;
        }
        const bool isBlank = kBlanks.find(c) != std::string_view::npos;
        const bool isAssigned = c == ':' || c == '=';
        const bool isParted = c == '\t' || (isBlank && m_text.substr(0, 2) == "  ");
        if (!m_isAssigned && ((!isBlank && !isAssigned) || isParted))
            m_key = {};
        m_isAssigned = m_isAssigned ? isBlank || isAssigned : isAssigned;
        m_text.remove_prefix(1);
        return std::nullopt;
    }

    [[nodiscard]] bool startsNumber() const {
        std::string_view rest = m_text;
        if (rest.starts_with('-') || rest.starts_with('+'))
            rest.remove_prefix(1);
        return !rest.empty() && isDigit(rest.front());
    }

    // "step_time(ms)", "step time [s]": the key goes on with its unit.
    bool takeUnitOfKey() {
        const std::size_t close = m_text.substr(0, kLongestBracket).find_first_of(")]");
        const bool isUnit = !m_key.empty() && !m_isAssigned && close != std::string_view::npos
            && timeUnit(m_text.substr(1, close - 1));
        if (!isUnit)
            return false;
        m_key = {m_key.data(), static_cast<std::size_t>(m_text.data() + close + 1 - m_key.data())};
        m_text.remove_prefix(close + 1);
        return true;
    }

    // A word goes on with the key, but behind ':' it is a text.
    void takeWord() {
        const auto* end = std::ranges::find_if_not(m_text, isKeyChar);
        const auto size = static_cast<std::size_t>(end - m_text.begin());
        const std::string_view word = m_text.substr(0, size);
        m_text.remove_prefix(size);
        const bool goesOn = !m_key.empty() && !m_isAssigned;
        m_key = goesOn ? std::string_view(m_key.data(),
                    static_cast<std::size_t>(word.data() + word.size() - m_key.data()))
                       : word;
        m_isAssigned = false;
    }

    // "120ms", "0.50 sec", "1,234", "48.4%"; "100/500" is 100.
    std::optional<ScriptPair> number() {
        const std::string_view text = m_text.substr(0, kLongestNumber);
        std::size_t size = std::min(text.find_first_of(" \t|;]()=:"), text.size());
        // "0:10:20" as well.
        const std::size_t whole = std::min(text.find_first_of(" \t|;,]()="), text.size());
        if (!m_key.empty() && whole > size && measured(m_text.substr(0, whole)))
            size = whole;
        if (const std::size_t comma = m_text.substr(0, size).find(',');
            comma != m_text.npos && (comma + 1 >= size || !isDigit(m_text[comma + 1])))
            size = comma;
        std::string_view value = m_text.substr(0, size);
        const std::string_view rest = m_text.substr(size);
        for (const std::string_view unit : {" ms", " sec", " s"}) {
            const bool isWhole = rest.size() == unit.size()
                || (rest.size() > unit.size() && !isKeyChar(rest[unit.size()]));
            if (!rest.starts_with(unit) || !isWhole)
                continue;
            value = {value.data(), value.size() + unit.size()};
            break;
        }
        m_text.remove_prefix(value.size());
        const ScriptPair pair{trimmed(m_key), value, false, m_isAssigned};
        m_key = {};
        m_isAssigned = false;
        return pair.key.empty() ? countedBehind(value) : std::optional(pair);
    }

    // "8200 tok/s": a number with what it counts behind.
    std::optional<ScriptPair> countedBehind(std::string_view value) {
        const std::string_view rest = trimmed(m_text.substr(0, kLongestNumber));
        const std::string_view word = rest.substr(0, rest.find_first_of(" \t,|;"));
        if (findKey(word) == nullptr)
            return std::nullopt;
        m_text.remove_prefix(static_cast<std::size_t>(word.data() + word.size() - m_text.data()));
        return ScriptPair{word, value, false};
    }

    // "[step 10/500]", "[Iter: 20]".
    static std::optional<ScriptPair> countedInside(std::string_view inside) {
        const std::size_t end = inside.find_last_not_of("0123456789/");
        if (end == std::string_view::npos || end + 1 >= inside.size() || !isDigit(inside[end + 1]))
            return std::nullopt;
        std::string_view key = inside.substr(0, end + 1);
        while (!key.empty() && std::string_view(" \t:=").find(key.back()) != key.npos)
            key.remove_suffix(1);
        return isCounted(key) ? std::optional(ScriptPair{key, inside.substr(end + 1)})
                              : std::nullopt;
    }

    // "[100/500]", "[ 50/500]", "(10/400)"; in other brackets there are remarks, and round ones
    // hold the mean beside a value, "0.123 ( 0.234)".
    std::optional<ScriptPair> bracketed(bool isRound) {
        const std::size_t end = m_text.substr(0, kLongestBracket).find(isRound ? ')' : ']');
        if (end == std::string_view::npos) {
            m_text.remove_prefix(1);
            return std::nullopt;
        }
        const std::string_view inside = trimmed(m_text.substr(1, end - 1));
        const bool isCount = !inside.empty() && isDigit(inside.front())
            && inside.find_first_not_of("0123456789/ ") == std::string_view::npos
            && (!isRound || inside.find('/') != inside.npos);
        m_text.remove_prefix(end + 1);
        if (isRound && !isCount)
            return std::nullopt;
        const ScriptPair pair{trimmed(m_key), inside, true};
        m_key = {};
        m_isAssigned = false;
        return isCount ? std::optional(pair) : countedInside(inside);
    }

    std::string_view m_text;
    std::string_view m_key;
    bool m_isAssigned = false; // ':' or '=' stands behind it
};

// "root train loss" → "train loss": what is known of it, without words before.
std::string_view knownPart(std::string_view key) {
    while (true) {
        if (findKey(key) != nullptr)
            return key;
        const std::size_t blank = key.find_first_of(kBlanks);
        if (blank == std::string_view::npos)
            return {};
        key = trimmed(key.substr(blank));
    }
}

bool speaksOfValidation(std::string_view text) {
    constexpr std::array<std::string_view, 4> kWords{"val", "valid", "eval", "test"};
    return std::ranges::any_of(kWords, [text](std::string_view word) {
        const std::size_t size = word.size();
        return text.size() >= size && equalsIgnoringCase(text.substr(0, size), word)
            && (text.size() == size || std::string_view(" _:/(-ai[").find(text[size]) != text.npos);
    });
}

class ScriptReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        // The engine's own lines are of another dialect.
        if (line.rest.find("SamplesPerSec=") != std::string_view::npos)
            return false;
        if (const auto bar = progressBarIn(line.rest))
            return readBarLine(*bar, step);
        const auto pairs = ScriptPairs(line.rest).all();
        const auto index = indexOf(pairs);
        if (!index)
            return false;
        step.index = *index;
        if (!readValues(pairs, step))
            return false;
        if (speaksOfValidation(line.rest)) {
            step.kind = StepLine::Kind::Values;
            for (LoggedValue& value : step.values)
                value.key = isLoss(value.key) ? "val_loss" : value.key;
        }
        return true;
    }

private:
    bool readBarLine(const ProgressBar& bar, StepLine& step) {
        step.index = bar.done;
        step.elapsedS = bar.elapsedS;
        return bar.done > 0 && readValues(ScriptPairs(bar.values).all(), step);
    }

    bool readValues(const std::vector<ScriptPair>& pairs, StepLine& step) {
        bool hasFigure = false;
        for (const ScriptPair& pair : pairs) {
            std::string_view key = pair.isBracketed ? std::string_view() : knownPart(pair.key);
            if (key.empty() && pair.isAssigned && !isCounted(pair.key))
                key = pair.key;
            if (key.empty() || !measured(pair.value))
                continue;
            const KnownKey* known = findKey(key);
            if (equalsIgnoringCase(key, "time")) {
                m_running.note(secondsIn(key, pair.value).value_or(0.0), step);
                continue;
            }
            hasFigure = hasFigure
                || (known != nullptr
                    && (known->metric != nullptr || known->role == KeyRole::StepSeconds));
            step.values.push_back({key, pair.value});
        }
        return hasFigure;
    }

    // The number of the line's iteration; where it is counted anew in each epoch, on from the last.
    std::optional<std::int64_t> indexOf(const std::vector<ScriptPair>& pairs) {
        std::size_t place = kCounters.size();
        std::optional<std::int64_t> index;
        std::optional<std::int64_t> epoch;
        for (const ScriptPair& pair : pairs) {
            std::string_view text = pair.value;
            const std::size_t here = counterPlace(pair.key);
            const auto count = takeIndex(text);
            const bool isCount = count && (text.empty() || trimmed(text).starts_with('/'));
            if (!isCount)
                continue;
            if (isEpoch(pair.key))
                epoch = count;
            else if (here < place
                || (!index && pair.key.empty() && pair.isBracketed && !text.empty()))
                index = count;
            place = std::min(place, here);
        }
        if (!index || !epoch || place < kEpochalFrom)
            return index;
        if (m_last && epoch > m_epoch && m_before + *index <= *m_last)
            m_before = *m_last + 1 - *index;
        m_epoch = epoch;
        m_last = m_before + *index;
        return m_last;
    }

    RunningTime m_running;
    std::optional<std::int64_t> m_epoch;
    std::optional<std::int64_t> m_last;
    std::int64_t m_before = 0; // iterations of the epochs before
};

} // namespace

std::unique_ptr<DialectReader> parameterGolfReader() {
    return std::make_unique<ParameterGolfReader>();
}

std::unique_ptr<DialectReader> scriptReader() {
    return std::make_unique<ScriptReader>();
}

} // namespace trainscope::importers::trainlog
