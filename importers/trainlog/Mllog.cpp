// MLPerf's training logs: ":::MLLOG {"time_ms": …, "key": "train_loss", "value": 1.48, "metadata":
// {"samples_count": 160, "lr": 0.0004}}", stamped in unix time, or not at all. Samples count
// iterations by the global batch that the log states. Run, blocks, epochs and evaluations are
// intervals; a log that has nothing else is one of them and of the values of its evaluations. Those
// of v0.6: ":::MLL 1557233424.9 epoch_start: {"value": …, "metadata": {…}}".
//
// Iterations are marked by losses, else by the times of steps in tracked_stats: each, or the mean
// of a block. The meaning of "step" (iterations, samples, tokens) follows from those times.
#include "importers/trainlog/Dialect.h"

#include "core/model/WholeNumber.h"
#include "importers/common/JsonCursor.h"
#include "importers/common/Number.h"
#include "importers/trainlog/KeyTable.h"

namespace trainscope::importers::trainlog {

namespace {

constexpr std::string_view kMark = ":::MLLOG";
constexpr std::string_view kOldMark = ":::MLL ";
constexpr std::size_t kFarthestMark = 128; // launchers put a rank before it
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kNsOfSecond = 1'000'000'000;
constexpr double kLongerAtMost = 1.1; // steps than the time in which they were
constexpr double kMostStepsBetween = 1e5;

class MllogReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        if (!parse(line.whole))
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
            m_name = std::string(m_key) + (m_scored.empty() ? "" : " " + std::string(m_scored));
            step.values.push_back({m_name, m_value.text});
            return measured(m_value.text).has_value();
        }
        if (m_key == "eval_start") {
            step.kind = StepLine::Kind::Pause;
            return true;
        }
        if (m_key == "block_start" || m_key == "run_start" || m_key == "epoch_start") {
            m_resumedNs = m_timeNs;
            m_lastStep = m_step.value_or(m_lastStep);
            // Some count the samples of the block here, not those before it.
            step.index = m_marks == Marks::Times ? m_iterations : m_step.value_or(step.index);
            if (m_marks == Marks::None)
                m_iterations = step.index;
            step.kind = StepLine::Kind::Resume;
            return true;
        }
        step.kind = StepLine::Kind::Values;
        return !step.opens.empty() || !step.closes.empty();
    }

    void readSetting(const LineHead& line, launch::Settings& settings) override {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kNames{
            {{"global_batch_size", "global_batch_size"}, {"micro_batch_size", "micro_batch_size"},
                {"gradient_accumulation_steps", "gradient_accumulation_steps"},
                {"max_sequence_length", "seq_length"}, {"sequence_length", "seq_length"},
                {"max_steps", "train_iters"}, {"opt_learning_rate_training_steps", "train_iters"},
                {"opt_name", "optimizer"}, {"submission_benchmark", "model_name"},
                {"tensor_parallelism", "tensor_model_parallel_size"},
                {"pipeline_parallelism", "pipeline_model_parallel_size"},
                {"context_parallelism", "context_parallel_size"},
                {"expert_parallelism", "expert_model_parallel_size"}, {"lora_rank", "lora_rank"},
                {"submission_platform", "platform"}}};
        if (!parse(line.whole))
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
        const bool isLength = m_key == "max_sequence_length" || m_key == "sequence_length";
        const auto length = isLength ? measured(m_value.text) : std::nullopt;
        if (length && length->number >= 1.0)
            m_sequence = length->number;
    }

