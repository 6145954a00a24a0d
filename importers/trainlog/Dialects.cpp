#include "importers/trainlog/Dialect.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "importers/trainlog/KeyTable.h"
#include "importers/trainlog/StepLine.h"

#include <system_error>

namespace trainscope::importers::trainlog {

namespace {

void skipSpace(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word))
        return false;
    text.remove_prefix(word.size());
    return true;
}

bool hasTraining(const StepLine& step) {
    return std::any_of(step.values.begin(), step.values.end(), [](const LoggedValue& value) {
        return findKey(value.key) != nullptr && measured(value.text);
    });
}

// "[samples/sec: 25.6 |] iteration 25/ 1000 | consumed samples: … | lm loss: …".
class MegatronReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        std::string_view text = line.rest;
        if (!text.starts_with("iteration") && !text.starts_with("samples/sec:"))
            return false;
        const std::size_t at = text.find("iteration");
        if (at == std::string_view::npos)
            return false;
        const std::string_view before = text.substr(0, at);
        text.remove_prefix(at + std::string_view("iteration").size());
        if (!takeIndex(text, step) || !text.starts_with('/'))
            return false;
        skipTotal(text);
        skipSpace(text);
        if (!take(text, "|"))
            return false;
        readBars(before, step.values);
        readBars(text, step.values);
        return hasTraining(step);
    }
};

// "Training epoch 0, iteration 9/99 | lr: 2.9e-06 | global_step: 9 | reduced_train_loss: 11.03".
class NemoReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        std::string_view text = line.rest;
        if (!take(text, "Training epoch") || !takeIndex(text) || !take(text, ", iteration"))
            return false;
        if (!takeIndex(text, step))
            return false;
        skipTotal(text);
        skipSpace(text);
        if (!take(text, "|"))
            return false;
        readBars(text, step.values);
        for (const LoggedValue& value : step.values) {
            if (value.key == "global_step")
                step.index = indexIn(value.text).value_or(step.index);
        }
        return hasTraining(step);
    }
};

// torchtitan's "step: 10  loss:  7.86752  grad_norm: 28.1", modded-nanogpt's "step:1/1750
// train_time:123ms step_avg:98.7ms", whose validations are lines of their own.
class WordsReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        std::string_view text = line.rest;
        if (!take(text, "step:") || !takeIndex(text, step))
            return false;
        skipTotal(text);
        readWords(text, step.values);
        const bool isValidation = std::any_of(step.values.begin(), step.values.end(),
            [](const LoggedValue& value) { return value.key.starts_with("val"); });
        if (isValidation)
            step.kind = StepLine::Kind::Values;
        return hasTraining(step);
    }

    void readSetting(const LineHead& line, launch::Settings& settings) override {
        const std::string_view text = line.rest;
        if (text.starts_with("Building device mesh"))
            readMesh(text, settings);
        else if (text.starts_with("Trainer is initialized"))
            readTrainer(text, settings);
        else if (const auto model = behind(text, "Building ", "\n");
                 !model.empty() && text.starts_with("Building "))
            setSetting(settings, "model_name", model);
    }

private:
    static void readMesh(std::string_view text, launch::Settings& settings) {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kDegrees{
            {{" pp=", "pipeline_model_parallel_size"}, {" cp=", "context_parallel_size"},
                {" tp=", "tensor_parallel_size"}, {" ep=", "expert_model_parallel_size"}}};
        for (const auto& [mark, key] : kDegrees)
            setSetting(settings, key, behind(text, mark, ", "));
        const auto replicas = measured(behind(text, "dp_replicate=", ", "));
        const auto shards = measured(behind(text, "dp_shard=", ", "));
        if (replicas && shards) {
            setWhole(settings, "data_parallel_size", replicas->number * shards->number);
            setSetting(settings, "fsdp", shards->number > 1.0 ? "true" : "false");
        }
    }

    static void readTrainer(std::string_view text, launch::Settings& settings) {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kBatch{
            {{"local batch size ", "micro_batch_size"}, {"global batch size ", "global_batch_size"},
                {"gradient accumulation steps ", "gradient_accumulation_steps"},
                {"sequence length ", "seq_length"}, {"total steps ", "train_iters"}}};
        for (const auto& [mark, key] : kBatch)
            setSetting(settings, key, behind(text, mark, ", ("));
    }
};

