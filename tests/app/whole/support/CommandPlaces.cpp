// The command line, asked for JSON.
#include "app/cli/support/RunCli.h"
#include "app/whole/support/Places.h"
#include "core/analysis/comparison/RunQuantities.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/traces/KernelCategory.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <regex>

namespace trainscope::test {

namespace {

using Json = nlohmann::json;

Json jsonOf(const AskedRun& asked, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, {asked.database});
    arguments.emplace_back("--json");
    return runCli(arguments).json();
}
Json ofRun(const AskedRun& asked, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--run", asked.run.name});
    return jsonOf(asked, std::move(arguments));
}

// One subject in one window.
struct Shown {
    PlaceNumbers& numbers;
    std::string subject;
    std::string window;

    void add(const std::string& key, const Json& json, const std::string& pointer,
        double factor = 1.0) const {
        const Json::json_pointer at(pointer);
        if (json.contains(at) && json[at].is_number())
            numbers.add(subject, window, key, json[at].get<double>() * factor);
    }
    // All numbers of an object, under "PREFIX.NAME".
    void addAll(const std::string& prefix, const Json& object) const {
        for (const auto& [name, value] : object.items()) {
            if (value.is_number())
                numbers.add(subject, window, prefix + name, value.get<double>());
        }
    }
};

constexpr const char* kStatistics[]{"mean", "min", "max", "p50", "p99", "total", "first", "last",
    "intra_node_std", "inter_node_std"};

void addMetrics(const Json& metrics, const Shown& shown) {
    for (const auto& [name, metric] : metrics.items()) {
        for (const char* statistic : kStatistics)
            shown.add(name + "." + statistic, metric, std::string("/") + statistic);
        if (metric.contains("shares"))
            shown.addAll(name + ".share.", metric["shares"]);
    }
}

// The part that summary and compare have in common.
void addTelemetry(const Json& run, const Shown& shown) {
    shown.add("duration_s", run, "/duration_s");
    shown.add("energy_j", run, "/energy_j");
    shown.add("energy_coverage", run, "/energy_coverage");
    shown.add("gpu_count", run, "/gpu_count");
    addMetrics(run["metrics"], shown);
    for (const Json& gpu : run["gpus"]) {
        const Shown ofGpu{
            shown.numbers, rankOf(shown.subject, gpu.value("rank", -1)), shown.window};
        ofGpu.add("energy_j", gpu, "/energy_j");
        ofGpu.add("throttled_fraction", gpu, "/throttle_fraction");
        if (gpu.contains("metrics"))
            addMetrics(gpu["metrics"], ofGpu);
    }
}

void addEfficiency(const Json& efficiency, const Shown& shown) {
    for (const char* key : {"step_time_s", "samples_per_s", "tokens_per_s", "tokens_per_s_per_gpu",
             "tokens_per_j", "energy_per_step_j", "mfu"})
        shown.add(key, efficiency, std::string("/") + key);
    shown.add("flops_per_gpu", efficiency, "/tflops_per_gpu", 1e12);
}

void addTracedEnergy(const Json& run, const Shown& shown) {
    shown.add("traced_energy_j", run, "/energy_attribution/energy_j");
    for (const char* by : {"energy_by_phase", "energy_by_category", "energy_by_collective",
             "energy_by_stage", "energy_by_capture"}) {
        if (run.contains(by))
            shown.addAll(std::string(by) + ".", run[by]);
    }
    if (!run.contains("energy_attribution"))
        return;
    for (const Json& gpu : run["energy_attribution"]["gpus"]) {
        const Shown ofGpu{shown.numbers, rankOf(shown.subject, gpu["rank"]), shown.window};
        ofGpu.add("traced_energy_j", gpu, "/energy_j");
    }
}

// The iterations that count, as the steps that a step time is told of.
void addIterations(const Json& run, const Shown& shown) {
    std::vector<double> seconds;
    const Json* first = nullptr;
    const Json* last = nullptr;
    for (const Json& one : run["iterations"]) {
        if (one["warmup"].get<bool>())
            continue;
        seconds.push_back(one["duration_s"]);
        first = first == nullptr ? &one : first;
        last = &one;
    }
    if (seconds.size() < 2 || run["iteration_basis"]["basis"] != "recorded")
        return;
    shown.numbers.add(shown.subject,
        fmt::format("iterations {} to {}", (*first)["index"].get<std::int64_t>(),
            (*last)["index"].get<std::int64_t>()),
        "step_time_s", analysis::medianOf(seconds));
}

// One reason to throttle alone has the share of throttling.
void addThrottlingReason(const Json& run, const Shown& shown) {
    const Json shares
        = run.value(Json::json_pointer("/metrics/throttle_reasons/shares"), Json::object());
    std::vector<double> found;
    for (const char* reason : {"sw_power_cap", "hw_slowdown", "sw_thermal_slowdown",
             "hw_thermal_slowdown", "hw_power_brake"}) {
        if (shares.contains(reason))
            found.push_back(shares[reason]);
    }
    if (found.size() == 1)
        shown.numbers.add(shown.subject, shown.window, "throttled_fraction", found.front());
}

void addSummary(const Json& run, const AskedRun& asked, const std::string& window,
    const std::string& traced, PlaceNumbers& numbers) {
    const Shown shown{numbers, asked.run.name, window};
    addTelemetry(run, shown);
    shown.add("throttled_fraction", run, "/throttle/fraction");
    addThrottlingReason(run, shown);
    shown.add("lost_gpu_s", run, "/throttle/time_lost_s");
    if (run.contains("above_limit"))
        shown.addAll("above_limit.", run["above_limit"]);
    shown.add("peak_power_w", run, "/burst/peak_w");
    shown.add("peak_to_mean_power", run, "/burst/peak_to_mean");
    shown.add("p99_to_p50_power", run, "/burst/p99_to_p50");
    shown.add("max_power_ramp_w_per_s", run, "/burst/max_ramp_w_per_s");
    shown.add("power_swing_w", run, "/spectrum/0/amplitude_w");
    shown.add("power_swing_hz", run, "/spectrum/0/frequency_hz");
    shown.add("front_rear_gradient_c", run, "/front_rear_gradient_c");
    if (run.contains("efficiency"))
        addEfficiency(run["efficiency"],
            {numbers, asked.run.name, windowOf(run["efficiency"].value("step_window", ""))});
    // It divides by the energy of the window, not by that of the steps.
    shown.add("samples_per_s_per_mj", run, "/efficiency/samples_per_s_per_mj");
    addTracedEnergy(run, {numbers, asked.run.name, traced});
    addIterations(run, shown);
}

// Parts of the time of devices, summed, and as shares of it.
struct TracedSums {
    std::map<std::string, double> us;
    void add(const Json& times) {
        for (const char* part : {"window", "busy", "compute", "communication",
                 "exposed_communication", "overlap", "copy", "idle", "kernel_time"})
            us[part] += times.value(std::string(part) + "_us", 0.0);
    }
    void tell(const Shown& shown) const {
        const double window = us.at("window");
        for (const auto& [part, time] : us) {
            shown.numbers.add(shown.subject, shown.window,
                part == "window" ? "traced_s" : part + "_s", time * 1e-6);
            if (window > 0.0 && part != "window" && part != "kernel_time")
                shown.numbers.add(shown.subject, shown.window, part + "_fraction", time / window);
        }
    }
};

void addKernelTimes(const Json& ranks, const Shown& shown) {
    TracedSums all;
    double count = 0.0;
    std::map<std::string, std::pair<double, double>> kernels;
    std::map<std::string, std::pair<double, double>> categories;
    double hostBound = 0.0;
    std::map<int, TracedSums> byRank;
    for (const Json& device : ranks) {
        all.add(device);
        byRank[device["rank"]].add(device);
        count += device["kernel_count"].get<double>();
        hostBound += device.value(Json::json_pointer("/launch/host_bound_us"), 0.0);
        for (const Json& kernel : device["kernels"]) {
            auto& [calls, us] = kernels[kernel["name"]];
            calls += kernel["count"].get<double>();
            us += kernel["time_us"].get<double>();
        }
        for (const auto& [name, category] : device["categories"].items()) {
            auto& [calls, us] = categories[std::string(analysis::KernelCategories::label(name))];
            calls += category["count"].get<double>();
            us += category["time_us"].get<double>();
        }
    }
    all.tell(shown);
    shown.numbers.add(shown.subject, shown.window, "kernel_count", count);
    if (all.us.at("window") > 0.0)
        shown.numbers.add(
            shown.subject, shown.window, "host_bound_fraction", hostBound / all.us.at("window"));
    for (const auto& [rank, sums] : byRank)
        sums.tell({shown.numbers, rankOf(shown.subject, rank), shown.window});
    for (const auto& [part, totals] :
        {std::pair("kernel ", &kernels), std::pair("category ", &categories)}) {
        for (const auto& [name, sums] : *totals) {
            shown.numbers.add(
                shown.subject + ", " + part + name, shown.window, "count", sums.first);
            shown.numbers.add(
                shown.subject + ", " + part + name, shown.window, "time_s", sums.second * 1e-6);
        }
    }
}

// Several ranks together have an energy where it is known on all of them.
void addKernelEnergies(const Json& ranks, const Shown& shown) {
    std::map<std::string, std::optional<double>> sums{{shown.subject, 0.0}};
    const auto addTo = [&sums](const std::string& subject, const Json& part) {
        auto& sum = sums.try_emplace(subject, 0.0).first->second;
        if (!part.contains("energy_j"))
            sum.reset();
        else if (sum)
            *sum += part["energy_j"].get<double>();
    };
    for (const Json& device : ranks) {
        addTo(shown.subject, device);
        const Shown ofRank{shown.numbers, rankOf(shown.subject, device["rank"]), shown.window};
        ofRank.add("traced_energy_j", device, "/energy_j");
        for (const Json& kernel : device["kernels"])
            addTo(shown.subject + ", kernel " + kernel["name"].get<std::string>(), kernel);
    }
    for (const auto& [subject, sum] : sums) {
        if (sum)
            shown.numbers.add(subject, shown.window, "traced_energy_j", *sum);
    }
}

// Traces behind warm-up have a name of their own: "…: 1.2 s traced on 8 GPUs, iterations …".
std::string tracedWindowOf(const std::string& denominator) {
    static const std::regex kPart("traced on \\d+ GPUs?(?:, (.*))?$");
    std::smatch match;
    if (!std::regex_search(denominator, match, kPart) || !match[1].matched)
        return kTraced;
    return windowOf(match[1].str());
}

using FindingKeys = std::map<std::string, std::string>; // by the name of the value
struct FindingRule {
    FindingKeys keys;
    enum class Of { Run, Steps, Traced } of = Of::Run;
};
const std::map<std::string, FindingRule>& findingRules() {
    using Of = FindingRule::Of;
    static const std::map<std::string, FindingRule> kRules{
        {"throttling",
            {{{"fraction", "throttled_fraction"}, {"lost_gpu_s", "lost_gpu_s"},
                {"lost_fraction", "clock_lost_fraction"}}}},
        {"above_power_limit",
            {{{"limit_w", "above_limit.limit_w"}, {"seconds", "above_limit.seconds"},
                {"share", "above_limit.share"}, {"highest_w", "above_limit.highest_w"},
                {"energy_j", "above_limit.energy_j"}}}},
        {"low_coverage", {{{"coverage", "energy_coverage"}, {"energy_j", "energy_j"}}}},
        {"out_of_memory", {{{"duration_s", "duration_s"}}}},
        {"implausible_mfu",
            {{{"mfu", "mfu"}, {"flops_per_gpu", "flops_per_gpu"}, {"step_time_s", "step_time_s"},
                 {"tokens_per_s", "tokens_per_s"}},
                Of::Steps}},
        {"averaging_sensor", {{{"iteration_s", "step_time_s"}}, Of::Steps}},
        {"idle_gpu", {{{"fraction", "idle_fraction"}, {"traced_s", "traced_s"}}, Of::Traced}},
        {"gpu_copies", {{{"fraction", "copy_fraction"}, {"traced_s", "traced_s"}}, Of::Traced}},
        {"host_bound", {{{"fraction", "host_bound_fraction"}}, Of::Traced}},
        {"exposed_communication", {{{"fraction", "exposed_communication_fraction"}}, Of::Traced}}};
    return kRules;
}

} // namespace