private:
    bool parse(std::string_view text) {
        const std::size_t at = text.substr(0, kFarthestMark).find(kOldMark.substr(0, 6));
        if (at == std::string_view::npos)
            return false;
        text.remove_prefix(at);
        m_key = {};
        m_value = {};
        m_timeNs.reset();
        m_samples.reset();
        m_step.reset();
        m_rate = {};
        m_scored = {};
        m_interval = {};
        if (text.starts_with(kMark))
            return parseObject(text.substr(kMark.size()));
        return text.starts_with(kOldMark) && parseOld(text.substr(kOldMark.size()));
    }

    bool parseObject(std::string_view object) {
        m_line.assign(object);
        m_line.append(JsonScanner::kPadding, '\0');
        forEachMember(std::string_view(m_line).substr(0, object.size()),
            [this](std::string_view key, const JsonToken& value) {
                if (key == "key")
                    m_key = value.text;
                else if (key == "value")
                    m_value = value;
                else if (key == "time_ms")
                    m_timeNs = decimalToNs(value.text, kMillisecond);
                else if (key == "metadata")
                    forEachMember(value.text, [this](std::string_view name, const JsonToken& one) {
                        readMeta(name, one);
                    });
            });
        // A line that is added when a log is handed in has no time.
        if (m_timeNs && *m_timeNs <= 0)
            m_timeNs.reset();
        return !m_key.empty();
    }

    // "1557233424.9 epoch_start: {…}".
    bool parseOld(std::string_view text) {
        const std::size_t blank = text.find(' ');
        const std::size_t colon = text.find(": {", blank);
        if (blank == std::string_view::npos || colon == std::string_view::npos)
            return false;
        const auto timeNs = decimalToNs(text.substr(0, blank), kNsOfSecond);
        m_oldKey = trimmed(text.substr(blank, colon - blank));
        if (!timeNs || m_oldKey.empty() || m_oldKey.find(' ') != std::string::npos)
            return false;
        parseObject(text.substr(colon + 2));
        m_key = m_oldKey;
        m_timeNs = timeNs;
        return true;
    }

    // "block_start" and "block_stop"; older logs end what they start with "_end".
    void readInterval(StepLine& step) const {
        step.interval = m_interval;
        if (m_key.ends_with("_start"))
            step.opens = m_key.substr(0, m_key.size() - std::string_view("_start").size());
        for (const std::string_view end : {"_stop", "_end"}) {
            if (m_key.ends_with(end))
                step.closes = m_key.substr(0, m_key.size() - end.size());
        }
    }

    void readMeta(std::string_view name, const JsonToken& value) {
        if (name == "samples_count")
            m_samples = indexIn(value.text);
        else if (name == "step" || name == "step_num")
            m_step = indexIn(value.text);
        else if (name == "lr")
            m_rate = value.text;
        else if (name == "metric")
            m_scored = value.text;
        else if (name == "first_epoch_num" || name == "epoch_num")
            m_interval = value.text;
    }

    [[nodiscard]] std::optional<std::int64_t> iterationsOf(std::int64_t samples) const {
        if (m_globalBatch <= 0.0)
            return std::nullopt;
        return nearestWhole<std::int64_t>(static_cast<double>(samples) / m_globalBatch);
    }

    bool readLoss(StepLine& step) {
        if (!measured(m_value.text))
            return false;
        step.values.push_back({"loss", m_value.text});
        if (!m_rate.empty())
            step.values.push_back({"learning_rate", m_rate});
        return mark(Marks::Losses, step);
    }

    // "value": {"throughput": 14.4}, {"train_step_time": 0.51} or {"reduced_train_loss": 5.13}.
    bool readStats(StepLine& step) {
        bool hasLoss = false;
        std::optional<double> seconds;
        forEachMember(m_value.text, [&](std::string_view key, const JsonToken& value) {
            if (value.kind != TokenKind::Number)
                return;
            hasLoss = hasLoss || isLoss(key);
            const KnownKey* known = findKey(key);
            if (known != nullptr && known->role == KeyRole::StepSeconds)
                seconds = secondsIn(key, value.text);
            const bool isOfTokens = key == "throughput" && countsTokens();
            step.values.push_back({isOfTokens ? "tokens_per_sec" : key, value.text});
        });
        if (step.values.empty())
            return false;
        if (hasLoss) {
            if (!m_rate.empty())
                step.values.push_back({"learning_rate", m_rate});
            return mark(Marks::Losses, step);
        }
        step.kind = StepLine::Kind::Values;
        return !seconds || *seconds <= 0.0 || !m_timeNs || readTiming(*seconds, step);
    }

    // Losses and times of steps tell of the same iterations: that which comes first marks them.
    enum class Marks { None, Losses, Times };
    bool mark(Marks marks, StepLine& step) {
        if (m_marks == Marks::None)
            m_marks = marks;
        step.kind = m_marks == marks ? StepLine::Kind::Step : StepLine::Kind::Values;
        return true;
    }

    bool readTiming(double seconds, StepLine& step) {
        if (m_marks == Marks::Losses)
            return true;
        const std::int64_t before = m_resumedNs.value_or(*m_timeNs);
        const double passed = static_cast<double>(*m_timeNs - before) / 1e9;
        m_iterations += stepsIn(passed, seconds);
        m_resumedNs = m_timeNs;
        m_lastStep = m_step.value_or(m_lastStep);
        step.index = m_iterations;
        return mark(Marks::Times, step);
    }

    // Steps that a line tells of: by what "step" grew, in the unit that fills most of the time that
    // has passed; else as many as fit into it.
    [[nodiscard]] std::int64_t stepsIn(double passed, double seconds) const {
        const double fit = passed * kLongerAtMost / seconds;
        double best = 0.0;
        for (const double unit : {1.0, m_globalBatch, m_globalBatch * m_sequence}) {
            if (unit < 1.0 || !m_step)
                continue;
            const double steps = static_cast<double>(*m_step - m_lastStep) / unit;
            if (steps >= 1.0 && steps == std::floor(steps) && steps <= std::max(fit, 1.0))
                best = std::max(best, steps);
        }
        if (best < 1.0)
            best = std::clamp(std::round(passed / seconds), 1.0, kMostStepsBetween);
        return static_cast<std::int64_t>(best);
    }

    // Large benchmarks count tokens where others count samples.
    [[nodiscard]] bool countsTokens() const {
        const double tokens = m_globalBatch * m_sequence;
        const double step = m_step ? static_cast<double>(*m_step) : 0.0;
        return m_sequence > 1.0 && tokens >= 1.0 && step >= tokens
            && std::fmod(step, tokens) == 0.0;
    }

    std::string m_line; // the text that the views of the last line lie in
    std::string_view m_key;
    JsonToken m_value;
    std::string_view m_rate;
    std::string_view m_scored; // the score of an evaluation, if a log has several
    std::string_view m_interval; // the number of an interval
    std::string m_oldKey;
    std::string m_name; // an evaluation's
    std::optional<std::int64_t> m_timeNs;
    std::optional<std::int64_t> m_samples;
    std::optional<std::int64_t> m_step;
    double m_globalBatch = 0.0;
    double m_sequence = 0.0;
    Marks m_marks = Marks::None;
    std::optional<std::int64_t> m_resumedNs; // the begin of the steps that the next line tells of
    std::int64_t m_lastStep = 0;
    std::int64_t m_iterations = 0; // with times of steps
};

} // namespace

std::unique_ptr<DialectReader> mllogReader() {
    return std::make_unique<MllogReader>();
}

} // namespace trainscope::importers::trainlog
