// Logs that tell of an iteration in several lines: Composer's blocks ("[batch=10/500]:" and
// "Train loss/train/total: 8.42"), and DeepSpeed-Chat, whose times stand behind the losses. An
// iteration is held back until its last line is there.
#include "importers/trainlog/Dialect.h"

#include "core/model/AsciiText.h"
#include "importers/trainlog/KeyTable.h"
#include "importers/trainlog/StepLine.h"

namespace trainscope::importers::trainlog {

namespace {

constexpr std::size_t kMostHeldValues = 512;
constexpr double kSecondsOfHour = 3600.0;

class HeldStep {
public:
    void begin(const LineHead& line, std::int64_t index, const std::optional<LogStamp>& stamp) {
        m_isOpen = true;
        m_index = index;
        m_stamp = stamp;
        m_rank = line.rank;
        m_values.clear();
        m_seconds.reset();
        m_elapsed.reset();
    }
    void add(std::string_view key, std::string_view text) {
        if (m_isOpen && m_values.size() < kMostHeldValues)
            m_values.emplace_back(key, text);
    }
    void setSeconds(std::optional<double> seconds) { m_seconds = seconds; }
    void setElapsed(std::optional<double> seconds) { m_elapsed = seconds; }

    void drop() { m_isOpen = false; }

    [[nodiscard]] bool isOpen() const { return m_isOpen; }
    [[nodiscard]] bool isEmpty() const { return m_values.empty(); }
    [[nodiscard]] std::int64_t index() const { return m_index; }
    [[nodiscard]] std::string_view rank() const { return m_rank; }

    // Ends it; false where none is held.
    bool tell(StepLine& step) {
        if (!std::exchange(m_isOpen, false))
            return false;
        m_told = std::move(m_values);
        m_values.clear();
        step.kind = StepLine::Kind::Step;
        step.index = m_index;
        step.stamp = m_stamp;
        step.secondsEach = m_seconds;
        step.elapsedS = m_elapsed;
        for (const auto& [key, text] : m_told)
            step.values.push_back({key, text});
        return true;
    }

private:
    bool m_isOpen = false;
    std::int64_t m_index = 0;
    std::optional<LogStamp> m_stamp;
    std::string m_rank;
    std::optional<double> m_seconds;
    std::optional<double> m_elapsed;
    std::vector<std::pair<std::string, std::string>> m_values;
    std::vector<std::pair<std::string, std::string>> m_told; // texts that a step's views lie in
};

// "[epoch=1][batch=5/20]:", then "Train time/train: 0.5249" (hours), "Train
// throughput/batches_per_sec: 0.5" (the mean of a window) and all others.
class ComposerReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        constexpr std::string_view kMark = "[batch=";
        if (line.stamp)
            m_stamp = line.stamp;
        if (const std::size_t at = line.whole.find(kMark); at != std::string_view::npos) {
            std::string_view number = line.whole.substr(at + kMark.size());
            const auto index = takeIndex(number);
            const bool isOther = m_held.isOpen() && line.rank != m_held.rank();
            if (!index || isOther)
                return false;
            const bool isTold = !m_held.isEmpty() && m_held.tell(step);
            m_held.begin(line, *index, m_stamp);
            return isTold;
        }
        if (m_held.isOpen() && line.rank == m_held.rank())
            readValue(line.rest);
        return false;
    }

    bool finish(StepLine& step) override { return !m_held.isEmpty() && m_held.tell(step); }

private:
    void readValue(std::string_view text) {
        const bool isTraining = text.starts_with("Train ");
        if (!isTraining && !text.starts_with("Eval "))
            return;
        const std::size_t colon = text.rfind(": ");
        if (colon == std::string_view::npos)
            return;
        std::string_view key = text.substr(0, colon);
        const std::string_view value = text.substr(colon + 2);
        const auto number = measured(value);
        if (!number)
            return;
        if (!isTraining) {
            m_held.add(key, value);
            return;
        }
        key.remove_prefix(std::string_view("Train ").size());
        if (key == "time/train")
            m_held.setElapsed(number->number * kSecondsOfHour);
        else if (key == "throughput/batches_per_sec" && number->number > 0.0)
            m_held.setSeconds(1.0 / number->number);
        else if (key.starts_with("lr-"))
            key = "lr";
        m_held.add(key, value);
    }

