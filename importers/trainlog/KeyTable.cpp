#include "importers/trainlog/KeyTable.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "importers/common/Cells.h"

#include <span>
#include <system_error>
#include <unordered_map>

namespace trainscope::importers::trainlog {

namespace {

constexpr double kTera = 1e12;
constexpr double kMilli = 1e-3;
constexpr double kPercent = 0.01;
constexpr std::size_t kLongestKey = 64; // among those in the table

using enum KeyRole;
// Keys in small letters, with '|' between them, that mean the same.
struct KeyGroup {
    KnownKey meaning;
    std::string_view keys;
};
constexpr auto kGroups = std::to_array<KeyGroup>({
    {{Value, metric::kLoss},
        "loss|lm loss|train_loss|loss train|train_loss_step|training_loss|"
        "total_loss|reduced_train_loss|loss/train/total|actor/pg_loss|actor loss|"
        "act_loss"},
    {{Value, metric::kGradNorm},
        "grad norm|gradient norm|actor/grad_norm|l2_norm/grad/global|gnorm|norm"},
    {{Value, metric::kLearningRate}, "learning rate|lr|current_lr|actor/lr"},
    {{Value, metric::kLearningRate, 1e-3}, "lr(1e-3)"},
    {{Value, metric::kLearningRate, 1e-4}, "actor/lr(1e-4)"},
    {{Value, metric::kSampleRate},
        "samples/s|throughput|train samples/s|throughput/samples/s|images/s|imgs/s|"
        "img/s|examples/s|sequences/s|seq/s|train_throughput"},
    {{Value, metric::kTokenRate}, "tok/s|tokens/s|throughput/tokens/s"},
    {{TokenRatePerGpu, metric::kTokenRate},
        "tokens_per_second_per_gpu|tokens per gpu/s|tokens/s/device|"
        "tokens_per_sec_per_gpu|interval_tokens_per_second_per_device|"
        "perf/throughput|tps|tokens per gpu per second (tgs)|tgs"},
    {{Value, metric::kReportedFlops, kTera},
        "throughput per gpu (tflop/s/gpu)|approx flops per gpu|gpu utilization|"
        "tflops|tflops_per_gpu|tflop/s/device"},
    {{Value, metric::kReportedFlops}, "throughput/device/flops/s"},
    {{Value, metric::kReportedMfu, kPercent},
        "mfu|mfu/actor|perf/mfu/actor|throughput/device/mfu|bf16_mfu"},
    {{StepSeconds, nullptr, kMilli},
        "elapsed time per iteration (ms)|elapsed time per iteration|step_time_ms|"
        "iteration_time_ms|batch_time_ms|dt_ms"},
    {{StepSeconds},
        "elapsed time per iteration (s)|train_step_timing in s|train_step_time|"
        "train_step_timing|timing_s/step|time(s)|perf/time_per_step|per_step_time|"
        "iter time (s)|iter time|step_time|step_time_s|iteration_time|"
        "time_per_step|time_per_iteration|time_per_iter|time/iter|batch_time|"
        "avg_batch_cost|s/it|s/iter|sec/iter|dt|time"},
    {{StepRate}, "it/s|its/s|iter/s|iters/s|iterations/s|step/s|steps/s|interval steps/s"},
    {{Elapsed}, "train_time|elapsed|elapsed_s|elapsed_seconds|elapsed_time|_runtime"},
    {{Elapsed, nullptr, kMilli}, "elapsed_ms"},
    {{GlobalBatch}, "global batch size"},
    {{Skipped}, "number of skipped iterations"},
    {{Ignored},
        "total time|eta|remaining_time|total_steps|percentage|step_avg|step|"
        "iteration|global_step|v_num|training/global_step|time/batch|"
        "time/batch_in_epoch|time/remaining_estimate|throughput/batches/s"},
});

struct Unit {
    std::string_view texts; // in lower case, with '|' between them
    double scale = 1.0;
    std::string_view si;
};
constexpr auto kUnits = std::to_array<Unit>({
    {"ms", kMilli, "s"},
    {"s|sec", 1.0, "s"},
    {"us", 1e-6, "s"},
    {"m|min", 60.0, "s"},
    {"h", 3600.0, "s"},
    {"%", kPercent, "1"},
    {"tflops|tflop/s|tflop/s/gpu|model_tflop/s/gpu", kTera, "FLOP/s"},
    {"pflops", 1e15, "FLOP/s"},
    {"gib", 1024.0 * 1024.0 * 1024.0, "B"},
    {"mib", 1024.0 * 1024.0, "B"},
    {"gb", 1e9, "B"},
    {"mb", 1e6, "B"},
    {"w", 1.0, "W"},
    {"j", 1.0, "J"},
});

const Unit* findUnit(std::string_view text) {
    const auto found = std::find_if(kUnits.begin(), kUnits.end(),
        [text](const Unit& unit) { return isOneOf(text, unit.texts); });
    return found == kUnits.end() ? nullptr : &*found;
}

// "energy per GPU (J/iter/GPU)" → "J/iter/GPU".
std::string_view unitInKey(std::string_view key) {
    const std::size_t open = key.rfind('(');
    if (open == std::string_view::npos || !key.ends_with(')'))
        return {};
    const std::string_view inside = key.substr(open + 1, key.size() - open - 2);
    return inside.substr(0, inside.find('/'));
}

// "number of nan iterations" → "number_of_nan_iterations".
std::string ownName(std::string_view key) {
    std::string name;
    for (const char c : key.substr(0, key.find(" ("))) {
        const char low = lowerChar(c);
        const bool isPlain = isDigit(low) || (low >= 'a' && low <= 'z');
        if (isPlain)
            name += low;
        else if (!name.empty() && name.back() != '_')
            name += '_';
    }
    while (name.ends_with('_'))
        name.pop_back();
    return name;
}

KeyMeaning ownMetric(std::string_view key, std::string_view unit) {
    KeyMeaning meaning;
    const Unit* known = findUnit(unit);
    if (known == nullptr)
        known = findUnit(unitInKey(key));
    std::string name = ownName(key);
    // A key that happens to be called like a metric of GPUs is not that metric.
    if (findMetric(name) != nullptr)
        name = "logged_" + name;
    meaning.metric = {std::move(name), std::string(known == nullptr ? "1" : known->si),
        MetricKind::Gauge, std::string(key)};
    meaning.scale = known == nullptr ? 1.0 : known->scale;
    return meaning;
}

bool isOfMetric(std::string_view key, std::string_view metric) {
    const KnownKey* known = findKey(key);
    return known != nullptr && known->metric != nullptr && known->metric == metric;
}

// Words in small letters with one blank between them, so that "lm-loss", "LM loss" and "lm_loss"
// are one key, and so are "tokens per second", "tokens_per_sec" and "tokens/s". Writes as many
// bytes as the key has, or fewer.
std::string_view wordsOf(std::string_view key, std::span<char, kLongestKey> into) {
    std::size_t size = 0;
    for (const char c : key) {
        const bool parts = c == '-' || c == '_' || c == ' ';
        if (parts && (size == 0 || into[size - 1] == ' '))
            continue;
        into[size++] = parts ? ' ' : lowerChar(c);
    }
    while (size > 0 && into[size - 1] == ' ')
        --size;
    for (const std::string_view rate : {" per second", " per sec", "/second", "/sec"}) {
        if (!std::string_view(into.data(), size).ends_with(rate))
            continue;
        size -= rate.size();
        into[size++] = '/';
        into[size++] = 's';
    }
    return {into.data(), size};
}

using KeysByWords = std::unordered_map<std::string, KnownKey, TextHash, std::equal_to<>>;

// All keys, and those of times with their unit behind: "step_time_ms", "Time (s)".
KeysByWords keysByWords() {
    struct Behind {
        std::string_view text;
        double scale;
    };
    constexpr std::array<Behind, 13> kBehind{Behind{" ms", kMilli}, {" (ms)", kMilli},
        {"(ms)", kMilli}, {" [ms]", kMilli}, {"[ms]", kMilli}, {" [s]", 1.0}, {"[s]", 1.0},
        {" s", 1.0}, {" (s)", 1.0}, {"(s)", 1.0}, {" sec", 1.0}, {" (sec)", 1.0},
        {" seconds", 1.0}};
    std::array<char, kLongestKey> plain;
    KeysByWords made;
    for (const KeyGroup& group : kGroups) {
        for (const std::string_view key : words(group.keys, "|"))
            made.emplace(wordsOf(key, plain), group.meaning);
    }
    for (const KeyGroup& group : kGroups) {
        if (group.meaning.role != StepSeconds && group.meaning.role != Elapsed)
            continue;
        for (const std::string_view key : words(group.keys, "|")) {
            for (const Behind& unit : kBehind) {
                KnownKey with = group.meaning;
                with.scale = unit.scale;
                made.try_emplace(std::string(wordsOf(key, plain)).append(unit.text), with);
            }
        }
    }
    return made;
}

// "0:10:20", "1 day, 2:03:04": hours, minutes and seconds.
std::optional<double> clockSpan(std::string_view text) {
    double days = 0.0;
    if (const std::size_t day = text.find(" day"); day != std::string_view::npos) {
        const auto [end, problem] = std::from_chars(text.data(), text.data() + day, days);
        const std::size_t comma = text.find(", ", day);
        if (problem != std::errc() || end != text.data() + day || comma == std::string_view::npos)
            return std::nullopt;
        text.remove_prefix(comma + 2);
    }
    const auto parts = words(text, ":");
    if (parts.size() != 3 || std::count(text.begin(), text.end(), ':') != 2)
        return std::nullopt;
    double seconds = 0.0;
    for (const std::string_view part : parts) {
        double number = 0.0;
        const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), number);
        const bool isWhole = problem == std::errc() && end == part.data() + part.size();
        if (!isWhole || number < 0.0 || (part.data() != parts[0].data() && number >= 60.0))
            return std::nullopt;
        seconds = seconds * 60.0 + number;
    }
    constexpr double kSecondsOfDay = 86'400.0;
    return seconds + days * kSecondsOfDay;
}

