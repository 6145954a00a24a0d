// The logs of parameter-golf runs: "100/20000 train_loss: 3.6449 train_time: 0.2m tok/s: 8282812",
// behind the settings ("  train_batch_tokens: 786432") and the script's own source. The time is
// rounded to six seconds; the rate, which is the mean since the start, gives it exactly.
#include "importers/trainlog/Dialect.h"

#include "core/model/AsciiText.h"
#include "importers/trainlog/KeyTable.h"
#include "importers/trainlog/Pairs.h"

#include <array>
#include <cmath>
#include <utility>

namespace trainscope::importers::trainlog {

namespace {

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

} // namespace

std::unique_ptr<DialectReader> parameterGolfReader() {
    return std::make_unique<ParameterGolfReader>();
}

} // namespace trainscope::importers::trainlog