AskedRun askedRun(
    const std::string& database, const analysis::RunStudies& studies, const Run& run) {
    AskedRun asked{database, studies, run};
    const auto efficiency = analysis::timeEfficiencyOf(studies.of(run));
    asked.steps = windowOf(efficiency.hasValue() ? efficiency.value().stepWindow : std::string());
    const auto steady = analysis::steadyStateOf(studies.of(run));
    asked.settled = windowOf(steady.hasValue() ? steady.value().wording : std::string());
    return asked;
}

std::string windowOf(const std::string& wording) {
    static const std::regex kIterations("iterations? (\\d+)(?: to (\\d+))?");
    std::smatch match;
    if (std::regex_search(wording, match, kIterations))
        return match[2].matched ? fmt::format("iterations {} to {}", match[1].str(), match[2].str())
                                : fmt::format("iteration {}", match[1].str());
    if (wording.empty() || wording.starts_with("the whole run"))
        return kWholeRun;
    return wording.substr(0, wording.find(';'));
}

std::string rankOf(const std::string& run, int rank) {
    return fmt::format("{}, rank {}", run, rank);
}

std::string keyOfQuantity(const std::string& quantity) {
    static const std::map<std::string, std::string> kKeys{{"mean_gpu_power_w", "gpu_power.mean"},
        {"p99_gpu_power_w", "gpu_power.p99"}, {"peak_gpu_power_w", "gpu_power.max"},
        {"mean_temperature_c", "gpu_temperature.mean"},
        {"peak_temperature_c", "gpu_temperature.max"}, {"mean_sm_clock_hz", "sm_clock.mean"},
        {"mean_gpu_utilization", "gpu_utilization.mean"}, {"peak_memory_used_b", "mem_used.max"},
        {"power_intra_node_std_w", "gpu_power.intra_node_std"},
        {"power_inter_node_std_w", "gpu_power.inter_node_std"},
        {"temperature_intra_node_std_c", "gpu_temperature.intra_node_std"},
        {"temperature_inter_node_std_c", "gpu_temperature.inter_node_std"}};
    const auto found = kKeys.find(quantity);
    return found == kKeys.end() ? quantity : found->second;
}