    HeldStep m_held;
    std::optional<LogStamp> m_stamp; // the last line's with one
};

// "Epoch: 0 | Step: 84 | PPO Epoch: 1 | Actor Loss: 0.02 | Critic Loss: 0.01 | Unsupervised Loss:
// 0.0", in older ones "epoch: 0|step: 84|ppo_ep: 1|act_loss: 0.02|…"; then "End-to-End => Latency:
// 7.24s, TFLOPs: 22.48, Samples/sec: 4.42, …, Batch Size: 32, Total Seq. Length: 512"; before it,
// of the hybrid engine, "|E2E latency=7.24s |… |CurSamplesPerSec=4.42 |AvgSamplesPerSec=4.4".
// Supervised: "Epoch: 0, Step: 1, Rank: 0, loss = 2.42", then "Model Parameters: 0.388 B,
// Latency: 2.08s, …". Steps are counted anew in each epoch.
class DeepSpeedChatReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        std::string_view text = line.rest;
        if (line.stamp)
            m_stamp = line.stamp;
        if (text.starts_with("Time: ")) {
            std::string_view time = text.substr(std::string_view("Time: ").size());
            if (const auto stamp = takeStamp(time))
                m_stamp = stamp;
        }
        if (const std::size_t at = findLosses(text); at != std::string_view::npos)
            return readLosses(line, text.substr(at), step);
        if (text.starts_with("|E2E latency="))
            return readEngine(text);
        if (!m_held.isOpen() && !m_hasTold)
            return false;
        if (text.starts_with("End-to-End => ") || text.starts_with("Model Parameters: "))
            return readTotals(text, step);
        if (text.starts_with("Generation => ") || text.starts_with("Training "))
            return readPart(text, step);
        return readReward(text, step);
    }

    bool finish(StepLine& step) override { return m_held.tell(step); }

    void readSetting(const LineHead& line, launch::Settings& settings) override {
        const std::string_view text = line.rest;
        if (!text.starts_with("End-to-End => ") && !text.starts_with("Model Parameters: "))
            return;
        setSetting(settings, "global_batch_size", behind(text, "Batch Size: ", ","));
        std::string_view length = behind(text, "Seq. Length: ", ",");
        if (length.empty())
            length = behind(text, "Sequence Length: ", ",");
        setSetting(settings, "seq_length", length);
    }