// The factor that the letter behind a number stands for ("4.71K", "3.41M", "1.2B", "12K/s"); 1
// where there is none; a small m is a minute.
double thousandsIn(std::string_view behind) {
    constexpr std::string_view kLetters = "kKMGBT";
    constexpr std::array kScales{1e3, 1e3, 1e6, 1e9, 1e9, kTera};
    const std::size_t at = behind.empty() ? behind.npos : kLetters.find(behind.front());
    const bool standsAlone
        = behind.size() < 2 || std::string_view(" /(,|").find(behind[1]) != behind.npos;
    return at != behind.npos && standsAlone ? kScales[at] : 1.0;
}

} // namespace

const KnownKey* findKey(std::string_view key) {
    static const KeysByWords table = keysByWords();
    std::array<char, kLongestKey> plain;
    if (key.size() > plain.size())
        return nullptr;
    const auto found = table.find(wordsOf(key, plain));
    return found == table.end() ? nullptr : &found->second;
}

bool isLoss(std::string_view key) {
    return isOfMetric(key, metric::kLoss);
}

bool isMfu(std::string_view key) {
    return isOfMetric(key, metric::kReportedMfu);
}

KeyMeaning meaningOf(std::string_view key, std::string_view unit) {
    const KnownKey* found = findKey(key);
    if (found == nullptr)
        return ownMetric(key, unit);
    KeyMeaning meaning;
    meaning.role = found->role;
    meaning.isKnown = true;
    if (found->metric != nullptr)
        meaning.metric = *findMetric(found->metric);
    const Unit* known = findUnit(unit);
    meaning.scale = known == nullptr ? found->scale : known->scale;
    return meaning;
}