std::string windowOfQuantity(
    const AskedRun& asked, const std::string& measured, const std::string& quantity) {
    const auto place = analysis::listedIndex(quantity);
    if (!place)
        return kWholeRun;
    const std::string& definition = analysis::listedQuantities()[*place].definition;
    const auto says
        = [&definition](const char* word) { return definition.find(word) != std::string::npos; };
    if (says("traced"))
        return "traced in " + measured;
    const bool isOfSteps = says("step") || says("iteration") || says("tokens per second");
    const bool isOfAll = says("window") || says("neighbouring steps"); // those are of power
    return isOfSteps && !isOfAll && measured == kWholeRun ? asked.steps : measured;
}

void collectSummary(const AskedRun& asked, PlaceNumbers& numbers) {
    const Json json = ofRun(asked, {"summary", "--detail"});
    if (json.contains("runs"))
        addSummary(json["runs"][0], asked, kWholeRun, kTraced, numbers);
}

void collectSteadySummary(const AskedRun& asked, PlaceNumbers& numbers) {
    const Json json = ofRun(asked, {"summary", "--steady", "--detail"});
    if (!json.contains("runs"))
        return;
    const Json& run = json["runs"][0];
    const std::string window
        = windowOf(run.value(Json::json_pointer("/window/wording"), std::string()));
    addSummary(run, asked, window, window == kWholeRun ? kTraced : window, numbers);
}

