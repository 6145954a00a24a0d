// MLPerf's training logs: ":::MLLOG {"time_ms": …, "key": "train_loss", "value": 1.48, "metadata":
// {"samples_count": 160, "lr": 0.0004}}", stamped in unix time, or not at all. Samples count
// iterations by the global batch that the log states. Run, blocks, epochs and evaluations are
// intervals; a log that has nothing else is one of them and of the values of its evaluations.
#include "importers/trainlog/Dialect.h"

#include "importers/common/JsonMembers.h"
#include "importers/common/Number.h"
#include "importers/trainlog/KeyTable.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace trainscope::importers::trainlog {

namespace {

constexpr std::string_view kMark = ":::MLLOG";
constexpr std::int64_t kMillisecond = 1'000'000;

class MllogReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        if (!parse(line.rest))
            return false;
        const auto count = m_samples ? iterationsOf(*m_samples) : std::nullopt;
        step.index = count.value_or(m_step.value_or(0));
        if (m_timeNs)
            step.stamp = LogStamp{{*m_timeNs}, true, {kMillisecond}};
        readInterval(step);
        if (m_key == "train_loss")
            return readLoss(step);
        if (m_key == "tracked_stats")
            return readStats(step);
        if (m_key == "eval_accuracy" || m_key == "eval_loss" || m_key == "eval_error") {
            step.kind = StepLine::Kind::Values;
            step.values.push_back({m_key, m_value.text});
            return measured(m_value.text).has_value();
        }
        if (m_key == "eval_start") {
            step.kind = StepLine::Kind::Pause;
            return true;
        }
        if (m_key == "block_start" || m_key == "run_start" || m_key == "epoch_start") {
            // Some count the samples of the block here, not those before it.
            step.index = m_step.value_or(step.index);
            step.kind = StepLine::Kind::Resume;
            return true;
        }
        step.kind = StepLine::Kind::Values;
        return !step.opens.empty() || !step.closes.empty();
    }

    void readSetting(const LineHead& line, launch::Settings& settings) override {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kNames{
            std::pair{"global_batch_size", "global_batch_size"},
            std::pair{"micro_batch_size", "micro_batch_size"},
            std::pair{"gradient_accumulation_steps", "gradient_accumulation_steps"},
            std::pair{"max_sequence_length", "seq_length"},
            std::pair{"sequence_length", "seq_length"}, std::pair{"max_steps", "train_iters"},
            std::pair{"opt_learning_rate_training_steps", "train_iters"},
            std::pair{"opt_name", "optimizer"}, std::pair{"submission_benchmark", "model_name"},
            std::pair{"tensor_parallelism", "tensor_model_parallel_size"},
            std::pair{"pipeline_parallelism", "pipeline_model_parallel_size"},
            std::pair{"context_parallelism", "context_parallel_size"},
            std::pair{"expert_parallelism", "expert_model_parallel_size"},
            std::pair{"lora_rank", "lora_rank"}, std::pair{"submission_platform", "platform"}};
        if (!parse(line.rest))
            return;
        for (const auto& [key, name] : kNames) {
            if (m_key == key)
                setSetting(settings, name, m_value.text);
        }
        if (m_key == "lora_rank")
            settings.insert_or_assign("peft_scheme", "lora");
        const auto batch = m_key == "global_batch_size" ? measured(m_value.text) : std::nullopt;
        if (batch && batch->number >= 1.0)
            m_globalBatch = batch->number;
    }

private:
    bool parse(std::string_view text) {
        if (!text.starts_with(kMark))
            return false;
        m_line.assign(text.substr(kMark.size()));
        m_line.append(JsonScanner::kPadding, '\0');
        m_key = {};
        m_value = {};
        m_timeNs.reset();
        m_samples.reset();
        m_step.reset();
        m_rate = {};
        const std::string_view object
            = std::string_view(m_line).substr(0, m_line.size() - JsonScanner::kPadding);
        forEachMember(object, [this](std::string_view key, const JsonToken& value) {
            if (key == "key")
                m_key = value.text;
            else if (key == "value")
                m_value = value;
            else if (key == "time_ms")
                m_timeNs = decimalToNs(value.text, kMillisecond);
            else if (key == "metadata")
                forEachMember(value.text,
                    [this](std::string_view name, const JsonToken& one) { readMeta(name, one); });
        });
        return !m_key.empty();
    }

    // "block_start" and "block_stop"; older logs end what they start with "_end".
    void readInterval(StepLine& step) const {
        if (m_key.ends_with("_start"))
            step.opens = m_key.substr(0, m_key.size() - std::string_view("_start").size());
        for (const std::string_view end : {"_stop", "_end"}) {
            if (m_key.ends_with(end))
                step.closes = m_key.substr(0, m_key.size() - end.size());
        }
    }

    void readMeta(std::string_view name, const JsonToken& value) {
        if (name == "samples_count")
            m_samples = wholeOf(value.text);
        else if (name == "step" || name == "step_num")
            m_step = wholeOf(value.text);
        else if (name == "lr")
            m_rate = value.text;
    }

    static std::optional<std::int64_t> wholeOf(std::string_view text) {
        const auto number = parseNumber(text);
        if (!number || !(std::abs(*number) < 9e15))
            return std::nullopt;
        return static_cast<std::int64_t>(std::llround(*number));
    }

    [[nodiscard]] std::optional<std::int64_t> iterationsOf(std::int64_t samples) const {
        if (m_globalBatch <= 0.0)
            return std::nullopt;
        return std::llround(static_cast<double>(samples) / m_globalBatch);
    }

    bool readLoss(StepLine& step) const {
        if (!measured(m_value.text))
            return false;
        step.values.push_back({"loss", m_value.text});
        if (!m_rate.empty())
            step.values.push_back({"learning_rate", m_rate});
        return true;
    }

    // "value": {"throughput": 14.4} or {"reduced_train_loss": 5.13}.
    bool readStats(StepLine& step) const {
        bool hasLoss = false;
        forEachMember(m_value.text, [&](std::string_view key, const JsonToken& value) {
            if (value.kind != TokenKind::Number)
                return;
            hasLoss = hasLoss || isLoss(key);
            step.values.push_back({key, value.text});
        });
        if (!hasLoss)
            step.kind = StepLine::Kind::Values;
        return !step.values.empty();
    }

    std::string m_line; // what the views of the last line lie in
    std::string_view m_key;
    JsonToken m_value;
    std::string_view m_rate;
    std::optional<std::int64_t> m_timeNs;
    std::optional<std::int64_t> m_samples;
    std::optional<std::int64_t> m_step;
    double m_globalBatch = 0.0;
};

} // namespace

std::unique_ptr<DialectReader> mllogReader() {
    return std::make_unique<MllogReader>();
}

} // namespace trainscope::importers::trainlog