std::optional<Measured> measured(std::string_view text) {
    text = trimmed(text);
    if (text.find(':') != std::string_view::npos) {
        const auto seconds = clockSpan(text);
        return seconds ? std::optional(Measured{*seconds, "s"}) : std::nullopt;
    }
    if (text.starts_with('+'))
        text.remove_prefix(1);
    Measured result;
    const auto [end, problem]
        = std::from_chars(text.data(), text.data() + text.size(), result.number);
    if (problem != std::errc())
        return std::nullopt;
    std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
    // Thousands are parted by commas, three digits each.
    while (rest.size() >= 4 && rest[0] == ',' && isDigit(rest[1]) && isDigit(rest[2])
        && isDigit(rest[3]) && (rest.size() == 4 || !isDigit(rest[4]))) {
        double group = 0.0;
        const auto parsed = std::from_chars(rest.data() + 1, rest.data() + rest.size(), group);
        result.number = result.number * 1000.0 + group;
        rest.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest.data()));
    }
    if (const double scale = thousandsIn(rest); scale > 1.0) {
        result.number *= scale;
        rest.remove_prefix(1);
    }
    if (rest.starts_with(' '))
        rest.remove_prefix(1);
    result.unit = rest.substr(0, rest.find_first_of(" (,|"));
    return result;
}

std::optional<std::int64_t> indexIn(std::string_view text) {
    constexpr double kMost = 9e15; // as doubles count without gaps
    const auto value = measured(text);
    return value && std::abs(value->number) < kMost ? wholeNumber<std::int64_t>(value->number)
                                                    : std::nullopt;
}

std::optional<double> secondsIn(std::string_view key, std::string_view text) {
    const auto value = measured(text);
    if (!value)
        return std::nullopt;
    const Unit* unit = findUnit(value->unit);
    const KnownKey* known = findKey(key);
    return value->number * (unit != nullptr ? unit->scale : known != nullptr ? known->scale : 1.0);
}

} // namespace trainscope::importers::trainlog