// verl: "step:10 - actor/pg_loss:0.018 - actor/lr:1e-06 - timing_s/step:43.2 -
// perf/throughput:524", numbers of newer ones as "np.float64(0.018)"; validations stand among them
// or alone. Its supervised trainer names "train/loss" and "train/lr(1e-3)".
class VerlReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        std::string_view text = line.rest;
        if (!take(text, "step:") || !takeIndex(text, step) || !text.starts_with(" - "))
            return false;
        bool isValidation = true;
        while (take(text, " - ")) {
            const std::string_view part = text.substr(0, text.find(" - "));
            text.remove_prefix(part.size());
            readPart(part, step);
            isValidation = isValidation && part.starts_with("val");
        }
        if (isValidation)
            step.kind = StepLine::Kind::Values;
        return isValidation ? !step.values.empty() : hasTraining(step);
    }

private:
    static void readPart(std::string_view part, StepLine& step) {
        const std::size_t colon = part.rfind(':');
        if (colon == std::string_view::npos)
            return;
        std::string_view key = part.substr(0, colon);
        std::string_view value = part.substr(colon + 1);
        if (value.ends_with(')'))
            value = behind(value, "(", ")");
        if (!measured(value))
            return;
        take(key, "train/");
        step.values.push_back({key, value});
    }
};

// torchtune's file, "Step 10 | loss:1.23 lr:2e-05 tokens_per_second_per_gpu:9077", and its bar:
// "1|10|Loss: 1.23: 10%|█ | 10/100 [00:10<01:30, 1.0s/it]".
class TorchtuneReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        std::string_view text = line.rest;
        if (take(text, "Step ")) {
            const bool hasIndex = takeIndex(text, step);
            skipSpace(text);
            if (!hasIndex || !take(text, "|"))
                return false;
            readWords(text, step.values);
            return hasTraining(step);
        }
        return readBar(text, step);
    }

private:
    static bool readBar(std::string_view text, StepLine& step) {
        if (text.empty() || !isDigit(text.front()) || !takeIndex(text) || !take(text, "|"))
            return false;
        if (!takeIndex(text, step) || !take(text, "|Loss: "))
            return false;
        const auto bar = progressBarIn(text);
        const std::string_view loss = text.substr(0, text.find(':'));
        if (!bar || !measured(loss))
            return false;
        step.elapsedS = bar->elapsedS;
        step.secondsEach = bar->secondsEach;
        step.values.push_back({"loss", loss});
        return true;
    }
};

// MaxText: "completed step: 10, seconds: 13.360, TFLOP/s/device: 305.127, Tokens/s/device:
// 3679.158, total_weights: 12582912, loss: 10.565".
class MaxTextReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        constexpr std::string_view kMark = "completed step: ";
        const std::size_t at = line.whole.find(kMark);
        if (at == std::string_view::npos)
            return false;
        std::string_view text = line.whole.substr(at + kMark.size());
        if (!takeIndex(text, step) || !take(text, ", "))
            return false;
        readCommas(text, step.values);
        for (LoggedValue& value : step.values) {
            if (value.key == "seconds")
                value.key = "step_time";
        }
        return hasTraining(step);
    }

    void readSetting(const LineHead& line, launch::Settings& settings) override {
        setSetting(settings, "world_size", behind(line.whole, "Num_devices: ", ", "));
    }
};

// nanochat's "step 00001/16704 (0.01%) | loss: 10.75 | dt: 629.00ms", llm.c's "step 10/19560 | loss
// 9.12 (+0.1z)| norm 1.2 | 123.4 ms", and lines like them.
class BarsReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        std::string_view text = line.rest;
        if (text.starts_with("Step ") && text.find("| Validation") != std::string_view::npos)
            return readValidation(text, step);
        if (!take(text, "step ") || !takeIndex(text, step))
            return false;
        skipTotal(text);
        skipSpace(text);
        if (text.starts_with('('))
            text.remove_prefix(std::min(text.find(')'), text.size() - 1) + 1);
        skipSpace(text);
        // nanoGPT: "step 100: train loss 2.3, val loss 2.4".
        if (take(text, ":")) {
            step.kind = StepLine::Kind::Pause;
            return text.find("val loss") != std::string_view::npos;
        }
        if (!take(text, "|"))
            return false;
        readBars(text, step.values);
        return hasTraining(step);
    }

    void readSetting(const LineHead& line, launch::Settings& settings) override {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kHeader{
            {{"num_layers: ", "num_layers"}, {"model_dim: ", "hidden_size"},
                {"num_heads: ", "num_attention_heads"}, {"head_dim: ", "head_dim"},
                {"num_kv_heads: ", "num_kv_heads"}, {"Vocab size: ", "vocab_size"},
                {"Distributed world size: ", "world_size"}}};
        for (const auto& [mark, key] : kHeader) {
            if (line.rest.starts_with(mark))
                setSetting(settings, key, behind(line.rest, mark, " "));
        }
        readBatch(line.rest, settings);
    }