void collectKernels(const AskedRun& asked, PlaceNumbers& numbers) {
    const Json json = ofRun(asked, {"kernels"});
    if (!json.contains("ranks"))
        return;
    const std::string window = json.value("window", kTraced);
    const Shown shown{numbers, asked.run.name, window};
    if (json["ranks"].empty())
        return;
    addKernelTimes(json["ranks"], shown);
    addKernelEnergies(json["ranks"], shown);
}

void collectFindings(const AskedRun& asked, PlaceNumbers& numbers) {
    using Of = FindingRule::Of;
    const Json all = ofRun(asked, {"findings"})["findings"];
    for (const Json& finding : all) {
        const auto rule = findingRules().find(finding["rule"]);
        const bool isOfPart = finding["values"].contains("explained_s"); // without stragglers
        if (rule == findingRules().end() || isOfPart)
            continue;
        const std::string window = rule->second.of == Of::Steps ? asked.steps
            : rule->second.of == Of::Traced ? tracedWindowOf(finding["denominator"])
                                            : kWholeRun;
        const Shown shown{numbers, asked.run.name, window};
        for (const auto& [value, key] : rule->second.keys)
            shown.add(key, finding["values"], "/" + value);
    }
}

// A run beside another one: the first of the database, for that one the second.
void collectComparison(const AskedRun& asked, PlaceNumbers& numbers) {
    const auto runs = asked.studies.store.runs();
    if (!runs.hasValue() || runs.value().size() < 2)
        return;
    const bool isFirst = runs.value().front().name == asked.run.name;
    const std::string& other = runs.value()[isFirst ? 1 : 0].name;
    const Json json = jsonOf(asked, {"compare", "--run", asked.run.name, "--run", other});
    if (!json.contains("runs"))
        return;
    const Json& run = json["runs"][0];
    const std::string window
        = windowOf(run.value(Json::json_pointer("/window/wording"), std::string()));
    addTelemetry(run, {numbers, asked.run.name, window});
    for (const auto& [key, quantity] : json["quantities"].items())
        Shown{numbers, asked.run.name, windowOfQuantity(asked, asked.settled, key)}.add(
            keyOfQuantity(key), run, "/" + key);
    // All that was traced counts where its shares are of no iterations.
    if (run.value(Json::json_pointer("/breakdown/basis"), std::string()) != "trace"
        || window != kWholeRun)
        return;
    for (const char* share :
        {"busy", "compute", "communication", "exposed_communication", "overlap", "copy", "idle"})
        Shown{numbers, asked.run.name, kTraced}.add(
            std::string(share) + "_fraction", run, std::string("/") + share + "_fraction");
}

