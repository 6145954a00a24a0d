#include "importers/trainlog/Dialect.h"

#include "core/model/AsciiText.h"
#include "importers/common/Number.h"
#include "importers/trainlog/KeyTable.h"
#include "importers/trainlog/StepLine.h"

namespace trainscope::importers::trainlog {

namespace {

// "01:40", "1:02:03".
std::optional<double> clockSeconds(std::string_view text) {
    double seconds = 0.0;
    const auto parts = words(text, ":");
    if (parts.size() < 2 || parts.size() > 3)
        return std::nullopt;
    for (const std::string_view part : parts) {
        const auto number = parseNumber(part);
        if (!number || *number < 0.0)
            return std::nullopt;
        seconds = seconds * 60.0 + *number;
    }
    return seconds;
}

// "Epoch 0:  10%|▉ | 10/100 [00:12<01:48, 0.83it/s, v_num=0, reduced_train_loss=2.3,
// global_step=9.0, train_step_timing in s=1.23]".
class ProgressBarReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        if (!line.rest.starts_with("Epoch"))
            return false;
        const auto bar = progressBarIn(line.rest);
        if (!bar || bar->values.empty())
            return false;
        readCommas(bar->values, step.values);
        step.index = bar->done;
        bool hasLoss = false;
        for (const LoggedValue& value : step.values) {
            if (value.key == "global_step")
                step.index = indexIn(value.text).value_or(step.index);
            hasLoss = hasLoss || (isLoss(value.key) && measured(value.text));
        }
        step.elapsedS = bar->elapsedS;
        return hasLoss;
    }
};

// "{'loss': 2.3, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 0.1}" among bars, which say
// where and when.
class HuggingFaceReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        const std::size_t at = line.rest.find("{'loss':");
        if (const auto bar = progressBarIn(line.rest.substr(0, at)))
            m_bar = *bar;
        if (at == std::string_view::npos)
            return false;
        std::string_view text = line.rest.substr(at + 1);
        text = text.substr(0, text.find('}'));
        readCommas(text, step.values);
        for (LoggedValue& value : step.values) {
            value.key = unquoted(value.key);
            value.text = unquoted(value.text);
        }
        if (step.values.empty() || !measured(step.values.front().text))
            return false;
        ++m_lines;
        step.index = m_lines;
        if (m_bar) {
            step.index = m_bar->done;
            step.elapsedS = m_bar->elapsedS;
        }
        return true;
    }

private:
    static std::string_view unquoted(std::string_view text) {
        while (text.starts_with('\''))
            text.remove_prefix(1);
        while (text.ends_with('\''))
            text.remove_suffix(1);
        return text;
    }

    std::optional<ProgressBar> m_bar; // without values
    std::int64_t m_lines = 0;
};

// The list "log_history" of trainer_state.json, a value a line.
class TrainerStateReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        std::string_view text = trimmed(line.rest);
        m_isHistory = m_isHistory || text.starts_with("\"log_history\"");
        if (!m_isHistory || !text.starts_with('"'))
            return false;
        if (text.ends_with(','))
            text.remove_suffix(1);
        const std::size_t colon = text.find("\": ");
        if (colon == std::string_view::npos)
            return false;
        const std::string_view key = text.substr(1, colon - 1);
        const std::string_view value = text.substr(colon + 3);
        if (key == "step") {
            const auto index = indexIn(value);
            const bool isStep = index && !m_entry.empty() && m_hasLoss;
            if (isStep) {
                step.index = *index;
                m_told = std::move(m_entry);
                for (const auto& [name, said] : m_told)
                    step.values.push_back({name, said});
            }
            m_entry.clear();
            m_hasLoss = false;
            return isStep;
        }
        if (measured(value) && m_entry.size() < kMostValues) {
            m_entry.emplace_back(key, value);
            m_hasLoss = m_hasLoss || key == "loss";
        }
        return false;
    }

private:
    static constexpr std::size_t kMostValues = 64;
    using Entry = std::vector<std::pair<std::string, std::string>>;

    Entry m_entry;
    Entry m_told; // the text that the views of the last step lie in
    bool m_isHistory = false;
    bool m_hasLoss = false;
};

} // namespace

std::optional<ProgressBar> progressBarIn(std::string_view text) {
    const std::size_t close = text.rfind(']');
    const std::size_t open = text.rfind(" [", close);
    const std::size_t bar = text.rfind("| ", open);
    if (close == std::string_view::npos || open == std::string_view::npos
        || bar == std::string_view::npos)
        return std::nullopt;
    std::string_view count = text.substr(bar + 2, open - bar - 2);
    const auto done = takeIndex(count);
    if (!done || !count.starts_with('/'))
        return std::nullopt;
    count.remove_prefix(1);
    const auto total = takeIndex(count);
    const std::string_view inside = text.substr(open + 2, close - open - 2);
    const auto elapsed = clockSeconds(inside.substr(0, inside.find('<')));
    if (!total || !elapsed)
        return std::nullopt;
    ProgressBar found{*done, *total, *elapsed, {}, {}};
    std::size_t rate = inside.find("it/s");
    const bool isPerSecond = rate != std::string_view::npos;
    if (!isPerSecond)
        rate = inside.find("s/it");
    const std::string_view before = inside.substr(0, std::min(rate, inside.size()));
    const auto number = parseNumber(trimmed(before.substr(before.rfind(',') + 1)));
    if (rate != std::string_view::npos && number && *number > 0.0)
        found.secondsEach = isPerSecond ? 1.0 / *number : *number;
    if (rate != std::string_view::npos && rate + 6 <= inside.size())
        found.values = inside.substr(rate + 6);
    return found;
}

std::unique_ptr<DialectReader> progressBarReader() {
    return std::make_unique<ProgressBarReader>();
}

std::unique_ptr<DialectReader> huggingFaceReader() {
    return std::make_unique<HuggingFaceReader>();
}

std::unique_ptr<DialectReader> trainerStateReader() {
    return std::make_unique<TrainerStateReader>();
}

} // namespace trainscope::importers::trainlog