private:
    static bool readValidation(std::string_view text, StepLine& step) {
        text.remove_prefix(std::string_view("Step ").size());
        if (!takeIndex(text, step))
            return false;
        step.kind = StepLine::Kind::Pause;
        readBars(text, step.values);
        return !step.values.empty();
    }

    // "Tokens / micro-batch / rank: 16 x 2048 = 32,768", "Total batch size 524,288 => …".
    void readBatch(std::string_view text, launch::Settings& settings) {
        constexpr std::string_view kMicro = "Tokens / micro-batch / rank: ";
        if (text.starts_with(kMicro)) {
            setSetting(settings, "micro_batch_size", behind(text, kMicro, " "));
            const auto length = behind(text, " x ", " ");
            setSetting(settings, "seq_length", length);
            if (const auto tokens = measured(length))
                m_sequence = tokens->number;
        }
        const auto total = measured(behind(text, "Total batch size ", " "));
        if (total && m_sequence > 0.0 && text.starts_with("Total batch size "))
            setWhole(settings, "global_batch_size", total->number / m_sequence);
        const auto steps = behind(text, "gradient accumulation steps: ", " ");
        if (!steps.empty() && text.starts_with("Total batch size "))
            setSetting(settings, "gradient_accumulation_steps", steps);
    }

    double m_sequence = 0.0; // tokens
};

// nanoGPT: "iter 100: loss 2.3345, time 123.45ms, mfu 12.34%". The time is that of this iteration
// alone, with the compilation or an evaluation in it; those since the last line took the usual one.
class NanoGptReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        std::string_view text = line.rest;
        if (!take(text, "iter ") || !takeIndex(text, step) || !take(text, ":"))
            return false;
        readCommas(text, step.values);
        if (!hasTraining(step))
            return false;
        step.secondsEach = secondsEach(step);
        return true;
    }

    void readSetting(const LineHead& line, launch::Settings& settings) override {
        if (line.rest.starts_with("tokens per iteration will be: "))
            setSetting(settings, "tokens_per_step",
                behind(line.rest, "tokens per iteration will be: ", " "));
    }

private:
    std::optional<double> secondsEach(const StepLine& step) {
        const auto time = std::ranges::find(step.values, "time", &LoggedValue::key);
        const auto own
            = time == step.values.end() ? std::nullopt : secondsIn(time->key, time->text);
        if (!own)
            return std::nullopt;
        const auto before = std::exchange(m_last, std::pair(step.index, *own));
        if (!before || step.index <= before->first)
            return own;
        const auto count = static_cast<double>(step.index - before->first);
        return (std::min(*own, before->second) * (count - 1.0) + *own) / count;
    }

    std::optional<std::pair<std::int64_t, double>> m_last; // iteration and its seconds
};

// DeepSpeed's engine: "step=10, skipped=0, lr=[1e-05, 1e-05], mom=[(0.9, 0.95)]", and of the same
// step "epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=71.0, CurrSamplesPerSec=71.1,
// MemAllocated=10.0GB, MaxMemAllocated=20.0GB". `skipped` counts from the start of the run.
class DeepSpeedReader final : public DialectReader {
public:
    bool readStep(const LineHead& line, StepLine& step) override {
        return readEngine(line.rest, step) || readTimer(line.rest, step);
    }

private:
    bool readEngine(std::string_view text, StepLine& step) {
        if (!take(text, "step=") || !takeIndex(text, step)
            || text.find("lr=") == std::string_view::npos)
            return false;
        add(step, "skipped_steps", behind(text, "skipped=", ", "));
        add(step, "learning_rate", behind(text, " lr=[", ",]"));
        m_hasEngine = true;
        return hasTraining(step);
    }
    bool readTimer(std::string_view text, StepLine& step) const {
        if (text.find("SamplesPerSec=") == std::string_view::npos)
            return false;
        std::string_view number = behind(text, "global_step=", ",");
        if (number.empty()) // older ones: "0/10, …"
            number = behind(text, "/", ",");
        if (!takeIndex(number, step))
            return false;
        if (m_hasEngine)
            step.kind = StepLine::Kind::Values;
        std::string_view rate = behind(text, "CurrSamplesPerSec=", ", ");
        if (rate.empty())
            rate = behind(text, " SamplesPerSec=", ", ");
        add(step, "samples_per_sec", rate);
        add(step, "mem_allocated", behind(text, " MemAllocated=", ", "));
        add(step, "max_mem_allocated", behind(text, " MaxMemAllocated=", ", "));
        return hasTraining(step);
    }
    static void add(StepLine& step, std::string_view key, std::string_view text) {
        if (!text.empty())
            step.values.push_back({key, text});
    }