// Rows of (key, value), or (rank, key, value).
void collectSql(const AskedRun& asked, PlaceNumbers& numbers) {
    std::string name = asked.run.name;
    for (std::size_t at = name.find('\''); at != std::string::npos; at = name.find('\'', at + 2))
        name.insert(at, "'");
    const auto rows = [&](const std::string& sql) {
        return jsonOf(asked, {"query", fmt::format(fmt::runtime(sql), name)})["rows"];
    };
    // The end lies 1 ns behind the last sample.
    for (const Json& row :
        rows("SELECT end_ns - begin_ns FROM run WHERE name = '{}' AND end_ns > begin_ns"))
        numbers.addRounded(
            asked.run.name, kWholeRun, "duration_s", 1e-9 * row[0].get<double>(), 2e-9);
    // Metrics of several sources have a row of each.
    for (const Json& row : rows("SELECT s.metric, s.rank, s.min, s.max FROM series s JOIN run r ON "
                                "s.run = r.id WHERE r.name = '{}' AND s.subject = 'gpu' AND s.kind "
                                "IN ('gauge', 'rate') AND s.mean IS NOT NULL "
                                "GROUP BY s.metric, s.rank HAVING count(*) = 1")) {
        const std::string metric = row[0];
        for (const auto& [statistic, value] : {std::pair(".min", 2), std::pair(".max", 3)}) {
            if (row[static_cast<std::size_t>(value)].is_number())
                numbers.add(rankOf(asked.run.name, row[1]), kWholeRun, metric + statistic,
                    row[static_cast<std::size_t>(value)]);
        }
    }
    for (const Json& row :
        rows("SELECT count(*), sum(duration_ns) / 1e9 FROM spans WHERE run = '{}' "
             "AND kind = 'kernel' HAVING count(*) > 0")) {
        numbers.add(asked.run.name, kTraced, "kernel_count", row[0]);
        numbers.add(asked.run.name, kTraced, "kernel_time_s", row[1]);
    }
    for (const Json& row : rows("SELECT f.key, f.value FROM summary f JOIN run r ON f.run = r.id "
                                "WHERE r.name = '{}' AND f.value IS NOT NULL"))
        numbers.add(asked.run.name, windowOfQuantity(asked, kWholeRun, row[0]),
            keyOfQuantity(row[0]), row[1]);
}

} // namespace trainscope::test