private:
    static std::size_t findLosses(std::string_view text) {
        const std::size_t at = std::min({text.find("Epoch: "), text.find("epoch: "), text.size()});
        const std::string_view found = text.substr(at);
        const bool isLine = (found.find("Step: ") != std::string_view::npos
                                || found.find("step: ") != std::string_view::npos)
            && (found.find("oss = ") != std::string_view::npos
                || found.find("Loss: ") != std::string_view::npos
                || found.find("_loss: ") != std::string_view::npos);
        return isLine ? at : std::string_view::npos;
    }

    bool readLosses(const LineHead& line, std::string_view text, StepLine& step) {
        std::vector<LoggedValue> values;
        if (text.find('|') != std::string_view::npos)
            readBars(text, values);
        else
            readCommas(text, values);
        std::optional<std::int64_t> epoch;
        std::optional<std::int64_t> index;
        std::string_view rank;
        for (const LoggedValue& value : values) {
            std::string_view number = value.text;
            if (equalsIgnoringCase(value.key, "epoch"))
                epoch = takeIndex(number);
            else if (equalsIgnoringCase(value.key, "step"))
                index = takeIndex(number);
            else if (equalsIgnoringCase(value.key, "rank"))
                rank = value.text;
        }
        if (!index || !isSpeaking(rank))
            return false;
        const bool isTold = m_held.tell(step);
        m_held.begin(line, numberOf(epoch.value_or(0), *index), m_stamp);
        m_held.setSeconds(std::exchange(m_engineSeconds, std::nullopt));
        if (const std::string rate = std::exchange(m_engineRate, {}); !rate.empty())
            m_held.add("samples/sec", rate);
        for (const LoggedValue& value : values) {
            if (measured(value.text) && !equalsIgnoringCase(value.key, "rank")
                && !equalsIgnoringCase(value.key, "step"))
                m_held.add(value.key, value.text);
        }
        return isTold;
    }

    // The lines of rank 0, else those of the rank that was first.
    bool isSpeaking(std::string_view rank) {
        if (!m_rank || (rank == "0" && *m_rank != "0")) {
            m_rank = std::string(rank);
            m_held.drop();
        }
        return rank == *m_rank;
    }

    std::int64_t numberOf(std::int64_t epoch, std::int64_t index) {
        if (m_last && epoch > m_epoch && m_before + index <= *m_last)
            m_before = *m_last + 1 - index;
        m_epoch = epoch;
        m_last = m_before + index;
        return *m_last;
    }

    bool readTotals(std::string_view text, StepLine& step) {
        if (!m_held.isOpen())
            return false;
        if (text.starts_with("End-to-End => "))
            text.remove_prefix(std::string_view("End-to-End => ").size());
        std::vector<LoggedValue> values;
        readCommas(text, values);
        for (const LoggedValue& value : values) {
            if (value.key == "Latency")
                m_held.setSeconds(secondsIn("latency", value.text));
            else if (value.key == "Batch Size")
                m_held.add("global batch size", value.text);
            else if (value.key == "TFLOPs" || value.key == "Samples/sec")
                m_held.add(value.key, value.text);
        }
        m_hasTold = true;
        return m_held.tell(step);
    }

    // Times of the iteration whose losses come behind this line.
    bool readEngine(std::string_view text) {
        m_engineSeconds = secondsIn("latency", trimmed(behind(text, "E2E latency=", "|")));
        m_engineRate = trimmed(behind(text, "CurSamplesPerSec=", "|"));
        return false;
    }

    // "Generation => Latency: 5.35s, Per-token Latency 20.91 ms, …": of the iteration before.
    bool readPart(std::string_view text, StepLine& step) {
        const bool isGeneration = text.starts_with("Generation");
        const std::string_view latency = behind(text, "=> Latency: ", ",");
        return !latency.empty()
            && take(isGeneration ? "generation latency" : "training latency", latency, step);
    }

    bool readReward(std::string_view text, StepLine& step) {
        constexpr std::string_view kReward = "verage reward score: ";
        const std::size_t at = text.find(kReward);
        return at <= 1 && take("average reward score", behind(text, kReward, " |"), step);
    }

    // A value of the iteration that is held, else of the one before.
    bool take(std::string_view key, std::string_view text, StepLine& step) {
        if (m_held.isOpen()) {
            m_held.add(key, text);
            return false;
        }
        step.values.push_back({key, text});
        step.kind = StepLine::Kind::Values;
        step.index = m_last.value_or(0);
        return true;
    }

    HeldStep m_held;
    std::optional<LogStamp> m_stamp;
    std::optional<std::string> m_rank; // the one that speaks
    std::optional<std::int64_t> m_last;
    std::int64_t m_epoch = 0;
    std::int64_t m_before = 0; // steps of the epochs before
    bool m_hasTold = false; // times stand in this log
    std::optional<double> m_engineSeconds;
    std::string m_engineRate;
};

} // namespace

std::unique_ptr<DialectReader> composerReader() {
    return std::make_unique<ComposerReader>();
}

std::unique_ptr<DialectReader> deepSpeedChatReader() {
    return std::make_unique<DeepSpeedChatReader>();
}

} // namespace trainscope::importers::trainlog
