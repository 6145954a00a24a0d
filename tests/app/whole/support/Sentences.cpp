#include "app/whole/support/Sentences.h"

#include "core/analysis/findings/Findings.h"
#include "core/analysis/overview/Overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace trainscope::test {

namespace {

using Values = std::map<std::string, double>;
// The values that each sentence shows, by rule or topic; others are for whoever reads the numbers.
using ShownValues = std::map<std::string, std::set<std::string>, std::less<>>;

const ShownValues& shownByFindings() {
    static const ShownValues kShown{{"front_rear_gradient", {"gradient_c", "front_c", "rear_c"}},
        {"throttling", {"fraction", "lost_fraction"}},
        {"above_power_limit", {"limit_w", "share", "seconds", "highest_w"}},
        {"power_swing", {"amplitude_w", "frequency_hz", "fraction", "mean_w"}},
        {"stage_power", {"stage_w", "others_w", "excess"}}, {"idle_gpu", {"fraction"}},
        {"host_bound", {"fraction"}}, {"gpu_copies", {"fraction"}},
        {"exposed_communication", {"fraction"}}, {"pipeline_bubbles", {"fraction"}},
        {"low_coverage", {"coverage", "least_coverage", "energy_j"}},
        {"averaging_sensor", {"averaging_s", "update_s", "iteration_s"}}, {"warmup", {"share"}},
        {"missing_samples", {"share"}}, {"small_kernels", {"fraction"}},
        {"slow_operators", {"fraction"}}, {"recomputation", {"fraction"}},
        {"hidden_copies", {"fraction"}}, {"launch_bound", {"fraction", "host_s", "work_s"}},
        {"implausible_mfu", {"mfu", "step_time_s"}}};
    return kShown;
}
const ShownValues& shownByOverview() {
    static const ShownValues kShown{{"time", {"busy_share", "utilization", "step_time_s"}},
        {"energy",
            {"energy_j", "mean_power_w", "energy_per_step_j", "traced_energy_j", "node_energy_j"}},
        {"heat", {"peak_temperature_c", "throttled_share"}}, {"limit", {"limit_w", "highest_w"}},
        {"ranks", {"wait_s", "wait_share", "caused_wait_s", "median_clock_hz"}},
        {"change", {"step_time_s", "step_time_before_s", "mean_power_w", "mean_power_before_w"}}};
    return kShown;
}

std::string unitOfValue(const std::string& name) {
    static const std::map<std::string, std::string> kUnits{
        {"_j", "J"}, {"_w", "W"}, {"_s", "s"}, {"_c", "°C"}, {"_hz", "Hz"}};
    const auto found = kUnits.find(name.substr(std::min(name.size(), name.rfind('_'))));
    return found != kUnits.end() ? found->second : name == "seconds" ? "s" : "1";
}

void check(const std::string& run, std::string_view about, const std::string& text,
    const Values& values, const ShownValues& shown, std::vector<std::string>& wrong) {
    constexpr double kNever = 0.0005; // share of the time: said in words
    const auto wanted = shown.find(about);
    if (wanted == shown.end())
        return;
    const auto numbers = numbersIn(text);
    for (const auto& [name, value] : values) {
        if (!wanted->second.contains(name) || (name == "throttled_share" && value < kNever))
            continue;
        const std::string unit = unitOfValue(name);
        const bool isThere = std::any_of(
            numbers.begin(), numbers.end(), [&, value = value](const TextNumber& number) {
                return number.unit == unit && agree(value, 0.0, number.value, number.step);
            });
        if (!isThere)
            wrong.push_back(fmt::format("{}, {}: '{}' does not show its {} of {:.6g} {}", run,
                about, text, name, value, unit));
    }
}

} // namespace

std::vector<std::string> wrongSentences(const AskedRun& asked) {
    std::vector<std::string> wrong;
    const std::string& run = asked.run.name;
    const auto overview = analysis::overviewOf(asked.studies, asked.run);
    if (overview.hasValue()) {
        for (const auto& told : overview.value().sentences)
            check(run, toString(told.topic), told.text, told.values, shownByOverview(), wrong);
    }
    const auto findings = analysis::findingsOf(asked.studies.of(asked.run));
    if (findings.hasValue()) {
        for (const auto& told : findings.value())
            check(run, told.rule, told.text, told.values, shownByFindings(), wrong);
    }
    return wrong;
}

} // namespace trainscope::test