    bool m_hasEngine = false; // lines of the engine mark the steps
};

template <typename Reader>
std::unique_ptr<DialectReader> make() {
    return std::make_unique<Reader>();
}

constexpr auto kDialects = std::to_array<Dialect>({
    {"mllog", "MLPerf (:::MLLOG)", ":::MLL", mllogReader, true, true},
    {"megatron", "Megatron-LM, Megatron-DeepSpeed, GPT-NeoX", "iteration", make<MegatronReader>},
    {"nemo", "NeMo", "Training epoch", make<NemoReader>},
    {"lightning", "Lightning's progress bar", "Epoch", progressBarReader},
    {"deepspeed", "DeepSpeed", "tep=", make<DeepSpeedReader>, true, false, true},
    {"deepspeed_chat", "DeepSpeed-Chat", "", deepSpeedChatReader},
    {"verl", "verl", "step:", make<VerlReader>},
    {"torchtune", "torchtune", "|", make<TorchtuneReader>},
    {"maxtext", "MaxText", "completed step: ", make<MaxTextReader>},
    {"composer", "Composer, LLM Foundry", "", composerReader},
    {"words", "torchtitan, modded-nanogpt", "step:", make<WordsReader>},
    {"bars", "nanochat, llm.c", "tep ", make<BarsReader>},
    {"nanogpt", "nanoGPT", "iter ", make<NanoGptReader>},
    {"pgolf", "parameter-golf", "train_", parameterGolfReader},
    {"huggingface", "Hugging Face Trainer", "", huggingFaceReader},
    {"jsonl", "JSON lines", "{", jsonLinesReader},
    {"table", "Lightning's metrics.csv and tables like it", "", tableReader},
    {"trainer_state", "Hugging Face trainer_state.json", "\"", trainerStateReader, false},
    {"script", "a script of its own", "", scriptReader, true, false, true, 3},
});

} // namespace

std::span<const Dialect> dialects() {
    return kDialects;
}

std::optional<std::int64_t> takeIndex(std::string_view& text) {
    std::string_view rest = text;
    skipSpace(rest);
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (problem != std::errc() || value < 0 || rest.front() == '-')
        return std::nullopt;
    text = rest.substr(static_cast<std::size_t>(end - rest.data()));
    return value;
}

bool takeIndex(std::string_view& text, StepLine& step) {
    const auto index = takeIndex(text);
    step.index = index.value_or(step.index);
    return index.has_value();
}

void skipTotal(std::string_view& text) {
    std::string_view rest = text;
    if (take(rest, "/") && takeIndex(rest))
        text = rest;
}

void setWhole(launch::Settings& settings, std::string_view key, double value) {
    if (const auto whole = wholeNumber<std::int64_t>(value))
        setSetting(settings, key, std::to_string(*whole));
}

void setSetting(launch::Settings& settings, std::string_view key, std::string_view value) {
    std::string text(trimmed(value));
    // Whole numbers with their thousands parted.
    const auto number = measured(text);
    if (number && text.find(',') != std::string::npos)
        std::erase(text, ',');
    if (!text.empty())
        settings.insert_or_assign(std::string(key), std::move(text));
}

std::string_view behind(std::string_view text, std::string_view mark, std::string_view ends) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos)
        return {};
    text.remove_prefix(at + mark.size());
    return text.substr(0, text.find_first_of(ends));
}

} // namespace trainscope::importers::trainlog
